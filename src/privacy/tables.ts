import type { Finding } from '../contract/privacy.ts'
import { findInRows, mayBeHeader, readHeader, rowEnd, type Table } from './table.ts'

/** What stands in the sensitive columns of a whole text: a table from its first line on, or tables between its lines. */
export function findInTables(text: string): Finding[] {
  const table = readHeader(text)
  if (table) return findInRows(table, text, table.rows, true).found
  return text.length <= longestMessage ? findFurtherDown(text) : []
}

/** Tables with an introduction stand in messages; a longer text is a file, which begins with its table. */
const longestMessage = 1 << 18

/** What a line is made of, for the cheap look: how many of each separator, and whether it may be names alone. */
const lineEnd = 0x0a
const separator = 1
const gap = 5
const foreign = 6
const kinds = new Uint8Array(128)
for (const [at, sign] of [',', ';', '\t', '|'].entries()) kinds[sign.charCodeAt(0)] = separator + at
kinds[0x20] = gap
for (const sign of ':={}[]<>!?*&%$@\\`+^~') kinds[sign.charCodeAt(0)] = foreign

/**
 * Tables after an introduction: a line of nothing but names, some of them of personal fields, and below it lines that
 * are as wide. Each character is looked at once, and those of a table twice more: the search goes on behind its end. If
 * each row were asked again whether it is a header, a table of nothing but names would take time by the square.
 */
function findFurtherDown(text: string): Finding[] {
  const found: Finding[] = []
  let counts = [0, 0, 0, 0, 0, 0, 0]
  let above = [0, 0, 0, 0, 0, 0, 1]
  let lineStart = 0
  let aboveStart = 0
  let inside = false
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : lineEnd
    if (code !== lineEnd) {
      const kind = code < 128 ? (kinds[code] ?? 0) : 0
      if (kind === 0) inside = true
      else if (inside && (kind !== gap || text.charCodeAt(at + 1) === 0x20)) {
        counts[kind] = (counts[kind] ?? 0) + 1
        if (kind === gap) inside = false
      } else if (kind === foreign) counts[foreign] = 1
      continue
    }
    if (above[foreign] === 0 && lineStart - aboveStart < longestHeaderBelow && isAsWide(above, counts)) {
      const end = readTable(text, aboveStart, lineStart, found)
      if (end > at) {
        // What belongs to a table is no header of another; the loop goes on with the line behind it.
        counts[foreign] = 1
        at = end - 1
      }
    }
    const spare = above
    above = counts
    counts = spare.fill(0)
    aboveStart = lineStart
    lineStart = at + 1
    inside = false
  }
  return found
}

/** Longest header below an introduction: a longer line of names is a list of words. */
const longestHeaderBelow = 400

const isAsWide = (above: readonly number[], counts: readonly number[]): boolean =>
  [1, 2, 3, 4].some(kind => above[kind] !== 0 && above[kind] === counts[kind]) ||
  (above[gap] !== 0 && (counts[gap] === above[gap] || counts[gap] === (above[gap] ?? 0) + 1))

/** Adds what is in the rows below the line at `at`, if that is a header; returns where they end. */
function readTable(text: string, at: number, rows: number, found: Finding[]): number {
  const table = readPersonalHeader(text.slice(at, rows))
  if (!table) return 0
  let columns = table.columns
  let from = rows
  for (;;) {
    const { end, next } = stretch(table, text, from)
    // Not `push(...)`: as many arguments as a long table has values do not fit on the stack.
    for (const finding of findInRows({ ...table, columns }, text.slice(0, end), from, true).found) found.push(finding)
    if (!next) return end
    // Two tables without a gap between them: from here on the columns of both count.
    const known = new Set(columns.map(({ index }) => index))
    columns = [...columns, ...next.columns.filter(({ index }) => !known.has(index))]
    from = end
  }
}

/** The rows from `from` on, up to the end of the table or to the first that may itself be a header, which is included. */
function stretch(table: Table, text: string, from: number): { end: number; next: Table | null } {
  let at = from
  while (at < text.length) {
    const end = rowEnd(table, text, at)
    if (end === null) break
    const next = end - at < longestHeaderBelow ? readPersonalHeader(text.slice(at, end)) : null
    at = end
    if (next) return { end: at, next }
  }
  return { end: at, next: null }
}

/** The header in a line, if it names personal fields; passwords and keys are also words of prose. */
function readPersonalHeader(line: string): Table | null {
  if (!mayBeHeader(line.endsWith('\n') ? line.slice(0, -1) : line)) return null
  const table = readHeader(line)
  const columns = table?.columns.filter(({ personal }) => personal) ?? []
  if (!table || columns.length === 0) return null
  // A list with a comma behind each item is as wide as its first line, too.
  const names = line.split(/[,;\t|]| {2,}/).filter(part => /[\p{L}\d]/u.test(part))
  return names.length < 2 ? null : { ...table, columns }
}
