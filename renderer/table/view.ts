import { useEffect, useMemo, useState } from 'react'
import { type Condition, readCondition } from './filter.ts'
import { type Query, query, queryInSlices } from './query.ts'
import type { TableSource } from './source.ts'

/** Up to here a query takes a frame or two and is answered at once. */
const atOnce = 20_000

export interface TableView {
  /** Rows of the source in the order in which they are shown. */
  readonly rows: Int32Array
  /** True while a new order is being worked out; `rows` is then still the old one. */
  readonly busy: boolean
  readonly sort: Query['sort']
  readonly search: string
  /** What is typed above each column. */
  readonly typed: ReadonlyMap<number, string>
  find(text: string): void
  filter(column: number, typed: string): void
  clearFilters(): void
  /** Sorts up, then down, then not at all. */
  toggleSort(column: number): void
}

/** What a person asked of a table, and the rows that answer it. */
export function useTableView(source: TableSource): TableView {
  const [sort, setSort] = useState<Query['sort']>()
  const [search, setSearch] = useState('')
  const [typed, setTyped] = useState<ReadonlyMap<number, string>>(new Map())
  const asked = useMemo(() => toQuery(sort, search, typed), [sort, search, typed])
  const { rows, busy } = useAnswer(source, asked)
  return {
    rows,
    busy,
    sort,
    search,
    typed,
    find: setSearch,
    filter: (column, text) => setTyped(before => new Map(before).set(column, text)),
    clearFilters: () => {
      setSearch('')
      setTyped(new Map())
    },
    toggleSort: column =>
      setSort(before => {
        if (before?.column !== column) return { column, descending: false }
        return before.descending ? undefined : { column, descending: true }
      }),
  }
}

function toQuery(sort: Query['sort'], search: string, typed: ReadonlyMap<number, string>): Query {
  const conditions = new Map<number, Condition>()
  for (const [column, text] of typed) {
    const condition = readCondition(text)
    if (condition) conditions.set(column, condition)
  }
  return { ...(sort && { sort }), search, conditions }
}

function useAnswer(source: TableSource, asked: Query): { rows: Int32Array; busy: boolean } {
  const quick = source.rowCount <= atOnce
  const direct = useMemo(() => (quick ? query(source, asked) : null), [quick, source, asked])
  const [slow, setSlow] = useState<{ source: TableSource; asked: Query | null; rows: Int32Array }>()
  useEffect(() => {
    if (quick) return
    const abort = new AbortController()
    void queryInSlices(source, asked, abort.signal).then(rows => {
      if (rows) setSlow({ source, asked, rows })
    })
    return () => abort.abort()
  }, [quick, source, asked])
  const everything = useMemo(
    () => Int32Array.from({ length: quick ? 0 : source.rowCount }, (_, row) => row),
    [quick, source],
  )
  if (direct) return { rows: direct, busy: false }
  if (slow?.source !== source) return { rows: everything, busy: !isPlain(asked) }
  return { rows: slow.rows, busy: slow.asked !== asked }
}

const isPlain = (asked: Query) => !asked.sort && !asked.search && (asked.conditions?.size ?? 0) === 0
