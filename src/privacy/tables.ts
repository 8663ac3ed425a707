import type { Finding } from '../contract/privacy.ts'
import { findInRows, mayBeHeader, readHeader, tableEnd } from './table.ts'

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
 * are as wide. Each character is looked at once; nearly every line of prose and code ends at the count of its signs.
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
    if (above[foreign] === 0 && lineStart - aboveStart < 400 && isAsWide(above, counts)) {
      const end = readTable(text, aboveStart, lineStart, found)
      // What belongs to a table is no header of another.
      if (end > at) counts[foreign] = 1
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

const isAsWide = (above: readonly number[], counts: readonly number[]): boolean =>
  [1, 2, 3, 4].some(kind => above[kind] !== 0 && above[kind] === counts[kind]) ||
  (above[gap] !== 0 && (counts[gap] === above[gap] || counts[gap] === (above[gap] ?? 0) + 1))

/** Adds what is in the rows below the line at `at`, if that is a header; returns where they end. */
function readTable(text: string, at: number, rows: number, found: Finding[]): number {
  if (!mayBeHeader(text.slice(at, rows - 1))) return 0
  const table = readHeader(text.slice(at, rows))
  const columns = table?.columns.filter(({ personal }) => personal) ?? []
  // A list with a comma behind each item is as wide as its first line, too.
  if (
    !table ||
    columns.length === 0 ||
    text
      .slice(at, rows)
      .split(/[,;\t|]| {2,}/)
      .filter(part => /[\p{L}\d]/u.test(part)).length < 2
  )
    return 0
  const end = tableEnd(table, text, rows)
  if (end > rows) found.push(...findInRows({ ...table, columns }, text.slice(0, end), rows, true).found)
  return end
}
