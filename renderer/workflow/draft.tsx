import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { WorkflowId } from '../../src/contract/ids.ts'
import type { GraphFault } from '../../src/contract/workflow.ts'
import { client, problemFrom } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { useView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { TaskGraph } from './graph.tsx'
import styles from './workflow.module.css'

export const example = `name: Stress test
tasks:
  shock:
    type: code_execution
    language: python
    code: |
      import json
      json.dump({"cet1": 12.91 - 0.4}, open("outputs.json", "w"))
    outputs: { cet1: number }
  report:
    type: code_execution
    language: python
    inputs: { cet1: { from: shock.cet1, type: number } }
    code: |
      import json
      cet1 = json.load(open("inputs.json"))["cet1"]
      open("report.txt", "w").write(f"CET1 {cet1:.2f} %")
`

interface DraftProps {
  readonly text: string
  onText(text: string): void
  onStarted(id: WorkflowId): void
}

interface Refusal {
  readonly text: string
  readonly faults: readonly GraphFault[]
}

/** A graph as text, with what is wrong on its line and how it would be drawn, before anything is started. */
export function Draft({ text, onText, onStarted }: DraftProps) {
  const [busy, setBusy] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)
  const path = useView(view => view.path)
  const settled = useSettled(text)
  const checked = useQuery({
    ...rpc.workflow.check.queryOptions({ input: { source: settled } }),
    placeholderData: before => before,
  })
  /** What a start was refused for, which only looking at the code and at this machine tells. */
  const [refused, setRefused] = useState<Refusal>({ text: '', faults: [] })
  const wrong = checked.data?.faults ?? []
  const faults = wrong.length === 0 && refused.text === text ? refused.faults : wrong
  const tasks = (checked.data?.layers ?? []).flatMap((names, layer) =>
    names.map(name => ({ name, layer, needs: checked.data?.needs[name] ?? [], state: 'pending' as const })),
  )
  const start = async () => {
    if (!path) return
    setBusy(true)
    setRefused({ text: '', faults: [] })
    try {
      onStarted((await client.workflow.start({ path, source: text })).id)
    } catch (error) {
      const isRefused = problemFrom(error).code === 'workflow.invalid'
      const found = isRefused ? (await client.workflow.check({ source: text, path })).faults : []
      if (found.length > 0) setRefused({ text, faults: found })
      else showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  const fromCells = async () => path && onText((await client.workflow.fromPath({ path })).source)
  return (
    <div className={styles.workflow}>
      <header>
        <div>
          <h2>New workflow</h2>
          <p>
            {path
              ? 'It works on the files of the path that is open.'
              : 'Open a conversation first: a workflow works on the files of a path.'}
          </p>
        </div>
        <div className={styles.actions}>
          <Button disabled={!path} onClick={() => void Promise.resolve(fromCells()).catch(showProblem)}>
            From the cells of this path
          </Button>
          <Button
            look="primary"
            busy={busy}
            disabled={!path || wrong.length > 0 || settled !== text || checked.isFetching}
            onClick={() => void start().catch(showProblem)}
          >
            Start
          </Button>
        </div>
      </header>
      <div className={styles.halves}>
        <label className={styles.source}>
          <span className="visually-hidden">Graph as text</span>
          <textarea ref={area} spellCheck={false} value={text} onChange={event => onText(event.target.value)} />
        </label>
        {tasks.length > 0 && <TaskGraph tasks={tasks} selected={null} onSelect={() => undefined} />}
      </div>
      <ul className={styles.faults} aria-live="polite">
        {faults.map(({ message, line }) => (
          <li key={`${line} ${message}`}>
            {line === null ? (
              message
            ) : (
              <button type="button" onClick={() => markLine(area.current, line)}>{`Line ${line}: ${message}`}</button>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** A text as it is once nobody types: to read one of 500 tasks takes a tenth of a second, too long for every key. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 150)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/** The text has no numbers beside its lines: the one that is meant is marked, and in sight. */
function markLine(area: HTMLTextAreaElement | null, line: number): void {
  if (!area) return
  const before = area.value
    .split('\n')
    .slice(0, line - 1)
    .join('\n')
  const from = line === 1 ? 0 : before.length + 1
  const end = area.value.indexOf('\n', from)
  area.focus()
  area.setSelectionRange(from, end < 0 ? area.value.length : end)
}
