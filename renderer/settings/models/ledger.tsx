import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { LedgerEntry } from '../../../src/contract/chat.ts'
import { countWords, useWords } from '../../privacy/words.ts'
import { client } from '../../state/connection.ts'
import { rpc } from '../../state/queries.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemView } from '../../ui/problem.tsx'
import { dateAndTime } from '../../ui/when.ts'
import styles from './models.module.css'
import { resultWords } from './words.ts'

const page = 100

/** Every request to a model: when, to whom, how much of it, what was replaced in it, what it cost. */
export function Ledger() {
  const ledger = useInfiniteQuery({
    queryKey: [...rpc.chat.ledger.key(), 'pages'],
    queryFn: ({ pageParam: before }) => client.chat.ledger({ limit: page, ...(before ? { before } : {}) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: last => (last.length === page ? last.at(-1)?.id : undefined),
    staleTime: 0,
  })
  const entries = ledger.data?.pages.flat() ?? []
  return (
    <section aria-labelledby="ledger">
      <h3 id="ledger">Requests</h3>
      {ledger.isError ? (
        <ProblemView error={ledger.error} onRetry={() => ledger.refetch()} />
      ) : entries.length === 0 ? (
        <p className={styles.where}>Nothing was sent to any model yet.</p>
      ) : (
        <Table entries={entries} />
      )}
      {ledger.hasNextPage && (
        <Button busy={ledger.isFetchingNextPage} onClick={() => void ledger.fetchNextPage()}>
          Look further back
        </Button>
      )}
    </section>
  )
}

function Table({ entries }: { entries: readonly LedgerEntry[] }) {
  const words = useWords()
  const conversations = useQuery(rpc.conversations.list.queryOptions({ input: {} })).data ?? []
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.wide} tabIndex={0} aria-label="Requests to models">
      <table className={styles.list}>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Conversation</th>
            <th scope="col">Model</th>
            <th scope="col">Bytes</th>
            <th scope="col">Replaced</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
            <th scope="col">First word</th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(entry => (
            <tr key={entry.id}>
              <td>{dateAndTime(entry.at)}</td>
              <td>{conversations.find(({ id }) => id === entry.conversation)?.title}</td>
              <td>
                {entry.providerName} {entry.modelVersion ?? entry.model}
                {entry.purpose === 'title' && ' (title)'}
              </td>
              <td>{entry.bytes.toLocaleString('en')}</td>
              <td>{countWords(entry.replaced, words).join(', ') || 'nothing'}</td>
              <td>{tokens(entry)}</td>
              <td>{entry.cost === null ? 'unknown' : `$${entry.cost.toFixed(4)}`}</td>
              <td>{entry.firstTokenMs === null ? '' : `${Math.round(entry.firstTokenMs)} ms`}</td>
              <td>{resultWords(entry.result)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** In and out; nothing where nothing was answered. */
const tokens = ({ inputTokens, outputTokens }: LedgerEntry): string =>
  inputTokens === null && outputTokens === null
    ? ''
    : `${(inputTokens ?? 0).toLocaleString('en')} + ${(outputTokens ?? 0).toLocaleString('en')}`
