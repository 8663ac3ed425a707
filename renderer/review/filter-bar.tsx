import { languages, riskLevels } from '../../src/contract/run.ts'
import { SearchField } from '../ui/search-field.tsx'
import { type QueueFilters, standings, standingWords } from './filters.ts'
import styles from './queue.module.css'

/** Narrows the queue down. */
export function FilterBar({ filters, onChange }: { filters: QueueFilters; onChange(filters: QueueFilters): void }) {
  const set = (change: Partial<QueueFilters>) => onChange({ ...filters, ...change })
  return (
    <search className={styles.filters}>
      <fieldset className={styles.standings}>
        <legend className="visually-hidden">State</legend>
        {standings.map(standing => (
          <button
            key={standing}
            type="button"
            aria-pressed={filters.standing === standing}
            onClick={() => set({ standing })}
          >
            {standingWords[standing]}
          </button>
        ))}
      </fieldset>
      <SearchField
        label="Find in the code"
        placeholder="Find in the code"
        value={filters.text}
        maxLength={200}
        onSearch={text => set({ text })}
      />
      <div className={styles.selects}>
        <select
          aria-label="Risk"
          value={filters.risk}
          onChange={event => set({ risk: event.target.value as QueueFilters['risk'] })}
        >
          <option value="any">Risk</option>
          {riskLevels.map(level => (
            <option key={level} value={level}>
              {level}
            </option>
          ))}
        </select>
        <select
          aria-label="Language"
          value={filters.language}
          onChange={event => set({ language: event.target.value as QueueFilters['language'] })}
        >
          <option value="any">Language</option>
          {languages.map(language => (
            <option key={language}>{language}</option>
          ))}
        </select>
        <select
          aria-label="Asked by"
          value={filters.whose}
          onChange={event => set({ whose: event.target.value as QueueFilters['whose'] })}
        >
          <option value="all">Everyone</option>
          <option value="mine">Mine</option>
          <option value="others">Others'</option>
        </select>
      </div>
    </search>
  )
}
