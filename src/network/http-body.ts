import type { Framing } from './http-head.ts'

/**
 * Takes the bytes of a body as they come and gives what travels on: pieces of a chunked body are taken out of their
 * chunks and put into new ones, so that the next reader cannot read them otherwise.
 */
export interface Body {
  /** Bytes to send on. Null when the body is malformed. */
  feed(data: Buffer): Buffer[] | null
  /** True when the body is whole; further bytes belong to nothing. */
  readonly isWhole: boolean
}

export function bodyOf(framing: Framing, isForChunks = true): Body {
  if (framing.kind === 'chunked') return new ChunkedBody(isForChunks)
  if (framing.kind === 'until-end') return { isWhole: false, feed: data => [data] }
  return new CountedBody(framing.kind === 'length' ? framing.bytes : 0)
}

class CountedBody implements Body {
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
const CR = 13
const LF = 10
const crlf = Buffer.from('\r\n')

class ChunkedBody implements Body {
  isWhole = false
  #state: 'size' | 'data' | 'data-end' | 'trailer' = 'size'
  #line = ''
  #left = 0
  #trailerBytes = 0
  /** Whether the next reader knows chunks; without them the end of the connection is the end of the body. */
  readonly #isForChunks: boolean

  constructor(isForChunks: boolean) {
    this.#isForChunks = isForChunks
  }

  feed(data: Buffer): Buffer[] | null {
    const out: Buffer[] = []
    let at = 0
    while (at < data.length && !this.isWhole) {
      if (this.#state === 'data') {
        const part = data.subarray(at, at + this.#left)
        if (this.#isForChunks) out.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, crlf)
        else out.push(part)
        at += part.length
        this.#left -= part.length
        if (this.#left === 0) this.#state = 'data-end'
        continue
      }
      const line = this.#readLine(data[at++] ?? 0)
      if (line === false) return null
      if (line !== null && !this.#take(line, out)) return null
    }
    return out
  }

  /** A line without its end, null while it is not whole, false when it never will be one. */
  #readLine(byte: number): string | null | false {
    if (byte === LF) {
      if (!this.#line.endsWith('\r')) return false
      const line = this.#line.slice(0, -1)
      this.#line = ''
      return line
    }
    if (this.#state === 'data-end' && byte !== CR) return false
    if (this.#line.endsWith('\r') || this.#line.length >= maxLine) return false
    if (byte !== CR && byte !== 9 && (byte < 0x20 || byte > 0x7e)) return false
    this.#line += String.fromCharCode(byte)
    return null
  }

  #take(line: string, out: Buffer[]): boolean {
    if (this.#state === 'data-end') {
      this.#state = 'size'
      return line === ''
    }
    if (this.#state === 'trailer') {
      this.#trailerBytes += line.length
      if (line === '') this.#end(out)
      return this.#trailerBytes <= maxTrailers
    }
    // Extensions mean nothing to anybody and are read differently by many: none travel on.
    const size = /^([0-9a-fA-F]{1,8})(?:;[\x20-\x7e]*)?$/.exec(line)
    if (!size) return false
    this.#left = Number.parseInt(size[1] ?? '', 16)
    this.#state = this.#left === 0 ? 'trailer' : 'data'
    return true
  }

  #end(out: Buffer[]): void {
    this.isWhole = true
    if (this.#isForChunks) out.push(Buffer.from('0\r\n\r\n'))
  }
}
