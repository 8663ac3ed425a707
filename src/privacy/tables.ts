import type { Finding } from '../contract/privacy.ts'
import { HeaderLook, longestHeaderBelow } from './header-look.ts'
import {
  addValues,
  columnScore,
  endsColumn,
  isAsWide,
  readHeader,
  readPersonalHeader,
  readRow,
  type Table,
} from './table.ts'

/** What stands in the sensitive columns of a whole text. */
export const findInTables = (text: string, least = 0): Finding[] => new TableReader(least).read(text, true)

/** Most lines of a row below an introduction: a quote in prose is no reason to take a page for a field. */
const mostLines = 16
const unfinished = -1

/**
 * Reads the tables of a text by the names of their columns, however the text is cut: one from its first line on, to
 * which any line may belong, and those further down, each from a line of nothing but names to the first line that is not
 * as wide. A line is looked at when its end has come, and once: the search goes on behind what belongs to a table. If
 * each row were asked for the rows below it, a table of nothing but names would take time by the square.
 */
export class TableReader {
  /** How sure it must be. */
  readonly #least: number
  /** The beginning of a line or row whose end has not come. */
  #rest = ''
  /** Where that begins, from the start of the text. */
  #at = 0
  /** The table of the first line; undefined before that is known. */
  #first: Table | null | undefined
  /** The table further down whose rows are being read. */
  #below: Table | null = null
  /** In the middle of a line that is too long to be a header. */
  #inLongLine = false

  constructor(least = 0) {
    this.#least = least
  }

  /** Up to where no value can be added any more. A header is no value, so that it need not be held back. */
  get decided(): number {
    const mayBeValues = this.#first === undefined ? this.#rest.includes('\n') : this.#below || this.#first
    return mayBeValues ? this.#at : this.#at + this.#rest.length
  }

  /** What is in the rows that end in `more`, the next part of the text; with the last part, what is in all that are left. */
  read(more: string, last: boolean): Finding[] {
    const text = this.#rest + more
    const part = { text, last, look: new HeaderLook(text), found: [] }
    let at = 0
    while (at < text.length) {
      const next = this.#readOn(part, at)
      if (next === unfinished) break
      at = next
    }
    this.#rest = text.slice(at)
    this.#at += at
    return columnScore < this.#least ? [] : part.found
  }

  /** Returns where to go on; the same place where a table has ended and its line is to be read as any other. */
  #readOn(part: Part, at: number): number {
    if (this.#first === undefined) return this.#begin(part)
    if (this.#below) return this.#readBelow(this.#below, part, at)
    if (this.#first) return this.#readFirst(this.#first, part, at)
    return this.#search(part, at)
  }

  #begin({ text, last }: Part): number {
    const table = readHeader(text, last)
    if (table === undefined) return unfinished
    this.#first = table
    return table?.rows ?? 0
  }

  /** A row of a table further down, which ends with the first line that is none. */
  #readBelow(table: Table, part: Part, at: number): number {
    const { text, last, found } = part
    const row = readRow(table.separator, text, at, { lines: mostLines })
    if (row && row.end === text.length && !last) return unfinished
    if (!row || !isAsWide(table, row)) {
      this.#below = null
      return at
    }
    addValues(table, row, text, this.#at, found)
    this.#below = joined(table, headerIn(part, at, row.end))
    return row.end + 1
  }

  /** A row of the table that the text begins with, a note between its rows, or a line above another table. */
  #readFirst(table: Table, part: Part, at: number): number {
    const { text, last, found } = part
    const row = readRow(table.separator, text, at)
    if (row && row.end === text.length && !last) return unfinished
    if (!row || endsColumn(table, row, text)) {
      this.#first = null
      return at
    }
    if (isAsWide(table, row)) {
      addValues(table, row, text, this.#at, found)
      this.#first = joined(table, headerIn(part, at, row.end))
    } else this.#below = headerIn(part, at, row.end)
    return row.end + 1
  }

  /** Goes from line to line, up to the first row of the next table. */
  #search(part: Part, at: number): number {
    const { text, last } = part
    let start = at
    for (;;) {
      const end = text.indexOf('\n', start)
      if (end < 0) break
      if (this.#inLongLine) this.#inLongLine = false
      else this.#below = headerIn(part, start, end)
      start = end + 1
      if (this.#below) return start
    }
    if (start > at) return start
    if (!last && !this.#inLongLine && text.length - at <= longestHeaderBelow) return unfinished
    this.#inLongLine = true
    return text.length
  }
}

/** The text that is at hand, and what was found in it. */
interface Part {
  readonly text: string
  readonly last: boolean
  readonly look: HeaderLook
  readonly found: Finding[]
}

const headerIn = ({ text, look }: Part, start: number, end: number): Table | null =>
  look.mayBeHeader(start, end) ? readPersonalHeader(text.slice(start, end)) : null

/** Two tables without a gap between them: from the header of the second on the columns of both count. */
function joined(table: Table, next: Table | null): Table {
  if (next?.separator !== table.separator || next.width !== table.width) return table
  const known = new Set(table.columns.map(({ index }) => index))
  return { ...table, columns: [...table.columns, ...next.columns.filter(({ index }) => !known.has(index))] }
}
