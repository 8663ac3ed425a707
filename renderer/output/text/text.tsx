// biome-ignore-all lint/suspicious/noArrayIndexKey: a row's name is its number.
import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronsDownUp, ChevronsUpDown, Save } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { OutputActions } from '../actions.ts'
import { foldOf } from './fold.ts'
import { Line } from './lines.tsx'
import { findCellLinks } from './links.ts'
import { rowText, Terminal } from './terminal.ts'
import styles from './text.module.css'

export interface TextProps {
  readonly chunks: readonly string[]
  /** What the text is, for screen readers. */
  readonly label: string
  readonly tone?: 'plain' | 'stderr'
  /** Makes places in the cell links. */
  readonly linked?: boolean
  /** More was printed than these lines. */
  readonly isCut?: boolean
  readonly actions: OutputActions
}

/** Text as a terminal shows it; long text is folded, and virtual once it is unfolded. */
export function Text({ chunks, label, tone = 'plain', linked = false, isCut = false, actions }: TextProps) {
  const terminal = useTerminal(chunks)
  const [open, setOpen] = useState(false)
  const fold = foldOf(terminal)
  const onOpenLine = linked ? actions.onOpenLine : undefined
  const hasPlaces = onOpenLine !== undefined && chunks.some(chunk => findCellLinks(chunk).length > 0)
  const rows = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, offset) => {
      const row = terminal.row(from + offset)
      return row && <Line key={from + offset} row={row} onOpenLine={onOpenLine} />
    })
  const count = `${terminal.lineCount.toLocaleString('en')} ${terminal.lineCount === 1 ? 'line' : 'lines'}`
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div
      className={styles.text}
      data-tone={tone}
      data-linked={hasPlaces || undefined}
      role="group"
      aria-label={label}
      // What scrolls must be reachable by keyboard.
      tabIndex={hasPlaces ? 0 : undefined}
    >
      {!fold && rows(0, terminal.rowCount)}
      {fold && !open && rows(0, fold.head)}
      {fold && (
        <div className={styles.fold} data-open={open || undefined}>
          <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? <ChevronsDownUp aria-hidden size={13} /> : <ChevronsUpDown aria-hidden size={13} />}
            {open ? `Fold ${count}` : `Show ${isCut ? 'the first' : 'all'} ${count}`}
          </button>
          <button
            type="button"
            onClick={() =>
              actions.onSave('output.txt', 'text/plain', new Blob(plain(terminal), { type: 'text/plain' }))
            }
          >
            <Save aria-hidden size={13} /> Save
          </button>
        </div>
      )}
      {fold && !open && rows(terminal.rowCount - fold.tail, terminal.rowCount)}
      {fold && open && <LongText {...{ terminal, label, onOpenLine }} />}
    </div>
  )
}

/** The tallest element that browsers lay out holds about this many rows; what lies beyond can be saved. */
const mostRows = 500_000

function LongText(props: { terminal: Terminal; label: string; onOpenLine: OutputActions['onOpenLine'] | undefined }) {
  const scroller = useRef<HTMLDivElement>(null)
  const count = Math.min(props.terminal.rowCount, mostRows)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => 20,
    overscan: 20,
  })
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms. */}
      <div ref={scroller} className={styles.long} role="group" tabIndex={0} aria-label={`${props.label}, all lines`}>
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          <div
            className={styles.window}
            style={{ transform: `translateY(${virtual.getVirtualItems()[0]?.start ?? 0}px)` }}
          >
            {virtual.getVirtualItems().map(item => {
              const row = props.terminal.row(item.index)
              return (
                <div key={item.key} data-index={item.index} ref={virtual.measureElement}>
                  {row && <Line row={row} onOpenLine={props.onOpenLine} />}
                </div>
              )
            })}
          </div>
        </div>
      </div>
      {props.terminal.rowCount > count && (
        <p className={styles.more}>The rest is too long for a screen. Save it to read on.</p>
      )}
    </>
  )
}

/** Read in one go; more would be felt as a pause. */
const mostAtOnce = 250_000

/**
 * Keeps a terminal and gives it only what is new, so that a run that writes all day costs what it writes; a large text
 * is read in slices, between which the window is free.
 */
function useTerminal(chunks: readonly string[]): Terminal {
  const kept = useRef<{ terminal: Terminal; read: string[] }>(null)
  const [, goOn] = useState(0)
  const isSame = kept.current?.read.every((text, index, all) => {
    const now = chunks[index]
    return now === text || (index === all.length - 1 && now?.startsWith(text))
  })
  if (!kept.current || !isSame) kept.current = { terminal: new Terminal(), read: [] }
  const { terminal, read } = kept.current
  let room = mostAtOnce
  for (let index = Math.max(0, read.length - 1); index < chunks.length && room > 0; index++) {
    const chunk = chunks[index] ?? ''
    const from = read[index]?.length ?? 0
    const next = chunk.slice(from, from + room)
    if (next) terminal.write(next)
    room -= next.length
    read[index] = chunk.slice(0, from + next.length)
  }
  const isBehind = read.length < chunks.length || (read.at(-1)?.length ?? 0) < (chunks.at(-1)?.length ?? 0)
  useEffect(() => {
    if (!isBehind) return
    const timer = setTimeout(() => goOn(turn => turn + 1))
    return () => clearTimeout(timer)
  })
  return terminal
}

function plain(terminal: Terminal): string[] {
  return terminal.rows().map((row, index) => (index > 0 && !row.wrapped ? `\n${rowText(row)}` : rowText(row)))
}
