import { guessType } from './dataresource.ts'
import { type Cell, type Column, cellText, columnTable, type TableSource } from './source.ts'

/** Reads CSV as in RFC 4180, forgiving about line ends and about quotes that never close. The first record is the header. */
export function readCsv(text: string): TableSource {
  const [header = [], ...lines] = csvRecords(text.replace(/^\ufeff/, ''))
  // An empty line is an empty value where there is one column, and a slip of the writer where there are more.
  const records = header.length > 1 ? lines.filter(line => line.length > 1 || line[0] !== '') : lines
  const names = header.map((name, index) => name || `column ${index + 1}`)
  const values = names.map((_, column) =>
    records.map((record): Cell => {
      const field = record[column]
      return field === undefined || field === '' ? null : field
    }),
  )
  const columns = names.map((name, index): Column => ({ name, type: guessType(values[index] ?? []) }))
  return columnTable(columns, values)
}

/** The records of a text; no more than `most`, so that a huge file is not read to its end only to be refused. */
export function csvRecords(text: string, most = Number.POSITIVE_INFINITY): string[][] {
  const records: string[][] = []
  let record: string[] = []
  let at = 0
  while (at < text.length && records.length < most) {
    const { field, next } = text.charAt(at) === '"' ? quotedField(text, at) : bareField(text, at)
    record.push(field)
    const end = text.charAt(next)
    at = next + 1
    if (end === ',') {
      if (at >= text.length) record.push('')
      continue
    }
    if (end === '\r' && text.charAt(at) === '\n') at++
    records.push(record)
    record = []
  }
  if (record.length > 0) records.push(record)
  return records
}

function bareField(text: string, from: number): { field: string; next: number } {
  let next = from
  while (next < text.length) {
    const char = text.charAt(next)
    if (char === ',' || char === '\n' || char === '\r') break
    next++
  }
  return { field: text.slice(from, next), next }
}

function quotedField(text: string, from: number): { field: string; next: number } {
  let field = ''
  let at = from + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return { field: field + text.slice(at), next: text.length }
    field += text.slice(at, quote)
    if (text.charAt(quote + 1) !== '"') {
      const rest = bareField(text, quote + 1)
      return { field: field + rest.field, next: rest.next }
    }
    field += '"'
    at = quote + 2
  }
}

export interface CsvOptions {
  /**
   * Puts an apostrophe before text that a spreadsheet would take for a formula (`=HYPERLINK(…)`), so that opening the
   * file runs nothing. Numbers are left alone.
   */
  readonly guardFormulas: boolean
}

/** CSV as in RFC 4180, in pieces of about 64 KB, so that a large table never stands in one string. */
export function* writeCsv(source: TableSource, rows: ArrayLike<number>, options: CsvOptions): Generator<string> {
  const text = (cell: Cell) => csvField(cell, options.guardFormulas)
  let piece = `${source.columns.map(column => text(column.name)).join(',')}\r\n`
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? 0
    piece += `${source.columns.map((_, column) => text(source.value(row, column))).join(',')}\r\n`
    if (piece.length > 65_536) {
      yield piece
      piece = ''
    }
  }
  yield piece
}

function csvField(cell: Cell, guard: boolean): string {
  const text = cellText(cell)
  const guarded = guard && typeof cell === 'string' && startsFormula(text) ? `'${text}` : text
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** A minus or plus sign before a plain number is a number; anything else after it could be a formula. */
function startsFormula(text: string): boolean {
  // Spreadsheets skip blanks and fold full-width signs before they look for a formula.
  const start = text.trimStart().normalize('NFKC')
  return /^[=@]/.test(start) || /^[\t\r\n]/.test(text) || /^[+-](?!\s*[\d.,]+(?:e[+-]?\d+)?%?$)/i.test(start)
}

/** Tab-separated text for the clipboard; blanks stand for what would break a cell in two. */
export function toTsv(
  source: TableSource,
  rows: ArrayLike<number>,
  columns: readonly number[],
  header: boolean,
): string {
  const clean = (text: string) => text.replace(/[\t\r\n]+/g, ' ')
  const lines = header ? [columns.map(column => clean(source.columns[column]?.name ?? '')).join('\t')] : []
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? 0
    lines.push(columns.map(column => clean(cellText(source.value(row, column)))).join('\t'))
  }
  return lines.join('\n')
}
