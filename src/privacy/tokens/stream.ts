import type { CountsByType, Finding } from '../../contract/privacy.ts'
import type { Decided, StreamScanner } from '../scanner/stream.ts'
import { protectLiterals, restoreText, type TokenBook, unfinishedToken } from './tokens.ts'

type Select = (finding: Finding, text: string) => boolean

/** Replaces what was found in a stream of text. It may hold back the beginning of what looks like a token. */
export class ReplacingStream {
  readonly #book: TokenBook
  readonly #select: Select
  /** The beginning of what may be a token look-alike. */
  #held = ''
  /** How many were found, by type. */
  readonly counts: CountsByType = {}

  /** `select` leaves out what a person allowed; it sees each finding with its text. */
  constructor(book: TokenBook, select: Select = () => true) {
    this.#book = book
    this.#select = select
  }

  /** `last`: nothing comes after this piece. */
  replace(decided: Decided, last: boolean): string {
    let out = ''
    let at = 0
    for (const finding of decided.found) {
      const start = finding.start - decided.start
      const end = finding.end - decided.start
      if (!this.#select(finding, decided.text.slice(start, end))) continue
      out +=
        this.#plain(decided.text.slice(at, start), true) +
        this.#book.tokenFor(finding.type, decided.text.slice(start, end))
      this.counts[finding.type] = (this.counts[finding.type] ?? 0) + 1
      at = end
    }
    return out + this.#plain(decided.text.slice(at), last)
  }

  /** Text between findings. What follows a finding or the end of the stream cannot finish a look-alike. */
  #plain(text: string, complete: boolean): string {
    const whole = this.#held + text
    const open = complete ? null : unfinishedToken.exec(whole.slice(-64))
    this.#held = open ? open[0] : ''
    return protectLiterals(open ? whole.slice(0, whole.length - open[0].length) : whole, this.#book)
  }
}

/** Redacts a stream of text. What comes out is safe to send; what is still undecided stays inside. */
export class RedactionStream {
  readonly #scanner: StreamScanner
  readonly #replacing: ReplacingStream

  /** `select` leaves out what a person allowed; it sees each finding with its text. */
  constructor(scanner: StreamScanner, book: TokenBook, select?: Select) {
    this.#scanner = scanner
    this.#replacing = new ReplacingStream(book, select)
  }

  get counts(): CountsByType {
    return this.#replacing.counts
  }

  push(chunk: string): string {
    return this.#replacing.replace(this.#scanner.push(chunk), false)
  }

  end(): string {
    return this.#replacing.replace(this.#scanner.end(), true)
  }
}

/** Puts real values back into a stream; a token that is split over chunks is waited for. */
export class RestoringStream {
  readonly #book: TokenBook
  #held = ''

  constructor(book: TokenBook) {
    this.#book = book
  }

  /** One for another text of the same conversation. */
  another(): RestoringStream {
    return new RestoringStream(this.#book)
  }

  push(chunk: string): string {
    const whole = this.#held + chunk
    const open = unfinishedToken.exec(whole.slice(-64))
    this.#held = open ? open[0] : ''
    return restoreText(open ? whole.slice(0, whole.length - open[0].length) : whole, this.#book)
  }

  end(): string {
    const rest = this.#held
    this.#held = ''
    return restoreText(rest, this.#book)
  }
}
