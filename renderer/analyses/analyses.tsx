import { useQuery } from '@tanstack/react-query'
import { Calculator, Search } from 'lucide-react'
import { useState } from 'react'
import { type AnalysisEntry, type AnalysisType, analysisTypes } from '../../src/contract/analyses.ts'
import { rpc } from '../state/queries.ts'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import styles from './analyses.module.css'
import { Detail } from './detail.tsx'
import { statusNames, typeNames } from './words.ts'

/** The catalogue on one side, the chosen analysis on the other. */
export default function Analyses() {
  const list = useQuery({ ...rpc.analyses.list.queryOptions(), staleTime: 0 })
  const [chosen, setChosen] = useState<string | null>(null)
  const [filter, setFilter] = useState<Filter>({ text: '', type: '', jurisdiction: '', on: '' })
  if (list.isError) return <ProblemView error={list.error} onRetry={() => list.refetch()} />
  if (!list.data) return <Loading />
  const { entries, problems } = list.data
  const fitting = entries.filter(entry => fits(entry, filter))
  const places = [...new Set(entries.flatMap(({ jurisdiction }) => jurisdiction.split('/')))].sort()
  return (
    <div className={styles.page}>
      <section className={styles.list} aria-label="Catalogue of analyses">
        <header>
          <h1>Analyses</h1>
          <p>Calculations that cite their law, run in the sandbox, and stand on the record.</p>
          <search className={styles.filters}>
            <label className={styles.search}>
              <Search aria-hidden size={14} />
              <input
                type="search"
                aria-label="Search analyses"
                placeholder="Search"
                value={filter.text}
                onChange={event => setFilter({ ...filter, text: event.target.value })}
              />
            </label>
            <select
              aria-label="Type"
              value={filter.type}
              onChange={event => setFilter({ ...filter, type: event.target.value as AnalysisType | '' })}
            >
              <option value="">all types</option>
              {analysisTypes.map(type => (
                <option key={type} value={type}>
                  {typeNames[type]}
                </option>
              ))}
            </select>
            <select
              aria-label="Jurisdiction"
              value={filter.jurisdiction}
              onChange={event => setFilter({ ...filter, jurisdiction: event.target.value })}
            >
              <option value="">everywhere</option>
              {places.map(place => (
                <option key={place}>{place}</option>
              ))}
            </select>
            <label className={styles.on}>
              law known on
              <input
                type="date"
                aria-label="Law known on"
                value={filter.on}
                onChange={event => setFilter({ ...filter, on: event.target.value })}
              />
            </label>
          </search>
        </header>
        {problems.map(({ message, hint }) => (
          <p key={message} role="alert" className={styles.broken}>
            {message} {hint}
          </p>
        ))}
        <ul>
          {fitting.map(entry => (
            <li key={entry.id}>
              <button type="button" aria-current={entry.id === chosen} onClick={() => setChosen(entry.id)}>
                <strong>{entry.title}</strong>
                <span>
                  {typeNames[entry.type]} · {entry.jurisdiction}
                  {entry.origin === 'own' && <em> yours</em>}
                  {entry.status !== 'enacted' && <em className={styles.warn}> {statusNames[entry.status]} values</em>}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {fitting.length === 0 && <p className={styles.none}>No analysis fits. Change the filters above.</p>}
      </section>
      <div className={styles.detail}>
        {chosen ? (
          <Detail key={chosen} id={chosen} />
        ) : (
          <Empty icon={<Calculator />} title="Choose an analysis">
            <p>Each has a form, its law with dates and sources, and worked examples that it is tested with.</p>
          </Empty>
        )}
      </div>
    </div>
  )
}

interface Filter {
  readonly text: string
  readonly type: AnalysisType | ''
  readonly jurisdiction: string
  readonly on: string
}

function fits({ id, title, summary, type, jurisdiction, known }: AnalysisEntry, filter: Filter): boolean {
  const words = filter.text.toLowerCase().split(/\s+/)
  const text = `${id} ${title} ${summary} ${jurisdiction}`.toLowerCase()
  return (
    words.every(word => text.includes(word)) &&
    (filter.type === '' || filter.type === type) &&
    (filter.jurisdiction === '' || jurisdiction.split('/').includes(filter.jurisdiction)) &&
    (filter.on === '' || !known || (known.from <= filter.on && filter.on < known.until))
  )
}
