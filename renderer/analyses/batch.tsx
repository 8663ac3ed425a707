import { CircleStop, Play } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { AnalysisView, BatchRow } from '../../src/contract/analyses.ts'
import { download } from '../home/upload.ts'
import { client } from '../state/connection.ts'
import { showProblem } from '../state/toasts.ts'
import { useView } from '../state/view.ts'
import { type Column, columnTable } from '../table/source.ts'
import { Table } from '../table/table.tsx'
import { Button } from '../ui/button.tsx'
import styles from './analyses.module.css'
import form from './form.module.css'
import { FromPath } from './from-path.tsx'
import { filled, mostRows, pastedRows, rowsFor, type Values } from './values.ts'
import { label } from './words.ts'

/** The same analysis over the rows of a table; what the form says counts for every row that has no value of its own. */
export function BatchPanel({ view, fixed }: { view: AnalysisView; fixed: Values }) {
  const { definition, entry } = view
  const path = useView(state => state.path)
  const plain = useMemo(
    () =>
      Object.fromEntries(
        Object.entries(definition.inputs).filter(([, { type }]) => !['table', 'list', 'record', 'map'].includes(type)),
      ),
    [definition],
  )
  const [rows, setRows] = useState<Record<string, string>[]>([])
  const [answers, setAnswers] = useState<BatchRow[]>([])
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null)
  const stop = useRef<AbortController | null>(null)

  const run = async () => {
    const abort = new AbortController()
    stop.current = abort
    setAnswers([])
    setProgress({ done: 0, total: rows.length })
    try {
      const common = filled(fixed)
      const whole = rows.map(row => ({ ...common, ...row }))
      const stream = await client.analyses.batch({ analysis: entry.id, path, rows: whole }, { signal: abort.signal })
      for await (const part of stream) {
        setProgress({ done: part.done, total: part.total })
        setAnswers(found => [...found, ...part.rows])
      }
    } catch (error) {
      if (!abort.signal.aborted) showProblem(error)
    } finally {
      stop.current = null
      setProgress(null)
    }
  }
  const tooMany = rows.length > mostRows
  const failed = answers.filter(answer => 'error' in answer).length
  return (
    <div className={styles.calculate}>
      <p className={styles.facts}>
        Paste rows with a header line of input names ({Object.keys(plain).slice(0, 6).join(', ')}
        {Object.keys(plain).length > 6 && ', …'}), or take columns from the path. Where a row leaves an input out, the
        value in the form is used.
      </p>
      <div className={form.field}>
        <textarea
          aria-label="Rows of the batch"
          rows={6}
          placeholder={`${Object.keys(plain).slice(0, 3).join('\t')}\n…`}
          onChange={event =>
            setRows(event.target.value.trim() === '' ? [] : rowsFor(plain, pastedRows(event.target.value)))
          }
        />
      </div>
      <div className={form.actions}>
        <FromPath columns={plain} title="Columns from the path…" onRows={setRows} />
        <Button
          look="primary"
          icon={<Play />}
          disabled={rows.length === 0 || tooMany || progress !== null}
          onClick={() => void run()}
        >
          {rows.length === 0 || tooMany ? 'Calculate' : `Calculate ${rows.length.toLocaleString('en')} rows`}
        </Button>
        {tooMany && (
          <span className={form.problem} role="alert">
            There are more than {mostRows.toLocaleString('en')} rows. Take a part of them, or use the terminal:
            countersign analyses run --jsonl
          </span>
        )}
        {progress && (
          <>
            <progress value={progress.done} max={progress.total} aria-label="Progress of the batch" />
            <span className={styles.facts}>
              {progress.done.toLocaleString('en')} of {progress.total.toLocaleString('en')}
            </span>
            <Button icon={<CircleStop />} onClick={() => stop.current?.abort()}>
              Cancel
            </Button>
          </>
        )}
        {!progress && answers.length > 0 && (
          <span className={styles.facts} role="status">
            {answers.length.toLocaleString('en')} rows calculated
            {failed > 0 && `, ${failed.toLocaleString('en')} refused`}
          </span>
        )}
      </div>
      {answers.length > 0 && <Answers view={view} rows={rows} answers={answers} />}
    </div>
  )
}

function Answers({
  view,
  rows,
  answers,
}: {
  view: AnalysisView
  rows: readonly Record<string, string>[]
  answers: readonly BatchRow[]
}) {
  const source = useMemo(() => {
    const given = [...new Set(rows.slice(0, 100).flatMap(row => Object.keys(row)))]
    const found = Object.entries(view.definition.outputs).filter(
      ([, { type }]) => !['table', 'list', 'record', 'map'].includes(type),
    )
    const columns: Column[] = [
      ...given.map((name): Column => ({ name: label(name), type: 'text', key: true })),
      ...found.map(
        ([name, { type }]): Column => ({
          name: label(name),
          type: ['money', 'number', 'rate', 'percent', 'integer'].includes(type) ? 'number' : 'text',
        }),
      ),
      { name: 'Problem', type: 'text' },
    ]
    const cell = (value: unknown, number: boolean) =>
      value === null || value === undefined ? null : number ? Number(value) : String(value)
    const values = [
      ...given.map(name => answers.map(({ row }) => rows[row]?.[name] ?? null)),
      ...found.map(([name], at) =>
        answers.map(answer =>
          'output' in answer ? cell(answer.output[name], columns[given.length + at]?.type === 'number') : null,
        ),
      ),
      answers.map(answer => ('error' in answer ? answer.error.message : null)),
    ]
    return columnTable(columns, values)
  }, [view, rows, answers])
  return <Table source={source} name={`${view.entry.id} batch`} onSave={download} />
}
