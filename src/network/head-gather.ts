import { append } from './client-hello.ts'
import { type Head, maxHead, parseHead } from './http-head.ts'

/** Gathers the head of a message from bytes as they come, also one at a time. */
export class HeadGather {
  #buffer: Buffer = Buffer.alloc(1024)
  #length = 0

  /** The head and what follows it; null when it is too long or cannot be read. */
  feed(data: Buffer): { head: Head; rest: Buffer } | 'more' | null {
    const from = Math.max(0, this.#length - 3)
    this.#buffer = append(this.#buffer, this.#length, data)
    this.#length += data.length
    const whole = this.#buffer.subarray(0, this.#length)
    const end = whole.indexOf('\r\n\r\n', from, 'latin1')
    if (end < 0) return this.#length > maxHead || hasBareLf(whole, from) ? null : 'more'
    if (end + 4 > maxHead) return null
    const head = parseHead(whole.toString('latin1', 0, end + 4))
    return head && { head, rest: Buffer.from(whole.subarray(end + 4)) }
  }
}

/** A head with a line that ends in LF alone never becomes one; waiting for its end would only tie up the connection. */
function hasBareLf(bytes: Buffer, from: number): boolean {
  for (let at = bytes.indexOf(10, from); at >= 0; at = bytes.indexOf(10, at + 1)) if (bytes[at - 1] !== 13) return true
  return false
}
