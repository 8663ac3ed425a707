// biome-ignore-all lint/a11y/useSemanticElements: a table element cannot leave out the rows that are not in sight.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active cell.
import {
  type ClipboardEvent,
  type KeyboardEvent,
  memo,
  type PointerEvent,
  useEffect,
  useId,
  useMemo,
  useState,
} from 'react'
import { alignsRight, formatter } from './format.ts'
import { GridHead } from './head.tsx'
import { useRowScroll } from './rowscroll.ts'
import { columnsInSight, laidOutHeight, rowHeight, rowsInSight } from './scroll.ts'
import { type Bounds, edges, moved, type Position, type Selection, single, within } from './selection.ts'
import { type Cell, isMissing, type TableSource } from './source.ts'
import styles from './table.module.css'
import type { TableView } from './view.ts'
import { useColumnWidths } from './widths.ts'

export interface GridProps {
  readonly source: TableSource
  readonly view: TableView
  readonly label: string
  readonly filtering: boolean
  readonly selection: Selection | null
  onSelect(selection: Selection | null): void
  /** Puts the selected cells on the clipboard of a copy event. */
  onCopy(event: ClipboardEvent): void
}

/** The cells themselves: only those in sight exist, whatever the size of the table. */
export function Grid({ source, view, label, filtering, selection, onSelect, onCopy }: GridProps) {
  const id = useId()
  const { rows } = view
  const { edges: at, resize, fit } = useColumnWidths(source)
  const gutter = gutterWidth(source.rowCount)
  const scroll = useRowScroll(rows.length)
  const shown = columnsInSight(at, scroll.left, scroll.left + scroll.width - gutter)
  const sight = rowsInSight(scroll.extent, scroll.distance, 6)
  const page = Math.max(1, Math.floor(scroll.extent.viewport / rowHeight) - 1)
  const bounds: Bounds = { rows: rows.length, columns: source.columns.length, page }
  const write = useMemo(() => source.columns.map((_, index) => formatter(source, index)), [source])
  const [drawing, setDrawing] = useState(false)

  // Another order or filter is another table: the selected places mean other rows, and its start is what one wants.
  const { toTop } = scroll
  const [answered, setAnswered] = useState(rows)
  useEffect(() => {
    if (rows === answered) return
    setAnswered(rows)
    // More rows of the same are no other table: one goes on where one is.
    if (answered.length > 0 && answered.every((row, at) => rows[at] === row)) return
    onSelect(null)
    toTop()
  }, [rows, answered, onSelect, toTop])

  function select(next: Selection) {
    onSelect(next)
    scroll.show(next.to.row, at[next.to.column] ?? 0, (at[next.to.column + 1] ?? 0) + gutter)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget || rows.length === 0) return
    const current = selection ?? single({ row: 0, column: 0 })
    if (event.altKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      event.preventDefault()
      return resize(current.to.column, event.key === 'ArrowLeft' ? -16 : 16)
    }
    if (current.to.row === -1 && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault()
      return view.toggleSort(current.to.column)
    }
    const key = { key: event.key, shift: event.shiftKey, control: event.ctrlKey || event.metaKey }
    const next = moved(current, key, bounds)
    // Escape with nothing to take back belongs to whatever lies around the table.
    if (!next || event.altKey || (event.key === 'Escape' && (!selection || selection.from === selection.to))) return
    event.preventDefault()
    event.stopPropagation()
    // The first arrow shows where one is; a leap leaps.
    select(selection || !event.key.startsWith('Arrow') ? next : current)
  }

  function draw(event: PointerEvent, begins: boolean) {
    const target = positionOf(event.target)
    if (!target || event.button > 0 || (!begins && !(drawing && event.buttons === 1))) return
    const extend = selection !== null && (event.shiftKey || !begins)
    const whole = target.column < 0
    const from = extend ? selection.from : whole ? { row: target.row, column: 0 } : target
    const to = whole ? { row: target.row, column: source.columns.length - 1 } : target
    onSelect({ from, to: within(to, bounds, 0) })
    setDrawing(true)
  }

  const focus = selection?.to
  const visible = Array.from({ length: Math.max(0, sight.to - sight.from) }, (_, offset) => sight.from + offset)
  return (
    <div
      ref={scroll.ref}
      className={styles.grid}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={source.columns.length + 1}
      aria-multiselectable
      aria-busy={view.busy}
      aria-activedescendant={focus ? cellId(id, focus) : undefined}
      onKeyDown={onKeyDown}
      onCopy={onCopy}
      onPointerDown={event => draw(event, true)}
      onPointerMove={event => draw(event, false)}
      onPointerUp={() => setDrawing(false)}
    >
      <GridHead
        ref={scroll.headRef}
        {...{ id, source, view, filtering, gutter, shown, at, resize, fit }}
        active={focus?.row === -1 ? focus.column : undefined}
      />
      <div
        className={styles.body}
        role="rowgroup"
        style={{ height: laidOutHeight(scroll.extent), width: (at.at(-1) ?? 0) + gutter }}
      >
        <div className={styles.rows} style={{ transform: `translateY(${scroll.offset + sight.from * rowHeight}px)` }}>
          {visible.map(row => (
            <GridRow
              key={row}
              {...{ id, source, write, row, gutter, at }}
              number={rows[row] ?? 0}
              from={shown.from}
              to={shown.to}
              focus={focus?.row === row ? focus.column : -1}
              {...selectedIn(selection, row)}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

interface GridRowProps {
  readonly id: string
  readonly source: TableSource
  readonly write: readonly ((cell: Cell) => string)[]
  /** Where the row stands on the screen, and in the source. */
  readonly row: number
  readonly number: number
  readonly gutter: number
  readonly at: readonly number[]
  readonly from: number
  readonly to: number
  readonly focus: number
  readonly left: number
  readonly right: number
}

const GridRow = memo(function GridRow(props: GridRowProps) {
  const { id, source, write, row, number, at, from, to } = props
  return (
    <div role="row" aria-rowindex={row + 2} className={styles.row} style={{ height: rowHeight }}>
      <div
        role="rowheader"
        aria-colindex={1}
        className={styles.number}
        style={{ width: props.gutter }}
        data-row={row}
        data-column={-1}
      >
        {(number + 1).toLocaleString('en')}
      </div>
      <div aria-hidden className={styles.spacer} style={{ width: at[from] ?? 0 }} />
      {source.columns.slice(from, to).map((column, offset) => {
        const index = from + offset
        const cell = source.value(number, index)
        const selected = index >= props.left && index <= props.right
        const text = isMissing(cell) ? (cell === null ? 'null' : 'NaN') : (write[index]?.(cell) ?? '')
        return (
          <div
            key={index}
            id={cellId(id, { row, column: index })}
            role="gridcell"
            aria-colindex={index + 2}
            aria-selected={selected}
            className={styles.cell}
            style={{ width: (at[index + 1] ?? 0) - (at[index] ?? 0) }}
            title={text.length > 24 ? text.slice(0, 2000) : undefined}
            data-row={row}
            data-column={index}
            data-right={alignsRight(column) || undefined}
            data-key={column.key || undefined}
            data-missing={isMissing(cell) || undefined}
            data-focus={index === props.focus || undefined}
          >
            {/* A cell shows its start: a megabyte of text in one would stop the scrolling. */}
            {text.length > 500 ? `${text.slice(0, 500)}…` : text}
          </div>
        )
      })}
    </div>
  )
})

export const cellId = (id: string, { row, column }: Position): string => `${id}-${row}-${column}`

const gutterWidth = (rowCount: number) => Math.max(40, String(rowCount).length * 9 + 20)

function selectedIn(selection: Selection | null, row: number): { left: number; right: number } {
  if (!selection) return { left: 0, right: -1 }
  const { top, bottom, left, right } = edges(selection)
  return row >= top && row <= bottom ? { left, right } : { left: 0, right: -1 }
}

function positionOf(target: EventTarget): Position | null {
  const cell = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-row]') : null
  return cell ? { row: Number(cell.dataset.row), column: Number(cell.dataset.column) } : null
}
