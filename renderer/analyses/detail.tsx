import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AnalysisView } from '../../src/contract/analyses.ts'
import { StaticCode } from '../editor/static-code.tsx'
import { rpc } from '../state/queries.ts'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { type Tab, Tabbed } from '../ui/tabs.tsx'
import styles from './analyses.module.css'
import { BatchPanel } from './batch.tsx'
import { Calculate } from './calculate.tsx'
import { Readable } from './readable.tsx'
import type { Values } from './values.ts'
import { label, statusNames, unitName } from './words.ts'

type DetailTab = 'calculate' | 'batch' | 'law' | 'examples' | 'code'

/** One analysis: calculate, in one go or over a column; its law, examples and code. */
export function Detail({ id }: { id: string }) {
  const found = useQuery(rpc.analyses.show.queryOptions({ input: { id } }))
  const [tab, setTab] = useState<DetailTab>('calculate')
  const [values, setValues] = useState<Values>({})
  if (found.isError) return <ProblemView error={found.error} onRetry={() => found.refetch()} />
  if (!found.data) return <Loading />
  const view = found.data
  const use = (next: Values) => {
    setValues(next)
    setTab('calculate')
  }
  const tabs: readonly Tab<DetailTab>[] = [
    { id: 'calculate', title: 'Calculate', view: <Calculate view={view} values={values} onChange={setValues} /> },
    { id: 'batch', title: 'Batch', view: <BatchPanel view={view} fixed={values} /> },
    { id: 'law', title: 'Law', view: <Law view={view} /> },
    { id: 'examples', title: `Examples (${view.examples.length})`, view: <Examples view={view} onUse={use} /> },
    { id: 'code', title: 'Code', view: <StaticCode text={view.code} language="python" onPoint={() => undefined} /> },
  ]
  const { entry, definition } = view
  return (
    <Tabbed
      label={entry.title}
      tabs={tabs}
      value={tab}
      onChange={next => setTab(next)}
      look={{ list: styles.tabs, content: styles.content }}
      header={
        <header className={styles.head}>
          <h2>{entry.title}</h2>
          <p>{definition.summary}</p>
          <p className={styles.facts}>
            {entry.id} {entry.version} · {entry.jurisdiction}
            {entry.known && ` · law known from ${entry.known.from} to before ${entry.known.until}`}
            {entry.origin === 'own' && ' · your own analysis'}
            {entry.status !== 'enacted' && (
              <strong className={styles.warn}> · has {statusNames[entry.status]} values</strong>
            )}
          </p>
        </header>
      }
    />
  )
}

function Law({ view: { parameters, definition } }: { view: AnalysisView }) {
  return (
    <div className={styles.law}>
      {Object.entries(parameters.parameters).map(([name, { label: title, unit, values, known_until }]) => (
        <section key={name}>
          <h3>
            {title} <small>{unitName(unit)}</small>
          </h3>
          <ul>
            {values.map(({ from, to, value, cite, status }, at) => {
              const citation = parameters.citations[cite]
              const weak = status ?? citation?.status ?? 'unverified'
              return (
                <li key={from}>
                  <span>
                    {from} to before {to ?? values[at + 1]?.from ?? known_until}
                  </span>
                  <div>
                    <Readable value={value} />
                  </div>
                  <cite>
                    {[citation?.act, citation?.document, citation?.provision].filter(Boolean).join(', ')},{' '}
                    {citation?.publisher}
                    {weak !== 'enacted' && <strong className={styles.warn}> {statusNames[weak]}</strong>}
                  </cite>
                </li>
              )
            })}
          </ul>
        </section>
      ))}
      {Object.keys(parameters.parameters).length === 0 && (
        <p>This analysis has no values of the law; it is a method.</p>
      )}
      {definition.sources.length > 0 && <p>Sources: {definition.sources.join('; ')}</p>}
      {definition.notes.map(({ text, status }) => (
        <p key={text}>
          {text} {status && status !== 'enacted' && <strong className={styles.warn}>{statusNames[status]}</strong>}
        </p>
      ))}
      {definition.not_covered.length > 0 && <p>Not covered: {definition.not_covered.join('; ')}.</p>}
    </div>
  )
}

/** Enough to look at; the terminal has them all. */
const mostExamples = 200

function Examples({ view: { entry, examples }, onUse }: { view: AnalysisView; onUse(values: Values): void }) {
  return (
    <>
      <ul className={styles.examples}>
        {examples.slice(0, mostExamples).map(({ name, kind, source, input, output, refused }) => (
          <li key={name}>
            <button type="button" onClick={() => onUse(input)}>
              <strong>{name}</strong>
              <span>
                {kind}
                {source && ` · ${source.document}`}
              </span>
              <small>
                {refused
                  ? 'is refused'
                  : Object.entries(output ?? {})
                      .map(
                        ([key, value]) => `${label(key)} ${typeof value === 'object' ? JSON.stringify(value) : value}`,
                      )
                      .join(' · ')}
              </small>
            </button>
          </li>
        ))}
      </ul>
      {examples.length > mostExamples && (
        <p className={styles.facts}>
          The first {mostExamples} of {examples.length}; `countersign analyses show {entry.id} --json` has them all.
        </p>
      )}
    </>
  )
}
