import { memo, useEffect, useRef, useState } from 'react'
import { analysisMarker } from '../../src/contract/analyses.ts'
import type { Cell } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import type { LiveRun, RunView } from '../../src/contract/runs.ts'
import { useChat } from '../chat/state.ts'
import { CodeEditor } from '../editor/code-editor.tsx'
import { StaticCode } from '../editor/static-code.tsx'
import { expectEditor } from '../editor/type-ahead.ts'
import { MarkdownText } from '../output/markdown.tsx'
import { useCellRun } from '../state/runs.ts'
import { setView } from '../state/view.ts'
import { onRightClick } from '../ui/menu.tsx'
import { select } from './actions.ts'
import styles from './cell.module.css'
import { CellHeader } from './cell-header.tsx'
import { CellOutputs } from './cell-outputs.tsx'
import { useDropTarget } from './drag.ts'
import { useFolds } from './folds.ts'
import { useFollowFocus } from './follow-focus.ts'
import { outputActions } from './output-actions.ts'
import { typed, typedText, useTimesGivenUp } from './typing.ts'

interface CellProps {
  readonly path: PathId
  readonly cell: Cell
  /** Which item of the path it is, counted from one. */
  readonly place: number
  readonly selected: boolean
  readonly editing: boolean
  readonly readOnly: boolean
}

/** A cell: what it is, its code, what came of it. The live editor exists only while somebody types. */
export const CellView = memo(function CellView({ path, cell, place, selected, editing, readOnly }: CellProps) {
  const box = useRef<HTMLElement>(null)
  const live = useCellRun(path, cell.id)
  // What the assistant ran well in this conversation is one line; what failed, waits or was changed stays open.
  const isOfTurn = useChat(path, ({ partsOf }) => partsOf.has(cell.id)) ?? false
  const isFoldedAtFirst = isOfTurn && cell.lastRun?.success === true && !cell.lastRun.stale
  const folded = useFolds(state => state.folded.has(cell.id)) !== (isFoldedAtFirst && !editing)
  const drop = useDropTarget(path, cell.id)
  useFollowFocus(box, selected, editing)
  const isMarkdown = cell.language === 'markdown'
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard selects cells by its own commands
    <section
      ref={box}
      className={[styles.cell, selected && styles.selected, editing && styles.editing, drop.mark]
        .filter(Boolean)
        .join(' ')}
      aria-label={`${isMarkdown ? 'Markdown' : `${cell.language} cell`} ${place}${selected ? ', selected' : ''}`}
      data-cell={cell.id}
      data-item
      tabIndex={selected ? 0 : -1}
      onClick={() => !selected && select(cell.id)}
      onContextMenu={onRightClick}
      {...drop.handlers}
    >
      <CellHeader path={path} cell={cell} live={live} readOnly={readOnly} selected={selected} />
      {folded ? (
        <p className={styles.folded}>{cell.text.split('\n')[0] || 'empty'} …</p>
      ) : isMarkdown && !editing ? (
        <Markdown path={path} cell={cell} readOnly={readOnly} />
      ) : (
        <Code path={path} cell={cell} editing={editing} readOnly={readOnly} live={live} />
      )}
      {!isMarkdown && !folded && <CellOutputs path={path} cell={cell} live={live} />}
    </section>
  )
})

function Markdown({ path, cell, readOnly }: { path: PathId; cell: Cell; readOnly: boolean }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter edits too, by its command
    <div className={styles.markdown} onDoubleClick={() => !readOnly && select(cell.id, true)}>
      {cell.text.trim() ? (
        <MarkdownText text={cell.text} actions={outputActions(path, cell.id)} />
      ) : (
        <p className={styles.placeholder}>Empty Markdown. Press Enter to write.</p>
      )}
    </div>
  )
}

function Code({
  path,
  cell,
  editing,
  readOnly,
  live,
}: Omit<CellProps, 'place' | 'selected'> & { live: LiveRun | null }) {
  const [text, setText] = useState(() => typedText(cell))
  const point = useRef<{ x: number; y: number } | null>(null)
  const givenUp = useTimesGivenUp(cell.id)
  // biome-ignore lint/correctness/useExhaustiveDependencies: given up, the text on the record is shown though it is the same
  useEffect(() => setText(typedText(cell)), [cell, givenUp])
  const mistake = useMistake(live, text)
  if (!editing) {
    const code = (
      <StaticCode
        text={text}
        language={cell.language}
        mistake={mistake}
        onPoint={(x, y) => {
          if (readOnly) return
          point.current = { x, y }
          expectEditor()
          select(cell.id, true)
        }}
      />
    )
    if (!text.startsWith(analysisMarker)) return code
    // Its program is long and mostly not the analyst's: the result is what one looks for.
    return (
      <details className={styles.program}>
        <summary>{text.slice(2, text.indexOf('\n')).replace(/ [0-9a-f]{64}/, '')}</summary>
        {code}
      </details>
    )
  }
  return (
    <CodeEditor
      value={text}
      language={cell.language}
      label={`${cell.language} code`}
      path={path}
      mistake={mistake}
      focused
      onMount={editor => {
        const pointed = point.current && editor.getTargetAtClientPoint(point.current.x, point.current.y)?.position
        // By keyboard one goes on where the text ends.
        const at = pointed ?? editor.getModel()?.getFullModelRange().getEndPosition()
        if (at) editor.setPosition(at)
        point.current = null
      }}
      onChange={next => {
        setText(next)
        typed(path, cell, next)
      }}
      onEscape={() => {
        setView({ editing: false })
        ;(document.activeElement as HTMLElement | null)?.blur()
      }}
    />
  )
}

/** The line that the compiler rejected, until its cell is changed. */
function useMistake(live: LiveRun | null, text: string): number | null {
  const line = live ? rejectedLine(live.view) : null
  const run = line === null ? null : (live?.view.run ?? null)
  const [seen, setSeen] = useState<{ run: string; text: string } | null>(null)
  if (run !== null && seen?.run !== run) setSeen({ run, text })
  return seen?.run === run && seen?.text === text ? line : null
}

/** By the compiler that was asked before the run, or by the one that had to run it. */
function rejectedLine({ state, inspection, outcome }: RunView): number | null {
  if (state === 'refused') return inspection?.syntaxError?.line ?? null
  return outcome?.error?.kind === 'syntax' ? (outcome.error.line ?? null) : null
}
