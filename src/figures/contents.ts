import { analysisMime } from '../contract/analyses.ts'
import type { OutputId } from '../contract/conversations.ts'
import type { MimeBundle, Output } from '../contract/run.ts'
import { type Labelled, numbersIn, plainText, type ShownOutput } from '../conversations/conversations.ts'

type Json = MimeBundle[string]
type Row = Readonly<Record<string, Json | undefined>>

export interface TableAt {
  readonly output: OutputId
  readonly columns: readonly string[]
  /** The columns that name a row; none where only its number does. */
  readonly keys: readonly string[]
  readonly rows: readonly Row[]
}

export interface ChartAt {
  readonly output: OutputId
  readonly title: string | null
  /** A Vega-Lite specification, or a picture as base64. */
  readonly drawing:
    | { readonly kind: 'spec'; readonly spec: Json }
    | { readonly kind: 'picture'; mime: string; data: string }
}

/** What could be pinned of a cell's outputs, each kind in the order of the outputs. */
export interface Contents {
  readonly numbers: readonly Labelled[]
  readonly tables: readonly TableAt[]
  readonly charts: readonly ChartAt[]
}

export function contentsOf(outputs: readonly ShownOutput[]): Contents {
  const numbers: Output[] = []
  const tables: TableAt[] = []
  const charts: ChartAt[] = []
  for (const { id, output } of joined(outputs)) {
    if (output.type === 'stream') numbers.push({ ...output, text: plainText(output.text) })
    if (output.type !== 'display' && output.type !== 'result') continue
    const table = tableIn(output.data, id)
    const chart = chartIn(output.data, id)
    const analysis = output.data[analysisMime]
    if (chart) charts.push(chart)
    else if (table) tables.push(table)
    else if (isRecord(analysis)) numbers.push({ type: 'display', data: { 'application/json': resultsOf(analysis) } })
    else numbers.push(output)
  }
  return { numbers: numbersIn(numbers), tables, charts }
}

/** What an analysis found, without what it rests on. */
function resultsOf({ parameters_used: _, steps: __, ...results }: Record<string, Json>): Json {
  return results
}

/** A chatty program's lines come in bites that may end in the middle of a number. What it says of errors is no result. */
function joined(outputs: readonly ShownOutput[]): ShownOutput[] {
  const all: ShownOutput[] = []
  for (const { id, output } of outputs) {
    const last = all.at(-1)
    if (output.type === 'stream' && output.name === 'stderr') continue
    if (output.type === 'stream' && last?.output.type === 'stream')
      all[all.length - 1] = { id: last.id, output: { ...last.output, text: last.output.text + output.text } }
    else all.push({ id, output })
  }
  return all
}

const vegaLite = /^application\/vnd\.vegalite\.v[4-6](\.\d+)*\+json$/
const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml']

function chartIn(data: MimeBundle, output: OutputId): ChartAt | null {
  for (const [mime, spec] of Object.entries(data))
    if (vegaLite.test(mime)) return { output, title: titleOf(spec), drawing: { kind: 'spec', spec } }
  for (const mime of pictures) {
    const picture = data[mime]
    if (typeof picture === 'string') return { output, title: null, drawing: { kind: 'picture', mime, data: picture } }
  }
  return null
}

function titleOf(spec: Json): string | null {
  const title = isRecord(spec) ? (isRecord(spec.title) ? spec.title.text : spec.title) : null
  return typeof title === 'string' && title.trim() ? title.trim().slice(0, 500) : null
}

function tableIn(data: MimeBundle, output: OutputId): TableAt | null {
  const resource = data['application/vnd.dataresource+json']
  if (!isRecord(resource) || !Array.isArray(resource.data)) return null
  const rows = resource.data.filter(isRecord)
  const schema = isRecord(resource.schema) ? resource.schema : {}
  const fields = Array.isArray(schema.fields) ? schema.fields.filter(isRecord) : []
  const named = fields.flatMap(({ name }) => (typeof name === 'string' ? name : []))
  const all = named.length > 0 ? named : [...new Set(rows.slice(0, 100).flatMap(row => Object.keys(row)))]
  const primary = [schema.primaryKey].flat().flatMap(name => (typeof name === 'string' ? name : []))
  const isCount = primary.length === 1 && primary[0] !== undefined && isCounting(rows, primary[0])
  const columns = isCount ? all.filter(name => !primary.includes(name)) : all
  return { output, columns, keys: isCount || primary.length === 0 ? tellingColumn(rows, columns) : primary, rows }
}

/** 0, 1, 2 …: the number of a row and not its name. */
const isCounting = (rows: readonly Row[], column: string): boolean => rows.every((row, at) => row[column] === at)

/** The first column of words in which no two rows say the same. */
function tellingColumn(rows: readonly Row[], columns: readonly string[]): string[] {
  const first = columns.find(column => {
    const values = rows.map(row => row[column])
    return values.every(isName) && new Set(values).size === values.length
  })
  return first === undefined || rows.length === 0 ? [] : [first]
}

const isName = (value: Json | undefined): boolean =>
  typeof value === 'string' && value.trim() !== '' && Number.isNaN(Number(value))

export const isRecord = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
