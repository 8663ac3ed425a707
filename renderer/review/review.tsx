import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Inbox, SearchX, Stamp } from 'lucide-react'
import { useDeferredValue, useEffect, useState } from 'react'
import { isOpen } from '../../src/contract/approval.ts'
import type { RequestId } from '../../src/contract/ids.ts'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { setView, useView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { ListPage } from '../ui/list-page.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { RequestDetail } from './detail.tsx'
import { FilterBar } from './filter-bar.tsx'
import { filterFor, isFiltered, noFilters, type QueueFilters, type Standing } from './filters.ts'
import { useMe, WhoAmI } from './identity.tsx'
import styles from './queue.module.css'
import { Queue } from './queue.tsx'
import { stateWords } from './words.ts'

const pageSize = 100

/** The review queue: what waits on the left, one request in full on the right. */
export default function ReviewPage() {
  const selected = useView(view => view.request)
  const [filters, setFilters] = useState<QueueFilters>(noFilters)
  const asked = useDeferredValue(filters)
  const me = useMe().data
  const filter = filterFor(asked, me?.id)
  const query = useInfiniteQuery(
    rpc.approval.requests.infiniteOptions({
      input: (before: RequestId | undefined) => ({ ...filter, limit: pageSize, ...(before ? { before } : {}) }),
      initialPageParam: undefined as RequestId | undefined,
      getNextPageParam: page => (page.length < pageSize ? undefined : page.at(-1)?.id),
    }),
  )
  const requests = query.data?.pages.flat() ?? []
  const first = requests[0]?.id ?? null
  useEffect(() => {
    // With nothing chosen, the newest is what people come for.
    if (selected === null && first !== null) setView({ request: first })
  }, [selected, first])

  return (
    <ListPage
      label="Review queue"
      title="Review queue"
      tools={
        <div className={styles.tools}>
          <WhoAmI />
          <FilterBar
            filters={filters}
            onChange={next => {
              // What is shown is one of those that are listed.
              if (next.standing !== filters.standing) setView({ request: null })
              setFilters(next)
            }}
          />
        </div>
      }
      list={
        <>
          {query.isError ? (
            <ProblemView error={query.error} onRetry={() => query.refetch()} />
          ) : !query.data ? (
            <Loading />
          ) : requests.length === 0 ? (
            <NoRequests filters={asked} onClear={() => setFilters({ ...noFilters, standing: filters.standing })} />
          ) : (
            <Queue requests={requests} selected={selected} onSelect={request => setView({ request })} />
          )}
          {query.hasNextPage && (
            <Button
              look="quiet"
              className={styles.older}
              busy={query.isFetchingNextPage}
              onClick={() => query.fetchNextPage()}
            >
              Show older
            </Button>
          )}
        </>
      }
      detail={
        <section className={styles.detail} aria-label="Request">
          {selected ? (
            <Selected key={selected} id={selected} />
          ) : (
            <Empty icon={<Stamp />} title="Nothing chosen">
              <p>Choose a request on the left to see its code, its findings and what it would do.</p>
            </Empty>
          )}
        </section>
      }
    />
  )
}

const nothing: Record<Standing, { readonly title: string; readonly text: string }> = {
  open: {
    title: 'Nothing waits for a decision',
    text: 'When code is risky, its run waits here until somebody who looked at it signs or denies it.',
  },
  decided: { title: 'Nothing was decided yet', text: 'Requests that somebody approved or denied are listed here.' },
  over: {
    title: 'Nothing has lapsed',
    text: 'Requests that were withdrawn, or whose code was changed, are listed here.',
  },
  all: { title: 'Nothing was asked yet', text: 'When code is risky, its run waits here until somebody decides.' },
}

function NoRequests({ filters, onClear }: { filters: QueueFilters; onClear(): void }) {
  if (isFiltered(filters)) {
    return (
      <Empty icon={<SearchX />} title="Nothing matches these filters">
        <Button onClick={onClear}>Clear filters</Button>
      </Empty>
    )
  }
  return (
    <Empty icon={<Inbox />} title={nothing[filters.standing].title}>
      <p>{nothing[filters.standing].text}</p>
    </Empty>
  )
}

function Selected({ id }: { id: RequestId }) {
  const query = useQuery({ ...rpc.approval.request.queryOptions({ input: id }), refetchOnMount: 'always' })
  const me = useMe().data
  if (query.isError) return <ProblemView error={query.error} onRetry={() => query.refetch()} />
  if (!query.data) return <Loading />
  const request = query.data
  const mine = me?.id === request.requester.id
  return (
    <RequestDetail
      request={request}
      title={<h2 className={styles.selectedState}>{stateWords[request.state]}</h2>}
      onAnswered={(kind, after) => {
        if (kind === 'approve') {
          showToast({ kind: 'good', text: `Approved and signed by ${after.reviewer?.name ?? 'you'}.` })
        }
      }}
      aside={
        mine && isOpen(request.state) ? (
          <div className={styles.aside}>
            <Button look="quiet" onClick={() => void client.approval.cancel(id).catch(showProblem)}>
              Withdraw
            </Button>
          </div>
        ) : undefined
      }
    />
  )
}
