import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { AuditCursor, AuditFilter, AuditItem, AuditPage } from '../../src/contract/audit.ts'
import { client } from '../state/connection.ts'
import { queryClient } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { useAudit } from './state.ts'

const pageSize = 200
/** A busy record is looked at a few times a second, not at every entry. */
const calmMs = 400

interface Pages {
  readonly pages: readonly AuditPage[]
  readonly pageParams: readonly (AuditCursor | null)[]
}

const keyOf = (filter: AuditFilter) => ['audit', 'timeline', filter] as const

/** Entries newest first, page by page as one scrolls; new ones join at the top by themselves. */
export function useTimeline(filter: AuditFilter) {
  const query = useInfiniteQuery({
    queryKey: keyOf(filter),
    queryFn: ({ pageParam, signal }) =>
      client.audit.query({ filter, limit: pageSize, ...(pageParam ? { after: pageParam } : {}) }, { signal }),
    initialPageParam: null as AuditCursor | null,
    getNextPageParam: page => page.next,
    placeholderData: keepPreviousData,
    // What was read a while ago is behind by now.
    staleTime: 0,
    gcTime: 60_000,
  })
  const last = useAudit(state => state.last)
  useEffect(() => {
    if (last < 0) return
    const timer = setTimeout(() => void refreshTop(filter).catch(showProblem), calmMs)
    return () => clearTimeout(timer)
  }, [last, filter])
  return query
}

async function refreshTop(filter: AuditFilter): Promise<void> {
  const fresh = await client.audit.query({ filter, limit: pageSize })
  queryClient.setQueryData<Pages>(keyOf(filter), known => known && withFresh(known, fresh))
}

/**
 * Puts newer entries before the known ones, and takes the newer word on those that both have: a run that was under way
 * has ended. Where there is a gap between the two, everything below is fetched again as one scrolls.
 */
export function withFresh(known: Pages, fresh: AuditPage): Pages {
  const items = known.pages.flatMap(page => page.items)
  const oldest = fresh.items.at(-1)
  const meets = fresh.next === null || items.some(item => item.entry.seq === oldest?.entry.seq)
  if (!meets) return { pages: [fresh], pageParams: [null] }
  const bySeq = new Map(fresh.items.map(item => [item.entry.seq, item]))
  const had = new Set(items.map(item => item.entry.seq))
  const added = fresh.items.filter(item => !had.has(item.entry.seq))
  const pages = known.pages.map((page, index) => ({
    ...page,
    items: [...(index === 0 ? added : []), ...page.items.map(item => bySeq.get(item.entry.seq) ?? item)],
  }))
  return { ...known, pages }
}

export type Row = { kind: 'day'; at: number } | { kind: 'entry'; item: AuditItem }

/** Entries with the day above the first of each. */
export function withDays(items: readonly AuditItem[]): Row[] {
  const rows: Row[] = []
  let day = ''
  for (const item of items) {
    const its = new Date(item.entry.at).toDateString()
    if (its !== day) rows.push({ kind: 'day', at: item.entry.at })
    day = its
    rows.push({ kind: 'entry', item })
  }
  return rows
}
