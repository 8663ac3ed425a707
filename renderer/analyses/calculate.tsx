import { CircleAlert, Play, SquarePlus } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { AnalysisResult, AnalysisView } from '../../src/contract/analyses.ts'
import { AnalysisResult as ResultSchema } from '../../src/contract/analyses.ts'
import { checkInputs } from '../../src/contract/analysis-inputs.ts'
import type { Problem } from '../../src/contract/problem.ts'
import { reloadPath } from '../notebook/path-data.ts'
import { noteOwnRun } from '../review/asking.ts'
import { client, problemFrom } from '../state/connection.ts'
import { showProblem } from '../state/toasts.ts'
import { setView, useView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Words } from '../ui/words.tsx'
import styles from './analyses.module.css'
import { ResultChart } from './chart.tsx'
import { Field } from './field.tsx'
import form from './form.module.css'
import Result from './result.tsx'
import { filled, type Values } from './values.ts'
import { besideField, label } from './words.ts'

interface CalculateProps {
  readonly view: AnalysisView
  readonly values: Values
  onChange(values: Values): void
}

interface Done {
  readonly inputs: Record<string, unknown>
  readonly result: AnalysisResult
}

/** The form, its result beside the one before, and the way into the notebook. */
export function Calculate({ view, values, onChange }: CalculateProps) {
  const { definition, entry } = view
  const path = useView(state => state.path)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [busy, setBusy] = useState(false)
  const [done, setDone] = useState<Done | null>(null)
  const [before, setBefore] = useState<Done | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const outcome = useRef<HTMLDivElement>(null)
  // A long form would leave the result below the edge of the window, as if nothing had happened.
  useEffect(() => {
    if (done) outcome.current?.scrollIntoView({ block: 'nearest' })
  }, [done])
  const inputs = filled(values)
  const checked = useMemo(
    () => checkInputs(definition.inputs, withoutDate(definition.inputs, filled(values))),
    [definition, values],
  )
  const wrong = new Map(
    checked.ok ? [] : checked.problems.map(({ path: at, message }) => [at.split(/[.[]/)[0] ?? '', message]),
  )

  const calculate = async () => {
    setTouched(new Set(Object.keys(definition.inputs)))
    if (!checked.ok) return
    setBusy(true)
    setProblem(null)
    try {
      for await (const { rows } of await client.analyses.batch({ analysis: entry.id, rows: [inputs] })) {
        const [row] = rows
        if (!row) continue
        if ('error' in row) setProblem(row.error)
        else {
          setBefore(done)
          setDone({ inputs, result: ResultSchema.parse(row.output) })
        }
      }
    } catch (error) {
      setProblem(problemFrom(error))
    } finally {
      setBusy(false)
    }
  }
  const toNotebook = async () => {
    if (!path || !checked.ok) return
    const { cell, run } = await client.analyses.start({ analysis: entry.id, inputs, path })
    noteOwnRun(run)
    await reloadPath(path)
    setView({ place: 'notebook', selected: cell, editing: false })
  }
  const changed =
    before && done
      ? Object.keys({ ...before.inputs, ...done.inputs }).filter(
          name => JSON.stringify(before.inputs[name]) !== JSON.stringify(done.inputs[name]),
        )
      : []
  const first = checked.ok ? null : checked.problems[0]
  return (
    <form
      className={styles.calculate}
      onSubmit={event => {
        event.preventDefault()
        void calculate()
      }}
    >
      <div className={form.form}>
        {Object.entries(definition.inputs).map(([name, spec]) => (
          <Field
            key={name}
            name={name}
            spec={spec}
            value={values[name]}
            problem={touched.has(name) ? (wrong.get(name) ?? null) : null}
            onChange={value => {
              setTouched(new Set([...touched, name]))
              onChange({ ...values, [name]: value })
            }}
          />
        ))}
        {definition.as_of?.default && !definition.inputs.as_of && (
          <Field
            name="as_of"
            spec={{
              type: 'date',
              optional: true,
              help: `The day whose law counts; ${definition.as_of.default} where nothing is said.`,
            }}
            value={values.as_of}
            problem={null}
            onChange={value => onChange({ ...values, as_of: value })}
          />
        )}
      </div>
      <div className={form.actions}>
        <Button look="primary" type="submit" icon={<Play />} busy={busy}>
          Calculate
        </Button>
        <Button
          icon={<SquarePlus />}
          disabled={!path || !checked.ok}
          onClick={() => void toNotebook().catch(showProblem)}
        >
          Run in the notebook
        </Button>
        <Button look="quiet" onClick={() => onChange({})}>
          Clear
        </Button>
        {!path && <span className={styles.facts}>Open a conversation to put it on a path.</span>}
        {first && touched.size > 0 && <span className={styles.facts}>{besideField(first.path, first.message)}</span>}
      </div>
      {problem && (
        <p role="alert" className={styles.problem}>
          <CircleAlert aria-hidden size={16} /> {problem.message}{' '}
          <span>
            <Words text={problem.hint} />
          </span>
        </p>
      )}
      {done && (
        <div ref={outcome} className={styles.outcome}>
          {changed.length > 0 && before && (
            <p className={styles.facts}>
              Compared with the calculation before:{' '}
              {changed
                .map(name => `${label(name)} ${short(before.inputs[name])} → ${short(done.inputs[name])}`)
                .join(', ')}
            </p>
          )}
          <Result
            value={done.result}
            specs={definition.outputs}
            before={changed.length > 0 ? (before?.result ?? null) : null}
          />
          <ResultChart definition={definition} inputs={done.inputs} result={done.result} />
        </div>
      )}
    </form>
  )
}

/** `as_of` is checked by the engine where it is no input of the analysis. */
function withoutDate(specs: AnalysisView['definition']['inputs'], inputs: Record<string, unknown>) {
  if (specs.as_of) return inputs
  const { as_of: _, ...rest } = inputs
  return rest
}

const short = (value: unknown): string => {
  const text = value === undefined ? 'default' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
