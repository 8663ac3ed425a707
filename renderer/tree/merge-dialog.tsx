import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { ItemId, PathSummary } from '../../src/contract/conversations.ts'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { settle } from '../notebook/typing.ts'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { setView, useView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loading } from '../ui/loading.tsx'
import styles from './merge-dialog.module.css'
import { showMerged, targetsOf } from './merged.ts'

type Mode = 'whole' | 'selected' | 'summary'

const modes: Record<Mode, { label: string; text: string }> = {
  whole: { label: 'Everything', text: 'All that this path added or changed.' },
  selected: { label: 'Selected items', text: 'Only the messages and cells that you tick.' },
  summary: { label: 'A summary', text: 'One message that says what the path asked and found.' },
}

/** Into which path, and what of it. Merging ends the source's sandbox; its messages stay where they are. */
export function MergeDialog({ conversation }: { conversation: ConversationId }) {
  const merge = useView(view => view.merge)
  const tree = useQuery(rpc.conversations.tree.queryOptions({ input: conversation }))
  if (!merge || !tree.data) return null
  const source = tree.data.paths.find(path => path.id === merge.source)
  return source ? (
    <Ask key={source.id} conversation={conversation} source={source} first={merge.target} paths={tree.data.paths} />
  ) : null
}

function Ask({
  conversation,
  source,
  first,
  paths,
}: {
  conversation: ConversationId
  source: PathSummary
  first: PathId | null
  paths: readonly PathSummary[]
}) {
  const targets = targetsOf(source, paths)
  const [target, setTarget] = useState<PathId | null>(first ?? source.shownUnder ?? targets[0]?.id ?? null)
  const [mode, setMode] = useState<Mode>('whole')
  const [items, setItems] = useState<ReadonlySet<ItemId>>(new Set())
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const name = useId()
  const close = () => setView({ merge: null })
  const go = async () => {
    if (!target) return
    setBusy(true)
    await settle(source.id)
    const what =
      mode === 'selected'
        ? { mode, items: [...items] }
        : mode === 'summary'
          ? { mode, ...(text.trim() ? { text } : {}) }
          : { mode }
    const result = await client.paths.merge({ source: source.id, target, what })
    close()
    await showMerged(conversation, source, target, result)
  }
  return (
    <Dialog
      open
      onClose={close}
      title={`Merge “${source.name}”`}
      description="Its messages and cells stay on record; its sandbox ends."
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            look="primary"
            busy={busy}
            disabled={!target || (mode === 'selected' && items.size === 0)}
            onClick={() =>
              void go()
                .catch(showProblem)
                .finally(() => setBusy(false))
            }
          >
            Merge
          </Button>
        </>
      }
    >
      <label className={styles.target}>
        Into
        <select value={target ?? ''} onChange={event => setTarget(event.target.value as PathId)}>
          {targets.map(path => (
            <option key={path.id} value={path.id}>
              {path.name}
            </option>
          ))}
        </select>
      </label>
      <fieldset className={styles.modes}>
        <legend>What</legend>
        {(Object.keys(modes) as Mode[]).map(each => (
          <label key={each}>
            <input type="radio" name={name} checked={mode === each} onChange={() => setMode(each)} />
            <span>
              <strong>{modes[each].label}</strong> {modes[each].text}
            </span>
          </label>
        ))}
      </fieldset>
      {mode === 'selected' && <Choice path={source.id} chosen={items} onChange={setItems} />}
      {mode === 'summary' && (
        <textarea
          className={styles.summary}
          aria-label="Summary"
          rows={5}
          placeholder="Leave it empty to have one put together from what the path asked and found."
          value={text}
          onChange={event => setText(event.target.value)}
        />
      )}
    </Dialog>
  )
}

function Choice({
  path,
  chosen,
  onChange,
}: {
  path: PathId
  chosen: ReadonlySet<ItemId>
  onChange(items: ReadonlySet<ItemId>): void
}) {
  const opened = useQuery(rpc.paths.open.queryOptions({ input: { path } }))
  if (!opened.data) return <Loading />
  const own = opened.data.items.filter(item => !item.inherited)
  if (own.length === 0) return <p className={styles.none}>This path has nothing of its own yet.</p>
  return (
    <ul className={styles.items}>
      {own.map(item => (
        <li key={item.id}>
          <label>
            <input
              type="checkbox"
              checked={chosen.has(item.id)}
              onChange={event => {
                const next = new Set(chosen)
                if (event.target.checked) next.add(item.id)
                else next.delete(item.id)
                onChange(next)
              }}
            />
            <code>{item.text.split('\n').find(line => line.trim()) ?? 'empty'}</code>
          </label>
        </li>
      ))}
    </ul>
  )
}
