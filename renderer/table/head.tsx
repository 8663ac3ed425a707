// biome-ignore-all lint/a11y/useSemanticElements: a table element cannot leave out the rows that are not in sight.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active cell.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: Enter on the active header sorts, Alt and the arrows resize, in the grid's own keys.
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type PointerEvent, type Ref, useRef } from 'react'
import { alignsRight } from './format.ts'
import type { TableSource } from './source.ts'
import styles from './table.module.css'
import type { TableView } from './view.ts'

interface GridHeadProps {
  readonly ref: Ref<HTMLDivElement>
  readonly id: string
  readonly source: TableSource
  readonly view: TableView
  readonly filtering: boolean
  readonly gutter: number
  readonly shown: { readonly from: number; readonly to: number }
  readonly at: readonly number[]
  /** The column of the header that has the focus. */
  readonly active: number | undefined
  resize(column: number, by: number): void
  fit(column: number): void
}

/** Names, sort marks, widths and filters of the columns in sight. */
export function GridHead(props: GridHeadProps) {
  const { id, source, view, at, shown, gutter } = props
  const columns = source.columns.slice(shown.from, shown.to)
  const width = (index: number) => (at[index + 1] ?? 0) - (at[index] ?? 0)
  return (
    <div ref={props.ref} role="rowgroup" className={styles.head} style={{ width: (at.at(-1) ?? 0) + gutter }}>
      <div role="row" aria-rowindex={1} className={styles.row}>
        <div role="columnheader" aria-colindex={1} className={styles.corner} style={{ width: gutter }}>
          <span className="visually-hidden">Row</span>
        </div>
        <div aria-hidden className={styles.spacer} style={{ width: at[shown.from] ?? 0 }} />
        {columns.map((column, offset) => {
          const index = shown.from + offset
          const sort = view.sort?.column === index ? view.sort : undefined
          return (
            <div
              key={index}
              id={`${id}--1-${index}`}
              role="columnheader"
              aria-colindex={index + 2}
              aria-sort={sort ? (sort.descending ? 'descending' : 'ascending') : 'none'}
              className={styles.name}
              style={{ width: width(index) }}
              title={`${column.name} · ${column.type}`}
              data-right={alignsRight(column) || undefined}
              data-focus={props.active === index || undefined}
              onClick={() => view.toggleSort(index)}
            >
              <span className={styles.nameText}>{column.name}</span>
              {sort && (sort.descending ? <ArrowDown aria-hidden size={12} /> : <ArrowUp aria-hidden size={12} />)}
              <Edge onResize={by => props.resize(index, by)} onFit={() => props.fit(index)} />
            </div>
          )
        })}
      </div>
      {props.filtering && (
        <div role="row" className={styles.row}>
          <div aria-hidden className={styles.corner} style={{ width: gutter }} />
          <div aria-hidden className={styles.spacer} style={{ width: at[shown.from] ?? 0 }} />
          {columns.map((column, offset) => {
            const index = shown.from + offset
            return (
              <div
                key={index}
                role="gridcell"
                aria-colindex={index + 2}
                className={styles.filter}
                style={{ width: width(index) }}
              >
                <input
                  aria-label={`Filter ${column.name}`}
                  placeholder={column.type === 'number' ? '> 0, 1..9' : 'contains'}
                  value={view.typed.get(index) ?? ''}
                  onChange={event => view.filter(index, event.target.value)}
                  spellCheck={false}
                />
              </div>
            )
          })}
        </div>
      )}
    </div>
  )
}

/** The line between two columns: drag it, or click twice to fit the column to its values. */
function Edge({ onResize, onFit }: { onResize(by: number): void; onFit(): void }) {
  const last = useRef<number | null>(null)
  const drag = (event: PointerEvent) => {
    if (last.current === null) return
    onResize(event.clientX - last.current)
    last.current = event.clientX
  }
  return (
    <span
      aria-hidden
      className={styles.edge}
      onClick={event => event.stopPropagation()}
      onDoubleClick={onFit}
      onPointerDown={event => {
        event.stopPropagation()
        event.currentTarget.setPointerCapture(event.pointerId)
        last.current = event.clientX
      }}
      onPointerMove={drag}
      onPointerUp={() => {
        last.current = null
      }}
    />
  )
}
