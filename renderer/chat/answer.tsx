import type { Root } from 'hast'
import { ChevronRight, Wrench } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import type { Part } from '../../src/contract/chat.ts'
import type { Message } from '../../src/contract/conversations.ts'
import type { CellId, PathId } from '../../src/contract/ids.ts'
import { insertItem, select } from '../notebook/actions.ts'
import { outputActions } from '../notebook/output-actions.ts'
import { MarkdownText } from '../output/markdown.tsx'
import { showProblem } from '../state/toasts.ts'
import styles from './answer.module.css'
import { figureLink, onScreen, withFigures, withValues } from './figures.ts'
import { useChat } from './state.ts'

const noParts: readonly Part[] = []
const noValues: Readonly<Record<string, string>> = {}

/** What the assistant said: figures lead to their cells, private values are put back, tools are folded. */
export function Answer({ path, message }: { path: PathId; message: Message }) {
  const own = useChat(path, ({ partsOf }) => partsOf.get(message.id))
  const turn = useChat(path, ({ turnOf, lastOf }) =>
    own && lastOf.get(own.turn) === message.id ? turnOf.get(own.turn) : undefined,
  )
  const values = useChat(path, chat => chat.values) ?? noValues
  const parts = own?.parts ?? noParts
  const found = parts.findLast(part => part.kind === 'figures')
  const figures = found?.kind === 'figures' && found.length === message.text.length ? found.figures : []
  const actions = useMemo(
    () => ({
      ...outputActions(path, message.id as never),
      onUseCode: (code: string, language: string) =>
        void insertItem(path, message.id, {
          kind: 'cell',
          author: 'analyst',
          language: language || 'python',
          text: code,
        }).catch(showProblem),
    }),
    [path, message.id],
  )
  const adapt = useCallback((tree: Root) => onScreen(tree, values), [values])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links inside are what has the focus and the role
    // biome-ignore lint/a11y/useKeyWithClickEvents: a link that has the focus is clicked by Enter
    <div
      className={styles.answer}
      onClick={event => {
        const link = event.target instanceof Element ? event.target.closest('a') : null
        const href = link?.getAttribute('href') ?? ''
        if (!href.startsWith(figureLink)) return
        event.stopPropagation()
        select(href.slice(figureLink.length) as CellId)
      }}
    >
      <Reasoning parts={parts} values={values} />
      {message.text.trim() !== '' && (
        <MarkdownText text={withFigures(message.text, figures)} actions={actions} adapt={adapt} />
      )}
      <Looks parts={parts} values={values} />
      {turn && (
        <p className={styles.facts}>
          {turn.providerName} · {turn.modelVersion ?? turn.model.model}
          {turn.cost ? ` · $${turn.cost.toFixed(4)}` : ''}
          {turn.leftOut > 0 && ` · ${turn.leftOut} earlier items did not fit and were not sent`}
        </p>
      )}
    </div>
  )
}

function Reasoning({ parts, values }: { parts: readonly Part[]; values: Readonly<Record<string, string>> }) {
  const thought = parts.flatMap(part => (part.kind === 'reasoning' ? [part.text] : []))
  if (thought.length === 0) return null
  return (
    <details className={styles.folded}>
      <summary>
        <ChevronRight aria-hidden /> Reasoning
      </summary>
      <p>{withValues(thought.join('\n\n'), values)}</p>
    </details>
  )
}

/** Calls that made no cell: what was looked at, and what a cut stream left of a call. */
function Looks({ parts, values }: { parts: readonly Part[]; values: Readonly<Record<string, string>> }) {
  return parts.map((part, at) => {
    if (part.kind === 'attachment')
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts never move
        <p key={at} className={styles.facts}>
          Attached {part.file} ({part.bytes.toLocaleString('en')} bytes)
        </p>
      )
    if (part.kind !== 'call' && part.kind !== 'unfinished') return null
    const result = part.kind === 'call' ? parts.find(each => each.kind === 'result' && each.call === part.call) : null
    const state =
      part.kind === 'unfinished' ? 'was cut off and not run' : result?.kind === 'result' && result.ok ? '' : 'failed'
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts never move
      <details key={at} className={styles.folded}>
        <summary>
          <ChevronRight aria-hidden />
          <Wrench aria-hidden /> {part.tool} {state && <span className={styles.bad}>{state}</span>}
        </summary>
        <pre>{withValues(part.kind === 'call' ? part.input : part.text, values)}</pre>
        {result?.kind === 'result' && <pre>{withValues(result.text, values)}</pre>}
      </details>
    )
  })
}
