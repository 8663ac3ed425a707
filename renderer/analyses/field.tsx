import { Plus, X } from 'lucide-react'
import { useId } from 'react'
import type { InputSpec } from '../../src/contract/analyses.ts'
import { Button, IconButton } from '../ui/button.tsx'
import styles from './form.module.css'
import { FromPath } from './from-path.tsx'
import { pastedRows, rowsFor } from './values.ts'
import { besideField, label } from './words.ts'

interface FieldProps {
  readonly name: string
  readonly spec: InputSpec
  readonly value: unknown
  /** What is wrong with it, once somebody has typed. */
  readonly problem: string | null
  onChange(value: unknown): void
}

/** One input of the form, made from its schema. */
export function Field({ name, spec, value, problem, onChange }: FieldProps) {
  const id = useId()
  const help = useId()
  const needed = spec.default === undefined && !spec.optional && spec.type !== 'record'
  const unit = spec.currency ?? spec.unit ?? (spec.type === 'percent' ? '%' : spec.type === 'rate' ? 'fraction' : null)
  const shared = { id, 'aria-describedby': help, 'aria-invalid': problem !== null, 'aria-required': needed }
  const wide = spec.type === 'table' || spec.type === 'list' || spec.type === 'record'
  return (
    <div className={wide ? `${styles.field} ${styles.wide}` : styles.field}>
      <label htmlFor={id}>
        {label(name)}
        {unit && <span className={styles.unit}> {unit}</span>}
        {spec.optional && spec.default === undefined && <span className={styles.unit}> optional</span>}
      </label>
      <Control {...{ name, spec, value, onChange, shared, problem }} />
      <p id={help} className={problem ? styles.problem : styles.help}>
        {problem ? besideField(name, problem) : (spec.help ?? '')}
      </p>
    </div>
  )
}

interface ControlProps extends FieldProps {
  readonly shared: { id: string; 'aria-describedby': string; 'aria-invalid': boolean; 'aria-required': boolean }
}

function Control({ name, spec, value, onChange, shared }: ControlProps) {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  const hint = spec.default === undefined || typeof spec.default === 'object' ? '' : String(spec.default)
  switch (spec.type) {
    case 'choice':
      return (
        <select {...shared} value={text} onChange={event => onChange(event.target.value)}>
          <option value="">{hint ? `${hint} (default)` : spec.optional ? 'not given' : 'choose…'}</option>
          {(spec.of ?? []).map(each => (
            <option key={each} value={each}>
              {each.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      )
    case 'bool':
      return (
        <input
          {...shared}
          type="checkbox"
          checked={value === true}
          onChange={event => onChange(event.target.checked)}
        />
      )
    case 'date':
      return <input {...shared} type="date" value={text} onChange={event => onChange(event.target.value)} />
    case 'table':
      return <Rows name={name} spec={spec} id={shared.id} value={value} onChange={onChange} />
    case 'list':
      return <Column name={name} id={shared.id} value={value} onChange={onChange} />
    case 'record':
      return <Group spec={spec} id={shared.id} value={value} onChange={onChange} />
    case 'map':
      return (
        <textarea
          {...shared}
          rows={3}
          placeholder={'1\t301\n2\t176'}
          value={
            typeof value === 'object' && value
              ? Object.entries(value)
                  .map(pair => pair.join('\t'))
                  .join('\n')
              : text
          }
          onChange={event => onChange(countsIn(event.target.value))}
        />
      )
    default:
      return (
        <input
          {...shared}
          inputMode={spec.type === 'text' || spec.type === 'tax_year' ? 'text' : 'decimal'}
          placeholder={hint || (spec.type === 'tax_year' ? '2025-26' : '')}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={event => onChange(event.target.value)}
        />
      )
  }
}

function countsIn(text: string): unknown {
  if (text.trim() === '') return ''
  const pairs = pastedRows(text.replace(/[ :]+/g, '\t')).map(([digit = '', count = '']) => [digit, Number(count)])
  return pairs.every(([digit, count]) => digit !== '' && Number.isInteger(count)) ? Object.fromEntries(pairs) : text
}

const shownRows = 200

/** A table: type into it, paste from a spreadsheet into any cell, or take columns from the path. */
function Rows({
  name,
  spec,
  id,
  value,
  onChange,
}: {
  name: string
  spec: InputSpec
  id: string
  value: unknown
  onChange(value: unknown): void
}) {
  const columns = spec.columns ?? {}
  const names = Object.keys(columns)
  const rows = (Array.isArray(value) ? value : []).map(row =>
    Array.isArray(row)
      ? Object.fromEntries(row.map((cell, at) => [names[at] ?? '', cell]))
      : typeof row === 'object' && row !== null
        ? row
        : { [spec.scalar ?? names[0] ?? '']: row },
  ) as Record<string, unknown>[]
  const set = (at: number, column: string, cell: unknown) =>
    onChange(rows.map((row, i) => (i === at ? { ...row, [column]: cell === '' ? undefined : cell } : row)))
  const paste = (at: number, column: string, text: string) => {
    const cells = pastedRows(text)
    const named = rowsFor(columns, cells)
    const byName = cells.length > named.length
    const start = names.indexOf(column)
    const added = byName
      ? named
      : cells.map(row =>
          Object.fromEntries(row.flatMap((cell, i) => (names[start + i] ? [[names[start + i] as string, cell]] : []))),
        )
    const next = [...rows]
    for (const [i, row] of added.entries()) next[at + i] = { ...next[at + i], ...row }
    onChange(next)
  }
  return (
    <div className={styles.rows} id={id}>
      {rows.length > 0 && (
        <table>
          <thead>
            <tr>
              {names.map(column => (
                <th key={column} scope="col">
                  {label(column)}
                </th>
              ))}
              <th />
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shownRows).map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name than their place
              <tr key={at}>
                {names.map(column => (
                  <td key={column}>
                    <Cell
                      spec={columns[column] ?? { type: 'text' }}
                      named={`${label(name)} ${at + 1}, ${label(column)}`}
                      value={row[column]}
                      onChange={cell => set(at, column, cell)}
                      onPaste={text => paste(at, column, text)}
                    />
                  </td>
                ))}
                <td>
                  <IconButton
                    label={`Remove row ${at + 1}`}
                    icon={<X />}
                    onClick={() => onChange(rows.filter((_, i) => i !== at))}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.length > shownRows && (
        <p className={styles.help}>
          The first {shownRows} of {rows.length} rows.
        </p>
      )}
      <div className={styles.actions}>
        <Button look="quiet" icon={<Plus />} onClick={() => onChange([...rows, {}])}>
          Row
        </Button>
        <FromPath columns={columns} onRows={found => onChange(found)} />
        {rows.length > 0 && (
          <Button look="quiet" onClick={() => onChange([])}>
            Clear
          </Button>
        )}
      </div>
    </div>
  )
}

function Cell({
  spec,
  named,
  value,
  onChange,
  onPaste,
}: {
  spec: InputSpec
  named: string
  value: unknown
  onChange(value: unknown): void
  onPaste(text: string): void
}) {
  if (spec.type === 'bool') {
    return (
      <input
        type="checkbox"
        aria-label={named}
        checked={value === true}
        onChange={event => onChange(event.target.checked)}
      />
    )
  }
  if (spec.type === 'choice') {
    return (
      <select
        aria-label={named}
        value={typeof value === 'string' ? value : ''}
        onChange={event => onChange(event.target.value)}
      >
        <option value="" />
        {(spec.of ?? []).map(each => (
          <option key={each}>{each}</option>
        ))}
      </select>
    )
  }
  return (
    <input
      aria-label={named}
      type={spec.type === 'date' ? 'date' : 'text'}
      value={typeof value === 'string' || typeof value === 'number' ? String(value) : ''}
      autoComplete="off"
      onChange={event => onChange(event.target.value)}
      onPaste={event => {
        const text = event.clipboardData.getData('text/plain')
        if (!/[\t\n]/.test(text.trimEnd())) return
        event.preventDefault()
        onPaste(text)
      }}
    />
  )
}

/** A whole column: one value a line. */
function Column({
  name,
  id,
  value,
  onChange,
}: {
  name: string
  id: string
  value: unknown
  onChange(value: unknown): void
}) {
  const values = Array.isArray(value) ? value : []
  const many = values.length > 2000
  return (
    <div className={styles.rows}>
      {many ? (
        <p id={id} className={styles.help}>
          {values.length.toLocaleString('en')} values, from {String(values[0])} to {String(values.at(-1))}
        </p>
      ) : (
        <textarea
          id={id}
          rows={Math.min(8, Math.max(3, values.length + 1))}
          placeholder="One value a line; paste a column here"
          value={values.join('\n')}
          onChange={event =>
            onChange(event.target.value === '' ? '' : event.target.value.replace(/\r/g, '').split('\n'))
          }
          onBlur={() =>
            values.length > 0 && onChange(values.map(each => String(each).trim()).filter(each => each !== ''))
          }
        />
      )}
      <div className={styles.actions}>
        <FromPath
          columns={{ [name]: { type: 'text' } }}
          single
          onRows={rows => onChange(rows.flatMap(row => Object.values(row)))}
        />
        {many && (
          <Button look="quiet" onClick={() => onChange('')}>
            Clear
          </Button>
        )}
      </div>
    </div>
  )
}

function Group({
  spec,
  id,
  value,
  onChange,
}: {
  spec: InputSpec
  id: string
  value: unknown
  onChange(value: unknown): void
}) {
  const values = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  return (
    <div className={styles.group} id={id}>
      {Object.entries(spec.fields ?? {}).map(([name, each]) => (
        <Field
          key={name}
          name={name}
          spec={each}
          value={values[name]}
          problem={null}
          onChange={next => {
            const { [name]: _, ...rest } = values
            const all = next === '' ? rest : { ...rest, [name]: next }
            onChange(Object.keys(all).length === 0 ? '' : all)
          }}
        />
      ))}
    </div>
  )
}
