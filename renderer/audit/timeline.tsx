import { useVirtualizer } from '@tanstack/react-virtual'
import { Ellipsis, ScrollText } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import type { AuditItem } from '../../src/contract/audit.ts'
import { visible } from '../../src/contract/visible.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { Menu, onRightClick } from '../ui/menu.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { EntryPage } from './entry.tsx'
import { entryActions } from './entry-actions.tsx'
import { Filters } from './filters.tsx'
import { dayOf, momentOf, timeOf } from './format.ts'
import { areaIcons } from './icons.ts'
import { ResultMark, RiskMark, resultOf, Sentence } from './marks.tsx'
import { useNames, usePathNames, useTitles } from './people.ts'
import { setAudit, useAudit } from './state.ts'
import styles from './timeline.module.css'
import { type Row, useTimeline, withDays } from './timeline-data.ts'
import { actionLabels, areaOf, placeOf, tell } from './words.ts'

const rowHeight = 38
const dayHeight = 36
/** The next page is asked for so many rows before the last: who scrolls fast must not come to a wall. */
const ahead = 120

/** Everything that happened, newest first, and the page of the entry that is open beside it. */
export function Timeline() {
  const filter = useAudit(state => state.filter)
  const open = useAudit(state => state.open)
  const query = useTimeline(filter)
  const rows = useMemo(() => withDays(query.data?.pages.flatMap(page => page.items) ?? []), [query.data])
  return (
    <div className={styles.timeline}>
      <Filters />
      <div className={open === null ? styles.panes : `${styles.panes} ${styles.split}`}>
        <div className={styles.listPane}>
          {query.isError ? (
            <ProblemView error={query.error} onRetry={() => query.refetch()} />
          ) : query.isPending ? (
            <Loading />
          ) : rows.length === 0 ? (
            <NothingFound filtered={Object.keys(filter).length > 0} />
          ) : (
            <Rows
              // What was scrolled to belongs to what was asked for.
              key={JSON.stringify(filter)}
              rows={rows}
              open={open}
              hasMore={query.hasNextPage}
              onMore={() => !query.isFetchingNextPage && void query.fetchNextPage()}
            />
          )}
        </div>
        {open !== null && <EntryPage key={open} seq={open} onClose={() => setAudit({ open: null })} />}
      </div>
    </div>
  )
}

function NothingFound({ filtered }: { filtered: boolean }) {
  return (
    <Empty icon={<ScrollText />} title={filtered ? 'Nothing on the record matches' : 'The record is empty'}>
      {filtered && (
        <>
          <p>No entry matches all of these filters.</p>
          <Button onClick={() => setAudit({ filter: {}, period: 'any' })}>Show everything</Button>
        </>
      )}
    </Empty>
  )
}

interface RowsProps {
  readonly rows: readonly Row[]
  readonly open: number | null
  readonly hasMore: boolean
  onMore(): void
}

function Rows({ rows, open, hasMore, onMore }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const nameOf = useNames()
  const titleOf = useTitles()
  const [active, setActive] = useState<number | null>(open)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: index => (rows[index]?.kind === 'day' ? dayHeight : rowHeight),
    getItemKey: index => keyOf(rows[index], index),
    overscan: 12,
  })
  const shown = virtual.getVirtualItems()
  const pathOf = usePathNames(
    conversationsIn(
      shown.flatMap(({ index }) => rows[index] ?? []),
      titleOf,
    ),
  )
  const lastShown = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && lastShown > rows.length - ahead) onMore()
  }, [hasMore, lastShown, rows.length, onMore])

  const current = useMemo(() => {
    const found = active === null ? -1 : rows.findIndex(row => seqOf(row) === active)
    return found >= 0 ? found : rows.findIndex(row => row.kind === 'entry')
  }, [rows, active])
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = entryNear(rows, current, step)
    setActive(seqOf(rows[next]))
    virtual.scrollToIndex(next)
    // The row may have to be made first.
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"] button`)?.focus())
  }
  // The list begins in the middle of a day more often than not: its day stays in sight.
  const top = shown.find(item => item.end > (virtual.scrollOffset ?? 0))
  const topDay = dayAbove(rows, top?.index ?? 0)
  return (
    <>
      {topDay !== null && (
        <p className={styles.stickyDay} aria-hidden>
          {dayOf(topDay)}
        </p>
      )}
      <div ref={scroller} className={styles.scroller}>
        <ol
          className={styles.rows}
          style={{ height: virtual.getTotalSize() }}
          aria-label="Entries, newest first"
          onKeyDown={move}
        >
          {shown.map(({ index, start, key }) => {
            const row = rows[index]
            if (!row) return null
            return (
              <li
                key={key}
                data-index={index}
                style={{ transform: `translateY(${start}px)` }}
                onContextMenu={onRightClick}
              >
                {row.kind === 'day' ? (
                  <h2 className={styles.day}>{dayOf(row.at)}</h2>
                ) : (
                  <EntryRow
                    item={row.item}
                    who={nameOf(row.item.entry.actor)}
                    where={placeOf(titleOf(row.item.entry.conversation), pathOf(row.item.entry.path))}
                    isOpen={row.item.entry.seq === open}
                    isCurrent={index === current}
                    onOpen={() => {
                      setActive(row.item.entry.seq)
                      setAudit({ open: row.item.entry.seq })
                    }}
                  />
                )}
              </li>
            )
          })}
        </ol>
      </div>
    </>
  )
}

interface EntryRowProps {
  readonly item: AuditItem
  readonly who: string
  /** The conversation and the path that it speaks of. */
  readonly where: string | undefined
  readonly isOpen: boolean
  readonly isCurrent: boolean
  onOpen(): void
}

function EntryRow({ item, who, where, isOpen, isCurrent, onOpen }: EntryRowProps) {
  const { entry } = item
  const Icon = areaIcons[areaOf(entry.action)]
  const result = resultOf(item)
  const actions = [{ label: 'Open the entry', onSelect: onOpen }, ...entryActions(entry)]
  return (
    <>
      <button
        type="button"
        className={styles.entry}
        aria-current={isOpen ? 'true' : undefined}
        tabIndex={isCurrent ? 0 : -1}
        onClick={onOpen}
      >
        <time dateTime={new Date(entry.at).toISOString()} title={momentOf(entry.at)}>
          {timeOf(entry.at)}
        </time>
        <Icon aria-label={actionLabels[entry.action]} />
        <span className={styles.sentence}>
          <Sentence text={tell(entry, who)} who={who} />
          {item.codeLine && <code className={styles.code}>{visible(item.codeLine)}</code>}
        </span>
        {where && <span className={styles.where}>{where}</span>}
        <RiskMark item={item} />
        {result && <ResultMark result={result} />}
        <span className={styles.seq}>#{entry.seq}</span>
      </button>
      <span className={styles.menu}>
        <Menu
          main
          trigger={<IconButton label={`Actions for entry ${entry.seq}`} tabIndex={-1} icon={<Ellipsis />} />}
          items={actions}
        />
      </span>
    </>
  )
}

/** Those that still have a tree to read names from. */
const conversationsIn = (rows: readonly Row[], titleOf: (id: string | undefined) => string | undefined) => [
  ...new Set(
    rows.flatMap(row => {
      const conversation = row.kind === 'entry' ? row.item.entry.conversation : undefined
      return conversation && titleOf(conversation) !== undefined ? [conversation] : []
    }),
  ),
]

const seqOf = (row: Row | undefined): number | null => (row?.kind === 'entry' ? row.item.entry.seq : null)
const keyOf = (row: Row | undefined, index: number) =>
  row?.kind === 'entry' ? row.item.entry.seq : `day ${row?.at ?? index}`

/** The entry so many rows away; a heading on the way is stepped over. */
function entryNear(rows: readonly Row[], from: number, step: number): number {
  const last = rows.length - 1
  for (let at = Math.max(0, Math.min(last, from + step)); at >= 0 && at <= last; at += Math.sign(step)) {
    if (rows[at]?.kind === 'entry') return at
  }
  return from
}

function dayAbove(rows: readonly Row[], index: number): number | null {
  const row = rows[index]
  // The day's own heading is in sight there.
  if (!row || row.kind === 'day') return null
  return row.item.entry.at
}
