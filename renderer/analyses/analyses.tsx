import { useQuery } from '@tanstack/react-query'
import { Calculator } from 'lucide-react'
import { useState } from 'react'
import { type AnalysisEntry, type AnalysisType, analysisTypes } from '../../src/contract/analyses.ts'
import { rpc } from '../state/queries.ts'
import { Empty } from '../ui/empty.tsx'
import { ListEntry, ListPage } from '../ui/list-page.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { sentencesOf, Words } from '../ui/words.tsx'
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
    <ListPage
      label="Catalogue of analyses"
      title="Analyses"
      about="Calculations that cite the law they apply. They run in the sandbox and are on the record."
      tools={
        <search className={styles.filters}>
          <SearchField
            label="Search analyses"
            className={styles.search}
            placeholder="Search"
            value={filter.text}
            onSearch={text => setFilter({ ...filter, text })}
          />
          <select
            aria-label="Type"
            value={filter.type}
            onChange={event => setFilter({ ...filter, type: event.target.value as AnalysisType | '' })}
          >
            <option value="">All types</option>
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
            <option value="">Everywhere</option>
            {places.map(place => (
              <option key={place}>{place}</option>
            ))}
          </select>
          <label className={styles.on}>
            Law known on
            <input
              type="date"
              aria-label="Law known on"
              value={filter.on}
              onChange={event => setFilter({ ...filter, on: event.target.value })}
            />
          </label>
        </search>
      }
      list={
        <>
          {problems.map(problem => (
            <p key={problem.message} role="alert" className={styles.broken}>
              <Words text={sentencesOf(problem)} />
            </p>
          ))}
          <ul>
            {fitting.map(entry => (
              <ListEntry
                key={entry.id}
                title={entry.title}
                current={entry.id === chosen}
                onSelect={() => setChosen(entry.id)}
              >
                {typeNames[entry.type]} · {entry.jurisdiction}
                {entry.origin === 'own' && <em className={styles.own}> · yours</em>}
                {entry.status !== 'enacted' && <em className={styles.warn}> · {statusNames[entry.status]} values</em>}
              </ListEntry>
            ))}
          </ul>
          {fitting.length === 0 && <p>No analysis matches. Change the filters above.</p>}
        </>
      }
      detail={
        chosen ? (
          <Detail key={chosen} id={chosen} />
        ) : (
          <Empty icon={<Calculator />} title="Choose an analysis">
            <p>Each has a form, its law with dates and sources, and worked examples that it is tested with.</p>
          </Empty>
        )
      }
    />
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
