import type { Framing } from './http-head.ts'

/**
 * Takes the bytes of a body as they come and gives what travels on: pieces of a chunked body are taken out of their
 * chunks and put into new ones, so that the next reader cannot read them otherwise.
 */
export interface Body {
  /** Bytes to send on, perhaps in `data` itself, whose content is then another. Null when the body is malformed. */
  feed(data: Buffer): Buffer[] | null
  /** True when the body is whole; further bytes belong to nothing. */
  readonly isWhole: boolean
  /** What is still to be sent on when its sender has closed in good order. */
  readonly atEnd: readonly Buffer[]
}

/** `isForChunks`: whether the next reader knows chunks; without them the end of the connection is the end of a body. */
export function bodyOf(framing: Framing, isForChunks = true): Body {
  if (framing.kind === 'chunked') return new ChunkedBody(isForChunks)
  if (framing.kind === 'until-end') return isForChunks ? unboundedInChunks : unbounded
  return new CountedBody(framing.kind === 'length' ? framing.bytes : 0)
}

const crlf = Buffer.from('\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')
/** A chunk without data would be the last one. */
const inChunk = (data: Buffer): Buffer[] =>
  data.length === 0 ? [] : [Buffer.from(`${data.length.toString(16)}\r\n`), data, crlf]

const unbounded: Body = { isWhole: false, feed: data => [data], atEnd: [] }
/** Without the last chunk a reader sees that a body was cut off, which would otherwise look like its end. */
const unboundedInChunks: Body = { isWhole: false, feed: inChunk, atEnd: [lastChunk] }

class CountedBody implements Body {
  readonly atEnd = []
  #left: number
  constructor(bytes: number) {
    this.#left = bytes
  }

  get isWhole(): boolean {
    return this.#left === 0
  }

  feed(data: Buffer): Buffer[] {
    const part = data.length <= this.#left ? data : data.subarray(0, this.#left)
    this.#left -= part.length
    return part.length > 0 ? [part] : []
  }
}

const maxLine = 1024
const maxTrailers = 64 * 1024
const [TAB, LF, CR, SEMICOLON] = [9, 10, 13, 59]
const isPrintable = (byte: number): boolean => byte >= 0x20 && byte <= 0x7e

/** The value of a hexadecimal digit, or -1. */
function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const small = byte | 0x20
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1
}

type State = 'size' | 'extension' | 'size-lf' | 'data' | 'data-cr' | 'data-lf' | 'trailer' | 'trailer-lf'

class ChunkedBody implements Body {
  readonly atEnd = []
  isWhole = false
  #state: State = 'size'
  /** The size of a chunk as it is read, then what is still to come of it. */
  #left = 0
  #digits = 0
  #lineBytes = 0
  #trailerBytes = 0
  readonly #isForChunks: boolean

  constructor(isForChunks: boolean) {
    this.#isForChunks = isForChunks
  }

  feed(data: Buffer): Buffer[] | null {
    if (this.isWhole) return []
    // Data of many chunks is pushed together, in place: chunks of a byte would otherwise cost three writes each.
    let from = 0
    let to = 0
    let at = 0
    while (at < data.length && !this.isWhole) {
      if (this.#state !== 'data') {
        if (!this.#take(data[at++] ?? 0)) return null
        continue
      }
      const taken = Math.min(this.#left, data.length - at)
      if (to === 0) from = to = at
      else if (taken < 16) for (let n = 0; n < taken; n++) data[to + n] = data[at + n] ?? 0
      else data.copyWithin(to, at, at + taken)
      to += taken
      at += taken
      this.#left -= taken
      if (this.#left === 0) this.#state = 'data-cr'
    }
    const found = data.subarray(from, to)
    if (!this.#isForChunks) return found.length > 0 ? [found] : []
    return this.isWhole ? [...inChunk(found), lastChunk] : inChunk(found)
  }

  /** A byte that is not data. By numbers: a text for each line takes seconds where chunks are small. */
  #take(byte: number): boolean {
    switch (this.#state) {
      case 'size':
        return this.#takeSize(byte)
      case 'extension':
        // Extensions mean nothing to anybody and are read differently by many: none travel on.
        if (byte === CR) return this.#next('size-lf')
        return isPrintable(byte) && ++this.#lineBytes <= maxLine
      case 'size-lf':
        this.#lineBytes = 0
        return byte === LF && this.#next(this.#left === 0 ? 'trailer' : 'data')
      case 'data':
      case 'data-cr':
        return byte === CR && this.#next('data-lf')
      case 'data-lf':
        return byte === LF && this.#next('size')
      case 'trailer':
        if (byte === CR) return this.#next('trailer-lf')
        return (
          (isPrintable(byte) || byte === TAB) && ++this.#lineBytes <= maxLine && ++this.#trailerBytes <= maxTrailers
        )
      case 'trailer-lf':
        if (byte !== LF) return false
        this.isWhole = this.#lineBytes === 0
        this.#lineBytes = 0
        return this.#next('trailer')
    }
  }

  #takeSize(byte: number): boolean {
    const digit = digitOf(byte)
    if (digit >= 0) {
      this.#left = this.#left * 16 + digit
      return ++this.#digits <= 8
    }
    if (this.#digits === 0 || (byte !== CR && byte !== SEMICOLON)) return false
    this.#digits = 0
    return this.#next(byte === CR ? 'size-lf' : 'extension')
  }

  #next(state: State): true {
    this.#state = state
    return true
  }
}
