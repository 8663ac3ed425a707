import type { Finding } from '../contract/privacy.ts'
import { meaningOf } from './fields.ts'

/** Longest first line that is taken for the header of a table. */
const longestHeader = 4096
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
}

interface Column {
  readonly index: number
  readonly type: string
  /** False for passwords and keys, whose names are also words of prose and of code. */
  readonly personal: boolean
}

/** The only column of a text, with a name over it: each line is a value or ends the table, since it may as well be prose. */
function readSingle(header: string): Table | null {
  const name = unquoted(header)
  const meaning = columnName.test(name) ? meaningOf(name) : null
  if (!meaning || meaning.kind === 'weak-secret' || !singleValue(meaning.type)) return null
  const columns = [{ index: 0, type: meaning.type, personal: meaning.kind === 'personal' }]
  return { separator: aligned, width: 1, columns, rows: header.length + 1 }
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

/** What a column is called: a few words. */
const columnName = /^\s*"?[\p{L}_][\p{L}\d _.#()/'-]{0,47}"?\s*$/u

/** Whether a text without a line end yet may be the beginning of a header: for streams, which then wait for the rest. */
export const mayBeHeader = (text: string): boolean =>
  text.length <= longestHeader &&
  !text.includes('\n') &&
  text
    .trimStart()
    .split(/[,;\t|]| {2,}/)
    .every(name => name === '' || columnName.test(name))

/** The table that a text begins with, or null when its first line names nothing sensitive. */
export function readHeader(text: string): Table | null {
  const headerEnd = text.indexOf('\n')
  if (headerEnd < 3 || headerEnd > longestHeader) return null
  const header = text.slice(0, headerEnd)
  const separator = [',', ';', '\t', '|'].find(sign => header.includes(sign))?.charCodeAt(0) ?? aligned
  const names = rowAt(text, 0, separator)
  if (names.starts.length < 2) return readSingle(header)
  const columns = names.starts.flatMap((start, index): Column[] => {
    const name = unquoted(text.slice(start, (names.starts[index + 1] ?? names.end + 1) - 1))
    const meaning = columnName.test(name) ? meaningOf(name.trim()) : null
    return meaning && meaning.kind !== 'weak-secret'
      ? [{ index, type: meaning.type, personal: meaning.kind === 'personal' }]
      : []
  })
  return columns.length > 0 ? { separator, width: names.starts.length, columns, rows: names.end + 1 } : null
}

/** Where the row at `at` ends, with its line end, or null when the line there is no row of this table. */
export function rowEnd({ separator, width }: Table, text: string, at: number): number | null {
  const row = rowAt(text, at, separator, mostLines)
  if (row.starts.length !== width && !(separator === aligned && row.starts.length === width + 1)) return null
  return Math.min(row.end + 1, text.length)
}

/** Most lines of one row: after a quote that is never closed, each line would otherwise be read to the end of the text. */
const mostLines = 16

/** What stands in rows from an offset on; `starts` are those of the rows, the last one of the row that did not end here. */
export function findInRows(
  { separator, width, columns }: Table,
  text: string,
  from: number,
  last: boolean,
): { found: Finding[]; starts: number[]; ended: boolean } {
  const found: Finding[] = []
  const starts = [from]
  const single = width === 1 ? singleValue(columns[0]?.type ?? '') : null
  let at = from
  while (at < text.length) {
    const row = rowAt(text, at, separator)
    if (row.end === text.length && !last) break
    at = row.end + 1
    starts.push(at)
    // A line of another width is no line of this table: notes below it, or prose that began with a comma.
    // A printed data frame has a first column without a name: the index.
    const shift = separator === aligned && row.starts.length === width + 1 ? 1 : 0
    if (row.starts.length !== width + shift) {
      if (single && row.starts.length > 0) return { found, starts, ended: true }
      continue
    }
    for (const { index, type } of columns) {
      const stop = index + 1 < width ? (row.starts[index + shift + 1] ?? 0) - 1 : row.end
      const { start, end } = trimmed(text, row.starts[index + shift] ?? 0, stop)
      if (single && !single.test(text.slice(start, end))) {
        if (end > start) return { found, starts, ended: true }
        continue
      }
      // The line under the names of a Markdown table has no values.
      if (end > start && hasValue.test(text.slice(start, end)))
        found.push({ start, end, type, rule: 'sensitive-column', score: 0.8 })
    }
  }
  return { found, starts, ended: false }
}

/** Where the fields of the line at `at` begin, and where it ends; what is in quotes belongs to its field. */
function rowAt(text: string, at: number, separator: number, most = Infinity): { starts: number[]; end: number } {
  if (separator === aligned) return alignedRow(text, at)
  const starts = [at]
  let quoted = false
  let lines = 1
  let place = at
  for (; place < text.length; place++) {
    const code = text.charCodeAt(place)
    if (code === quote) quoted = !quoted
    else if (quoted) {
      if (code === lineEnd && ++lines > most) return { starts: [], end: place }
    } else if (code === separator) starts.push(place + 1)
    else if (code === lineEnd) break
  }
  return { starts, end: place }
}

function alignedRow(text: string, at: number): { starts: number[]; end: number } {
  const starts: number[] = []
  let spaces = 2
  let place = at
  for (; place < text.length; place++) {
    const code = text.charCodeAt(place)
    if (code === lineEnd) break
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
