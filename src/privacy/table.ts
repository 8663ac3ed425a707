import type { Finding } from '../contract/privacy.ts'
import { meaningOf } from './fields.ts'

/** Longest first line that is taken for the header of a table. */
const longestHeader = 4096
/** A longer row is none: a quote that is never closed, or a line without an end, must not hold a stream back. */
const longestRow = 1 << 16
/** How sure it is that a value is what the name of its column says. */
export const columnScore = 0.8
const quote = 0x22
const lineEnd = 0x0a

/** Stands for columns that are set apart by two spaces or more, as a data frame is printed. */
const aligned = 0x20

/** A table in text: a first line of names (`name,ssn,amount`), then lines with as many fields. */
export interface Table {
  readonly separator: number
  readonly width: number
  /** Columns whose name says what their values are, so that no pattern is needed. */
  readonly columns: readonly Column[]
  /** Where the first row begins. */
  readonly rows: number
  /** What a line must look like to be a value, where there is one column alone. */
  readonly single: RegExp | null
}

/** Where the fields of a row begin, and where it ends, without its line end. */
export interface Row {
  readonly starts: readonly number[]
  readonly end: number
}

interface Column {
  readonly index: number
  readonly type: string
  /** False for passwords and keys, whose names are also words of prose and of code. */
  readonly personal: boolean
}

/**
 * The table that a text begins with; null when its first line names nothing sensitive, undefined when that line has not
 * come to its end yet, which only a text that goes on (`complete` is false) may still do.
 */
export function readHeader(text: string, complete = true): Table | null | undefined {
  const headerEnd = text.indexOf('\n')
  if (headerEnd < 0) return complete || text.length > longestHeader ? null : undefined
  if (headerEnd < 3 || headerEnd > longestHeader) return null
  const header = text.slice(0, headerEnd)
  const separator = [',', ';', '\t', '|'].find(sign => header.includes(sign))?.charCodeAt(0) ?? aligned
  const names = readRow(separator, text, 0, { length: longestHeader })
  if (!names) return null
  if (names.end === text.length && !complete) return undefined
  if (names.starts.length < 2) return readSingle(header)
  const columns = names.starts.flatMap((start, index): Column[] => {
    const name = unquoted(text.slice(start, (names.starts[index + 1] ?? names.end + 1) - 1))
    const meaning = columnName.test(name) ? meaningOf(name.trim()) : null
    return meaning && meaning.kind !== 'weak-secret'
      ? [{ index, type: meaning.type, personal: meaning.kind === 'personal' }]
      : []
  })
  if (columns.length === 0) return null
  return { separator, width: names.starts.length, columns, rows: names.end + 1, single: null }
}

/** What a column is called: a few words. */
const columnName = /^\s*"?[\p{L}_][\p{L}\d _.#()/'-]{0,47}"?\s*$/u

/** The header in a line between others, if it is names alone and some are of personal fields. */
export function readPersonalHeader(line: string): Table | null {
  const names = line
    .trim()
    .split(/[,;\t|]| {2,}/)
    .filter(name => name !== '')
  // A list with a comma behind each item is as wide as its first line, too.
  if (names.length < 2 || !names.every(name => columnName.test(name))) return null
  const table = readHeader(`${line}\n`)
  // Passwords and keys are also words of prose.
  const columns = table?.columns.filter(({ personal }) => personal) ?? []
  return table && columns.length > 0 ? { ...table, columns } : null
}

/** The only column of a text, with a name over it: each line is a value or ends the table, since it may as well be prose. */
function readSingle(header: string): Table | null {
  const name = unquoted(header)
  const meaning = columnName.test(name) ? meaningOf(name) : null
  const single = meaning && meaning.kind !== 'weak-secret' ? singleValue(meaning.type) : null
  if (!meaning || !single) return null
  const columns = [{ index: 0, type: meaning.type, personal: meaning.kind === 'personal' }]
  return { separator: aligned, width: 1, columns, rows: header.length + 1, single }
}

/** What a line must look like to be a value of the only column; null for what has a form of its own. */
function singleValue(type: string): RegExp | null {
  if (type === 'PASSWORD' || type === 'GENERIC_SECRET') return /^(?=\S*[\d!@#$%^&*?])(?![<>=#/$-])[^\s=(){}<>]{5,80}$/
  if (type === 'PERSON') return /^\p{Lu}[\p{L}.'’-]*(?: (?:\p{Lu}[\p{L}.'’-]*|van|von|de|der|da|di|la|bin|al)){1,4}$/u
  if (type === 'ADDRESS') return /^(?=.*\d)(?=.*\p{L}{3})[\p{L}\d ,./'-]{6,80}$/u
  if (formed.has(type)) return null
  return /^(?=(?:\D*\d){3})[\dA-Za-z][\dA-Za-z ./-]{2,24}$/
}

const formed = new Set(['EMAIL', 'PHONE', 'IBAN', 'CREDIT_CARD', 'IP_ADDRESS'])

/** Whether a row is as wide as a table; a printed data frame has a first column without a name: the index. */
export const isAsWide = ({ separator, width }: Table, { starts }: Row): boolean =>
  starts.length === width || (separator === aligned && starts.length === width + 1)

/** Adds what stands in the sensitive columns of a row, as far as `base` behind where it stands in `text`. */
export function addValues(table: Table, row: Row, text: string, base: number, found: Finding[]): void {
  for (const { index, type } of table.columns) {
    const { start, end } = valueAt(table, row, text, index)
    // The line under the names of a Markdown table has no values.
    if (end > start && hasValue.test(text.slice(start, end)))
      found.push({ start: base + start, end: base + end, type, rule: 'sensitive-column', score: columnScore })
  }
}

/** Whether a line ends the only column of a text: it is neither empty nor a value. */
export function endsColumn(table: Table, row: Row, text: string): boolean {
  if (!table.single || row.starts.length === 0) return false
  if (!isAsWide(table, row)) return true
  const { start, end } = valueAt(table, row, text, 0)
  return end > start && !table.single.test(text.slice(start, end))
}

function valueAt({ width }: Table, row: Row, text: string, index: number): { start: number; end: number } {
  const place = index + row.starts.length - width
  const stop = index + 1 < width ? (row.starts[place + 1] ?? 0) - 1 : row.end
  return trimmed(text, row.starts[place] ?? 0, stop)
}

/** The row at `at`, as far as the text goes; null when it is too long for one. What is in quotes belongs to its field. */
export function readRow(
  separator: number,
  text: string,
  at: number,
  { lines = Infinity, length = longestRow }: { lines?: number; length?: number } = {},
): Row | null {
  if (separator === aligned) return alignedRow(text, at, length)
  const starts = [at]
  let quoted = false
  let line = 1
  let place = at
  for (const limit = at + length; place < text.length; place++) {
    const code = text.charCodeAt(place)
    if (code === quote) quoted = !quoted
    else if (quoted) {
      if (code === lineEnd && ++line > lines) return null
    } else if (code === separator) starts.push(place + 1)
    else if (code === lineEnd) break
    if (place >= limit) return null
  }
  return { starts, end: place }
}

function alignedRow(text: string, at: number, length: number): Row | null {
  const starts: number[] = []
  let spaces = 2
  let place = at
  for (const limit = at + length; place < text.length; place++) {
    const code = text.charCodeAt(place)
    if (code === lineEnd) break
    if (place >= limit) return null
    if (code === 0x20) spaces++
    else {
      if (spaces >= 2) starts.push(place)
      spaces = 0
    }
  }
  return { starts, end: place }
}

const hasValue = /[\p{L}\d]/u

const unquoted = (text: string): string => text.trim().replace(/^"(.*)"$/s, '$1')

const isEdge = (code: number): boolean => code === quote || code === 0x20 || (code >= 0x09 && code <= 0x0d)

function trimmed(text: string, from: number, to: number): { start: number; end: number } {
  let start = from
  let end = to
  while (start < end && isEdge(text.charCodeAt(start))) start++
  while (end > start && isEdge(text.charCodeAt(end - 1))) end--
  return { start, end }
}
