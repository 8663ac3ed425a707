import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import { type Json, type JsonRow, jsonRows, openAtFirst } from './rows.ts'
import styles from './tree.module.css'

const rowHeight = 22
const longestText = 300

/** JSON as a tree that opens and closes; only the lines in sight exist. */
export function JsonTree({ value, label }: { value: Json; label: string }) {
  const id = useId()
  const [open, setOpen] = useState<ReadonlySet<string>>(() => openAtFirst(value))
  const [active, setActive] = useState(0)
  const rows = useMemo(() => jsonRows(value, open), [value, open])
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    initialRect: { width: 600, height: 400 },
  })

  function go(index: number) {
    const next = Math.max(0, Math.min(index, rows.length - 1))
    setActive(next)
    virtual.scrollToIndex(next)
  }

  function toggle(row: JsonRow) {
    const next = new Set(open)
    if (!next.delete(row.path)) next.add(row.path)
    setOpen(next)
  }

  function onKeyDown(event: KeyboardEvent) {
    const row = rows[active]
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return
    const act = keys[event.key]
    if (!act) return
    event.preventDefault()
    event.stopPropagation()
    act({ row, rows, active, go, toggle })
  }

  return (
    <div
      ref={scroller}
      className={styles.tree}
      role="tree"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={`${id}-${active}`}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(item => {
          const row = rows[item.index]
          if (!row) return null
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active item.
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree's own keys open and close.
            <div
              key={row.path}
              id={`${id}-${item.index}`}
              className={styles.row}
              role="treeitem"
              aria-level={row.depth + 1}
              aria-selected={item.index === active}
              aria-expanded={row.size === null ? undefined : row.open}
              style={{ height: rowHeight, transform: `translateY(${item.start}px)` }}
              onClick={() => {
                setActive(item.index)
                if (row.size) toggle(row)
              }}
            >
              {/* Beyond some depth the line would leave the screen; its level is still told. */}
              <span style={{ width: `calc(var(--space-4) * ${Math.min(row.depth, 30)})` }} className={styles.indent} />
              <ChevronRight
                aria-hidden
                size={12}
                className={styles.mark}
                data-state={row.size ? (row.open ? 'open' : 'closed') : 'none'}
              />
              {row.name !== null && (
                <span className={styles.name} data-range={row.range || undefined}>
                  {row.name}
                </span>
              )}
              <Value row={row} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

interface Moment {
  readonly row: JsonRow
  readonly rows: readonly JsonRow[]
  readonly active: number
  go(index: number): void
  toggle(row: JsonRow): void
}

const keys: Record<string, (moment: Moment) => void> = {
  ArrowDown: ({ active, go }) => go(active + 1),
  ArrowUp: ({ active, go }) => go(active - 1),
  Home: ({ go }) => go(0),
  End: ({ rows, go }) => go(rows.length - 1),
  PageDown: ({ active, go }) => go(active + 15),
  PageUp: ({ active, go }) => go(active - 15),
  Enter: ({ row, toggle }) => row.size && toggle(row),
  ' ': ({ row, toggle }) => row.size && toggle(row),
  ArrowRight: ({ row, active, go, toggle }) => (row.size && !row.open ? toggle(row) : row.size && go(active + 1)),
  ArrowLeft: ({ row, rows, active, go, toggle }) => {
    if (row.open) return toggle(row)
    go(rows.slice(0, active).findLastIndex(above => above.depth < row.depth))
  },
}

function Value({ row }: { row: JsonRow }) {
  const { value, size } = row
  if (row.range) return null
  if (size !== null) {
    const isList = Array.isArray(value)
    const count = `${size.toLocaleString('en')} ${isList ? (size === 1 ? 'item' : 'items') : size === 1 ? 'key' : 'keys'}`
    return (
      <span className={styles.size}>
        {size === 0 ? (isList ? '[ ]' : '{ }') : isList ? `[ ${count} ]` : `{ ${count} }`}
      </span>
    )
  }
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, longestText)) : String(value)
  const rest = typeof value === 'string' && value.length > longestText ? value.length : null
  return (
    <>
      <span className={styles.value} data-kind={value === null ? 'null' : typeof value}>
        {text}
      </span>
      {rest !== null && <span className={styles.size}>… {rest.toLocaleString('en')} characters</span>}
    </>
  )
}
