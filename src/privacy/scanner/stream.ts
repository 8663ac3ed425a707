import type { Finding } from '../../contract/privacy.ts'
import { TableReader } from '../tables.ts'
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
/** A large chunk is taken in parts, so that memory does not grow with it. */
const part = 1 << 16

/**
 * Finds in a stream what a scan of the whole text would find, wherever the chunks are cut. Text is handed on once nothing
 * that may still come can change the answer, so a value split over two chunks is never let through. A row of a table is
 * held back until its end has come: before that nobody knows which of its fields stands in which column.
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
  readonly #tables: TableReader
  /** What the tables gave that lies in the pending text. Offsets count from the start of the stream. */
  #inColumns: Finding[] = []

  constructor(scanner: Scanner, options: ScanOptions = {}) {
    this.#scanner = scanner
    this.#options = options
    this.#tables = new TableReader(options.least)
  }

  push(chunk: string): Decided {
    const start = this.#base + this.#decided
    const found: Finding[] = []
    let text = ''
    for (let at = 0; at < chunk.length; at += part) {
      this.#pending += at === 0 && chunk.length <= part ? chunk : chunk.slice(at, at + part)
      if (this.#pending.length - this.#looked < this.#nextStep() || this.#pending.length - this.#decided <= reach)
        continue
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
    const inPiece = this.#find(whole, true)
    addDecided(found, inPiece, this.#base, start, this.#base + this.#pending.length)
    const text = this.#pending.slice(this.#decided)
    this.#base += this.#pending.length
    this.#pending = ''
    this.#decided = 0
    return { text, start, found }
  }

  /** What is in the pending text, by its form and by the columns of the rows that have ended. */
  #find(whole: boolean, last: boolean): Finding[] {
    const found = this.#scanner.scan(this.#pending, { ...this.#options, whole })
    for (const finding of this.#tables.read(this.#pending.slice(this.#looked), last)) this.#inColumns.push(finding)
    if (this.#inColumns.length === 0) return found
    for (const { start, end, ...rest } of this.#inColumns)
      found.push({ ...rest, start: start - this.#base, end: end - this.#base })
    return resolve(found)
  }

  #decide(found: Finding[]): string {
    const inPiece = this.#find(false, false)
    const cut = cutPoint(this.#pending, inPiece, this.#decided, this.#tables.decided - this.#base)
    addDecided(found, inPiece, this.#base, this.#base + this.#decided, this.#base + cut)
    const text = this.#pending.slice(this.#decided, cut)
    const keepFrom = contextStart(this.#pending, cut)
    this.#pending = this.#pending.slice(keepFrom)
    this.#base += keepFrom
    // What is decided stays as long as its text is context: one that it was cut short by must be cut short again.
    this.#inColumns = this.#inColumns.filter(({ end }) => end > this.#base)
    this.#decided = cut - keepFrom
    this.#looked = this.#pending.length
    return text
  }
}
