import { ChevronRight, Scale } from 'lucide-react'
import { useState } from 'react'
import { AnalysisResult, type AnalysisStep, type OutputSpec, type UsedParameter } from '../../src/contract/analyses.ts'
import { Readable } from './readable.tsx'
import styles from './result.module.css'
import { difference, figure, label, sectionsShared, statusNames } from './words.ts'

interface ResultProps {
  readonly value: unknown
  /** What the outputs are, where the definition is at hand. */
  readonly specs?: Readonly<Record<string, OutputSpec>>
  /** An earlier result to compare with. */
  readonly before?: AnalysisResult | null
}

/** Figures first, then how they came about and the law behind them. */
export default function Result({ value, specs = {}, before = null }: ResultProps) {
  const [law, setLaw] = useState<string | null>(null)
  const parsed = AnalysisResult.safeParse(value)
  if (!parsed.success) return <p className={styles.note}>This result cannot be read.</p>
  const { analysis, version, folder_sha256, as_of, status, parameters_used, steps, ...outputs } = parsed.data
  const own = typeof outputs.own_code_sha256 === 'string'
  const entries = Object.entries(outputs).filter(([name]) => name !== 'own_code_sha256')
  const plain = entries.filter(([, each]) => typeof each !== 'object' || each === null)
  const tables = entries.filter(([, each]) => typeof each === 'object' && each !== null)
  return (
    <section className={styles.result} aria-label={`Result of ${analysis}`}>
      <dl className={styles.figures}>
        {plain.map(([name, each]) => (
          <div key={name} data-kind={each === true ? 'yes' : each === false ? 'no' : undefined}>
            <dt>{label(specs[name]?.type === 'percent' ? name.replace(/_percent$/, '') : name)}</dt>
            <dd>
              {figure(each, specs[name])}
              {before && <Change from={before[name]} to={each} />}
            </dd>
          </div>
        ))}
      </dl>
      {tables.map(([name, each]) => (
        <Nested key={name} name={name} value={each} />
      ))}
      {steps.length > 0 && <Steps steps={steps} used={parameters_used} onLaw={setLaw} />}
      {parameters_used.length > 0 && (
        <details
          className={styles.law}
          open={law !== null}
          onToggle={event => !event.currentTarget.open && setLaw(null)}
        >
          <summary>
            <ChevronRight aria-hidden size={14} />
            <Scale aria-hidden size={14} /> The law behind these figures ({parameters_used.length})
          </summary>
          <Law used={parameters_used} marked={law} />
        </details>
      )}
      <p className={styles.note}>
        {analysis} {version}
        {as_of && ` · law as of ${as_of}`} · sha256 {folder_sha256.slice(0, 12)}…
        {own && <strong> · code of the analyst, not of the catalogue</strong>}
        {status !== 'enacted' && <span className={styles.warn}> · rests on {statusNames[status]} values</span>}
      </p>
    </section>
  )
}

function Change({ from, to }: { from: unknown; to: unknown }) {
  const text = difference(from ?? null, to ?? null)
  if (text === null || text === '=') return null
  return <small className={styles.change}> {text}</small>
}

function Steps({
  steps,
  used,
  onLaw,
}: {
  steps: readonly AnalysisStep[]
  used: readonly UsedParameter[]
  onLaw(provision: string): void
}) {
  return (
    <table className={styles.steps}>
      <caption className="visually-hidden">Steps of the calculation</caption>
      <thead>
        <tr>
          <th scope="col">Step</th>
          <th scope="col" className={styles.number}>
            Figure
          </th>
          <th scope="col">Provision</th>
        </tr>
      </thead>
      <tbody>
        {steps.map((step, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a result never change their places
          <tr key={at}>
            <td>{step.label}</td>
            <td className={styles.number}>{figure(step.figure)}</td>
            <td>
              {step.provision && used.length > 0 ? (
                <button
                  type="button"
                  className={styles.provision}
                  title="Show the law behind this figure"
                  onClick={() => onLaw(step.provision ?? '')}
                >
                  {step.provision}
                </button>
              ) : (
                step.provision
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Values of the law that were used; those that a provision speaks of come first. */
function Law({ used, marked }: { used: readonly UsedParameter[]; marked: string | null }) {
  const shared = new Map(used.map(each => [each, marked === null ? 0 : sectionsShared(marked, each.citation)]))
  const ordered = [...used].sort((a, b) => (shared.get(b) ?? 0) - (shared.get(a) ?? 0))
  return (
    <ul className={styles.values}>
      {ordered.map(each => (
        <li key={each.name} data-marked={(shared.get(each) ?? 0) > 0}>
          <strong>{each.label}</strong> <Readable value={each.value} />
          <span>
            {each.from} to before {each.to} · {each.citation}
            {each.publisher && `, ${each.publisher}`}
            {each.status !== 'enacted' && <em className={styles.warn}> {statusNames[each.status]}</em>}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** A table or record among the outputs, the first hundred rows of it. */
function Nested({ name, value }: { name: string; value: unknown }) {
  const rows: unknown[] = Array.isArray(value) ? value : []
  const isTable = rows.length > 0 && rows.every(row => typeof row === 'object' && row !== null && !Array.isArray(row))
  const columns = isTable ? [...new Set(rows.slice(0, 100).flatMap(row => Object.keys(row as object)))] : []
  if (!isTable) {
    return (
      <details className={styles.nested}>
        <summary>
          <ChevronRight aria-hidden size={14} />
          {label(name)}
        </summary>
        <Readable value={value} />
      </details>
    )
  }
  return (
    <details className={styles.nested} open={rows.length <= 12}>
      <summary>
        <ChevronRight aria-hidden size={14} />
        {label(name)} ({rows.length})
      </summary>
      <table className={styles.steps}>
        <thead>
          <tr>
            {columns.map(column => (
              <th key={column} scope="col">
                {label(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, 100).map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a result never change their places
            <tr key={at}>
              {columns.map(column => (
                <td key={column}>
                  <Readable value={(row as Record<string, unknown>)[column]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > 100 && <p className={styles.note}>The first 100 of {rows.length} rows.</p>}
    </details>
  )
}
