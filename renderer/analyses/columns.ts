import type { PathId } from '../../src/contract/ids.ts'
import { client } from '../state/connection.ts'
import { csvRecords } from '../table/csv.ts'
import type { Sheet } from '../table/xlsx/workbook.ts'
import { mostRows } from './values.ts'

/** A table that inputs can come from: a data frame of the path, or a file of its folder. */
export interface Origin {
  readonly kind: 'frame' | 'file'
  readonly name: string
  readonly size: string
}

export interface Cells {
  readonly names: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const pieceBytes = 3_000_000
const mostBytes = 64 * 1024 * 1024

/** What the path has: data frames of its Python kernel, CSV and Excel files of its folder. */
export async function originsOf(path: PathId): Promise<Origin[]> {
  const frames = await client.sandbox.variables({ path, language: 'python' }).catch(() => [])
  const files = await client.sandbox.files({ path }).catch(() => [])
  return [
    ...frames.filter(each => each.table).map(({ name, shape }): Origin => ({ kind: 'frame', name, size: shape ?? '' })),
    ...files
      .filter(each => each.kind === 'file' && /\.(csv|tsv|xlsx)$/i.test(each.path))
      .map(({ path: name, bytes }): Origin => ({ kind: 'file', name, size: `${Math.ceil(bytes / 1024)} KB` })),
  ]
}

export async function readOrigin(path: PathId, { kind, name }: Origin): Promise<Cells> {
  return kind === 'frame' ? readFrame(path, name) : readFile(path, name)
}

async function readFrame(path: PathId, name: string): Promise<Cells> {
  const rows: string[][] = []
  let names: string[] = []
  for (let from = 0; ; ) {
    const piece = await client.sandbox.table({ path, language: 'python', name, from })
    names = piece.fields.map(field => field.name)
    const columns = JSON.parse(piece.cells) as unknown[][]
    const count = columns[0]?.length ?? 0
    for (let at = 0; at < count; at++) rows.push(columns.map(column => textOf(column[at])))
    from += count
    if (count === 0 || from >= piece.rows || rows.length > mostRows) break
  }
  return bounded({ names, rows })
}

async function readFile(path: PathId, file: string): Promise<Cells> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for (let offset = 0; ; offset += pieceBytes) {
    const { data, done } = await client.sandbox.readFile({ path, file, offset, length: pieceBytes })
    const piece = Uint8Array.from(atob(data), char => char.charCodeAt(0))
    pieces.push(piece)
    size += piece.length
    if (size > mostBytes) throw new Error(`${file} is larger than 64 MB.`)
    if (done) break
  }
  const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer())
  return bounded(/\.xlsx$/i.test(file) ? await fromWorkbook(bytes) : fromText(new TextDecoder().decode(bytes), file))
}

async function fromWorkbook(data: Uint8Array<ArrayBuffer>): Promise<Cells> {
  const { readInWorker } = await import('../table/xlsx/read.ts')
  const answer = await readInWorker({ data, rows: mostRows + 2 })
  if ('problem' in answer) throw new Error(answer.problem)
  return fromSheets(answer.sheets)
}

/** The first sheet that has cells: its first row as names, the rest as text. */
export function fromSheets(sheets: readonly Pick<Sheet, 'rows'>[]): Cells {
  const sheet = sheets.find(({ rows }) => rows.length > 0)
  if (!sheet) throw new Error('This workbook has no sheet with cells.')
  const [names = [], ...rows] = sheet.rows.filter(row => row.length > 0).map(row => row.map(textOf))
  return { names, rows }
}

/** The cells of a CSV or TSV file; of one with too many rows only as many as show that. */
export function fromText(text: string, file: string): Cells {
  const plain = text.replace(/^\ufeff/, '')
  const most = mostRows + 2
  const records = /\.tsv$/i.test(file)
    ? plain.split(/\r?\n/, most).map(line => line.split('\t'))
    : csvRecords(plain, most)
  const [names = [], ...rows] = records.filter(record => record.length > 1 || record[0] !== '')
  return { names, rows }
}

export function bounded(cells: Cells): Cells {
  if (cells.rows.length > mostRows)
    throw new Error(`There are more than ${mostRows.toLocaleString('en')} rows. Take a part of them.`)
  return cells
}

const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value))
