import { type Cell, type Column, type ColumnType, columnTable, type TableSource } from './source.ts'

type Json = unknown
const isRecord = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export interface DataResource {
  readonly source: TableSource
  /** Rows that the maker says there are, when it sent fewer. */
  readonly totalRows: number
}

/** The types of Table Schema, and the one of ours that each becomes. */
export const typeOf: Record<string, ColumnType> = {
  integer: 'number',
  number: 'number',
  year: 'number',
  boolean: 'boolean',
  datetime: 'time',
  date: 'time',
  time: 'text',
  duration: 'duration',
  string: 'text',
}

/** Reads `application/vnd.dataresource+json` (a Table Schema and its rows); `null` when it is not one. */
export function readDataResource(value: Json): DataResource | null {
  const resource = typeof value === 'string' ? parse(value) : value
  if (!isRecord(resource) || !Array.isArray(resource.data)) return null
  const { data } = resource
  const schema = isRecord(resource.schema) ? resource.schema : {}
  const fields = Array.isArray(schema.fields) ? schema.fields.filter(isRecord) : fieldsOf(data)
  const keys = new Set([schema.primaryKey].flat().map(fieldName))
  const names = fields.map(field => fieldName(field.name))
  const values = names.map((name, index) =>
    Array.from(data, (row: Json): Cell => {
      if (Array.isArray(row)) return toCell(row[index])
      return isRecord(row) && Object.hasOwn(row, name) ? toCell(row[name]) : null
    }),
  )
  const columns = fields.map((field, index): Column => {
    const name = names[index] ?? ''
    const type = typeof field.type === 'string' ? typeOf[field.type] : undefined
    const found = values[index] ?? []
    return {
      name,
      type: isDecimalText(type, found) ? 'number' : (type ?? guessType(found)),
      ...(keys.has(name) && { key: true }),
    }
  })
  const total = [resource.totalRows, resource.rowCount].find(Number.isInteger)
  return { source: columnTable(columns, values), totalRows: Math.max(data.length, Number(total ?? 0)) }
}

/** Rows without a schema: columns are the keys of the first rows, in the order in which they appear. */
function fieldsOf(data: readonly Json[]): Record<string, Json>[] {
  const names = new Set<string>()
  for (const row of data.slice(0, 100)) {
    if (Array.isArray(row)) for (const index of row.keys()) names.add(String(index))
    else if (isRecord(row)) for (const name of Object.keys(row)) names.add(name)
  }
  return Array.from(names, name => ({ name }))
}

const fieldName = (name: Json): string => (Array.isArray(name) ? name.map(String).join(' · ') : String(name ?? ''))

export function toCell(value: Json): Cell {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return JSON.stringify(value)
}

const looksNumeric = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const looksTimed = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/
/** Long digits with a leading zero are a code (an account, a post code), not a quantity. */
const looksCode = /^[+-]?0\d/

/** Exact decimals travel as text, since JSON would round them; with a point in them they are meant as figures. */
function isDecimalText(type: ColumnType | undefined, values: readonly Cell[]): boolean {
  return (
    type === 'text' &&
    values.slice(0, 1000).some(value => String(value).includes('.')) &&
    guessType(values) === 'number'
  )
}

/** The type that all values of a column share, by looking at enough of them. */
export function guessType(values: readonly Cell[]): ColumnType {
  const some = values.slice(0, 1000).filter(value => value !== null && value !== '')
  if (some.length === 0) return 'text'
  if (some.every(value => typeof value === 'boolean')) return 'boolean'
  if (
    some.every(
      value => typeof value === 'number' || (looksNumeric.test(String(value)) && !looksCode.test(String(value))),
    )
  )
    return 'number'
  return some.every(value => typeof value === 'string' && looksTimed.test(value)) ? 'time' : 'text'
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
