import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleSlash, PlaneTakeoff, RefreshCw, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { type Destination, destinations } from '../../src/contract/privacy.ts'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { useView } from '../state/view.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { Segmented } from '../ui/segmented.tsx'
import styles from './departures.module.css'
import { type Trip, tripsOf } from './grouping.ts'
import { Statistics } from './statistics.tsx'
import { countWords, destinationWords, fateOf, useWords } from './words.ts'

const page = 200

/** What left the machine: to whom, when, how much, and what was replaced on the way. */
export function Departures() {
  const here = useView(view => view.conversation)
  const [scope, setScope] = useState<'all' | 'here'>('all')
  const [filter, setFilter] = useState<Destination | 'all'>('all')
  const conversation = scope === 'here' ? (here ?? undefined) : undefined
  const departures = useInfiniteQuery({
    queryKey: ['privacy', 'departures', conversation, filter],
    queryFn: ({ pageParam }) =>
      client.privacy.departures({
        conversation,
        destination: filter === 'all' ? undefined : filter,
        before: pageParam,
        limit: page,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: last => (last.length === page ? last.at(-1)?.id : undefined),
    // Nothing announces a departure, and an old list would be a wrong answer.
    staleTime: 0,
    refetchInterval: 15_000,
  })
  if (departures.isError) return <ProblemView error={departures.error} onRetry={() => departures.refetch()} />
  if (!departures.data) return <Loading />
  const trips = tripsOf(departures.data.pages.flat())
  return (
    <div className={styles.left}>
      <div className={styles.bar}>
        <Segmented
          label="Destination"
          value={filter}
          choices={[
            { value: 'all', label: 'Everywhere' },
            ...destinations.map(value => ({ value, label: destinationWords[value].name })),
          ]}
          onChange={setFilter}
        />
        <span className={styles.space} />
        {here && (
          <Segmented
            label="Conversations"
            value={scope}
            choices={[
              { value: 'all', label: 'All conversations' },
              { value: 'here', label: 'This one' },
            ]}
            onChange={setScope}
          />
        )}
        <IconButton label="Look again" icon={<RefreshCw />} onClick={() => void departures.refetch()} />
      </div>
      <div className={styles.columns}>
        <section className={styles.list} aria-label="What was sent">
          {trips.length === 0 ? (
            <Empty icon={<PlaneTakeoff />} title="Nothing has left this machine">
              <p>
                {filter === 'all'
                  ? 'Exports, questions to a model, alerts: whatever leaves is noted here, with what was replaced in it.'
                  : `Nothing went this way (${destinationWords[filter].name.toLowerCase()}).`}
              </p>
            </Empty>
          ) : (
            <Table trips={trips} />
          )}
          {departures.hasNextPage && (
            <Button busy={departures.isFetchingNextPage} onClick={() => void departures.fetchNextPage()}>
              Look further back
            </Button>
          )}
        </section>
        <Statistics conversation={conversation} />
      </div>
    </div>
  )
}

function Table({ trips }: { trips: readonly Trip[] }) {
  const words = useWords()
  const conversations = useQuery(rpc.conversations.list.queryOptions({ input: {} })).data ?? []
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">To</th>
          <th scope="col">How much</th>
          <th scope="col">What was found</th>
        </tr>
      </thead>
      <tbody>
        {trips.map(trip => (
          <tr key={trip.id}>
            <td className={styles.when}>
              <time dateTime={new Date(trip.at).toISOString()}>
                {clock.format(trip.at)}
                <span>{day.format(trip.at)}</span>
              </time>
            </td>
            <td className={styles.to}>
              <strong>{destinationWords[trip.destination].name}</strong>
              <span>{trip.to}</span>
              <span>{conversations.find(each => each.id === trip.conversation)?.title}</span>
            </td>
            <td className={styles.much}>
              {trip.result === 'held' ? '—' : `${trip.characters.toLocaleString('en')} characters`}
              {trip.pieces > 1 && <span>in {trip.pieces.toLocaleString('en')} pieces</span>}
            </td>
            <td>
              <Fate trip={trip} />
              <span className={styles.found}>{countWords(trip.found, words).join(', ')}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Fate({ trip }: { trip: Trip }) {
  const some = Object.keys(trip.found).length > 0
  const leaked = trip.mode === 'off' || (trip.mode === 'report' && some)
  const Icon = trip.result === 'held' ? CircleSlash : leaked ? TriangleAlert : CircleCheck
  const look = trip.result === 'held' ? styles.held : leaked ? styles.leaked : styles.clean
  return (
    <span className={`${styles.fate} ${look}`}>
      <Icon aria-hidden /> {fateOf(trip)}
    </span>
  )
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })
