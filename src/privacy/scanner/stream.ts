import type { Finding } from '../../contract/privacy.ts'
import { findInRows, mayBeHeader, readHeader, type Table } from '../table.ts'
import { addDecided, contextStart, cutPoint, reach } from './pieces.ts'
import { resolve } from './resolve.ts'
import type { Scanner, ScanOptions } from './scanner.ts'

/** Text about which all is known, with what was found in it. Offsets count from the start of the stream. */
export interface Decided {
  readonly text: string
  readonly start: number
  readonly found: readonly Finding[]
}

/** Undecided text is looked at when this much more of it has come in: often enough to flow, seldom enough to be quick. */
const step = 1024
/** A row of a table longer than this ends the table: a quote that is never closed must not hold everything back. */
const longestRow = 1 << 16
/** A large chunk is taken in parts, so that memory does not grow with it. */
const part = 1 << 16

/**
 * Finds in a stream what a scan of the whole text would find, wherever the chunks are cut. Text is handed on once nothing
 * that may still come can change the answer, so a value split over two chunks is never let through. The bound: a table
 * is read by the names of its columns when the stream begins with it. One below an introduction is not, because its
 * header may be handed on long before its last row comes; what has a form of its own is found in its cells all the same.
 */
export class StreamScanner {
  readonly #scanner: Scanner
  readonly #options: ScanOptions
  /** Decided text that is still context, then undecided text. */
  #pending = ''
  /** Offset in the stream of the first pending character. */
  #base = 0
  /** Where the undecided part begins, in `#pending`. */
  #decided = 0
  #looked = 0
  /** The table that the stream begins with; undefined before its first line is known. */
  #table: Table | null | undefined
  /** Where the rows begin that are not decided, in `#pending`. */
  #rows: number[] = [0]
  /** Whether the table ends with the last of them. */
  #ended = false

  constructor(scanner: Scanner, options: ScanOptions = {}) {
    this.#scanner = scanner
    this.#options = options
  }

  push(chunk: string): Decided {
    const start = this.#base + this.#decided
    const found: Finding[] = []
    let text = ''
    for (let at = 0; at < chunk.length; at += part) {
      this.#pending += at === 0 && chunk.length <= part ? chunk : chunk.slice(at, at + part)
      if (this.#pending.length - this.#looked < this.#nextStep() || this.#pending.length - this.#decided <= reach)
        continue
      if (this.#table === undefined && mayBeHeader(this.#pending)) continue
      text += this.#decide(found)
    }
    return { text, start, found }
  }

  /** While a long value is under way its beginning is not read anew for every bit that comes in. */
  #nextStep(): number {
    return Math.max(step, (this.#pending.length - this.#decided) >> 2)
  }

  /** The stream has ended: all that is left is decided. */
  end(): Decided {
    const start = this.#base + this.#decided
    const found: Finding[] = []
    const whole = this.#base === 0 && this.#decided === 0
    const inPiece = this.#withColumns(this.#scanner.scan(this.#pending, { ...this.#options, whole }), true)
    addDecided(found, inPiece, this.#base, start, this.#base + this.#pending.length)
    const text = this.#pending.slice(this.#decided)
    this.#base += this.#pending.length
    this.#pending = ''
    this.#decided = 0
    return { text, start, found }
  }

  /** Adds what stands in the sensitive columns of rows that have ended. */
  #withColumns(found: Finding[], last: boolean): Finding[] {
    if (this.#table === undefined) {
      this.#table = readHeader(this.#pending)
      this.#rows = [this.#table?.rows ?? 0]
    }
    if (!this.#table) return found
    const rows = findInRows(this.#table, this.#pending, this.#rows[0] ?? 0, last)
    this.#rows = rows.starts
    this.#ended = rows.ended
    if (this.#pending.length - (rows.starts.at(-1) ?? 0) > longestRow) this.#table = null
    return rows.found.length > 0 ? resolve([...found, ...rows.found]) : found
  }

  /** A table is cut between its rows, so that the next piece begins with one. */
  #atRow(cut: number): number {
    if (!this.#table) return cut
    const row = this.#rows.findLast(start => start <= cut)
    return row === undefined || row < this.#decided ? this.#decided : row
  }

  #decide(found: Finding[]): string {
    const inPiece = this.#withColumns(this.#scanner.scan(this.#pending, { ...this.#options, whole: false }), false)
    const cut = this.#atRow(cutPoint(this.#pending, inPiece, this.#decided))
    addDecided(found, inPiece, this.#base, this.#base + this.#decided, this.#base + cut)
    if (this.#ended && cut === this.#rows.at(-1)) this.#table = null
    const text = this.#pending.slice(this.#decided, cut)
    const keepFrom = contextStart(this.#pending, cut)
    this.#pending = this.#pending.slice(keepFrom)
    this.#base += keepFrom
    this.#rows = [cut - keepFrom]
    this.#decided = cut - keepFrom
    this.#looked = this.#pending.length
    return text
  }
}
