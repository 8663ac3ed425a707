import styles from './readable.module.css'
import { figure, label } from './words.ts'

/** More rows than this are not read by anybody. */
const most = 100

/** A value as a person reads it: a record as pairs, a list of records as a small table, figures with thousands apart. */
export function Readable({ value }: { value: unknown }) {
  if (typeof value !== 'object' || value === null) return <>{figure(value)}</>
  if (!Array.isArray(value)) return <Pairs value={value as Record<string, unknown>} />
  const rows: readonly unknown[] = value.slice(0, most)
  if (rows.length === 0) return <>none</>
  const table = rows.every(isRecord) ? rows : null
  const matrix = rows.every(Array.isArray) ? (rows as readonly unknown[][]) : null
  if (!table && !matrix) return <>{rows.map(each => figure(each)).join(', ')}</>
  const columns = table ? [...new Set(table.flatMap(Object.keys))] : []
  return (
    <table className={styles.table}>
      {table && (
        <thead>
          <tr>
            {columns.map(column => (
              <th key={column} scope="col">
                {label(column)}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a value never change their places
          <tr key={at}>
            {(isRecord(row) ? columns.map(column => row[column]) : (row as readonly unknown[])).map((each, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: nor do its columns
              <td key={place}>
                <Readable value={each} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Pairs({ value }: { value: Readonly<Record<string, unknown>> }) {
  return (
    <dl className={styles.pairs}>
      {Object.entries(value)
        .slice(0, most)
        .map(([name, each]) => (
          <div key={name}>
            <dt>{label(name)}</dt>
            <dd>
              <Readable value={each} />
            </dd>
          </div>
        ))}
    </dl>
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
