/**
 * Reads the name out of a TLS greeting (ClientHello) without opening anything. The greeting may come in many records and
 * in single bytes. Whatever is not exactly what RFC 8446 and RFC 6066 describe is refused: a server that reads it
 * otherwise than this would be another host than the granted one.
 */
export type HelloState =
  | { readonly kind: 'more' }
  | { readonly kind: 'refused'; readonly why: string }
  /** `name` is null where the greeting names no host. */
  | { readonly kind: 'named'; readonly name: string | null }

const maxHello = 64 * 1024
/** With records of one byte each, and five bytes before each of them. */
const maxBytes = 6 * maxHello
const serverName = 0
/** Both hide the true name behind another one: Encrypted Client Hello, and the draft before it. */
const hidden = new Set([0xfe0d, 0xffce])

const more: HelloState = { kind: 'more' }
const refused = (why: string): HelloState => ({ kind: 'refused', why })

export class HelloReader {
  #buffer: Buffer = Buffer.alloc(2048)
  #length = 0
  /** Handshake bytes, taken out of their records. */
  #message: Buffer = Buffer.alloc(2048)
  #messageLength = 0
  #at = 0

  /** All that was fed, to be sent on as it came. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  /** The records of the greeting, and what came behind them. */
  get greeting(): Buffer {
    return this.#buffer.subarray(0, this.#at)
  }

  get rest(): Buffer {
    return this.#buffer.subarray(this.#at, this.#length)
  }

  feed(data: Uint8Array): HelloState {
    if (this.#length + data.length > maxBytes) return refused('the TLS greeting is too long')
    this.#buffer = append(this.#buffer, this.#length, data)
    this.#length += data.length
    return this.#records()
  }

  #records(): HelloState {
    while (this.#length - this.#at >= 1) {
      const head = this.#buffer.subarray(this.#at, this.#length)
      if (head[0] !== 22) return refused('this is not a TLS greeting')
      if (head.length > 1 && head[1] !== 3) return refused('this is not a TLS greeting')
      if (head.length < 5) return more
      const size = head.readUInt16BE(3)
      if (size === 0 || size > 16_384) return refused('a TLS record has a wrong length')
      // The part of a record that is there already tells a wrong beginning; the rest waits until it is whole.
      if (head.length < 5 + size) return more
      this.#message = append(this.#message, this.#messageLength, head.subarray(5, 5 + size))
      this.#messageLength += size
      this.#at += 5 + size
      const found = this.#hello()
      if (found.kind !== 'more') return found
    }
    return more
  }

  #hello(): HelloState {
    const message = this.#message.subarray(0, this.#messageLength)
    if (message[0] !== 1) return refused('this is not a TLS greeting')
    if (message.length < 4) return more
    const size = message.readUIntBE(1, 3)
    if (size > maxHello) return refused('the TLS greeting is too long')
    if (message.length < 4 + size) return more
    // More handshake bytes in the same records would be a second message that nobody has read.
    if (message.length > 4 + size) return refused('something follows the TLS greeting')
    return nameIn(message.subarray(4, 4 + size))
  }
}

function nameIn(hello: Buffer): HelloState {
  const reader = new Fields(hello)
  reader.skip(2 + 32)
  reader.block(1)
  reader.block(2)
  reader.block(1)
  const extensions = new Fields(reader.block(2))
  if (reader.broken || reader.left > 0) return refused('the TLS greeting is damaged')
  let name: string | null = null
  const seen = new Set<number>()
  while (extensions.left > 0) {
    const type = extensions.number(2)
    const data = extensions.block(2)
    if (extensions.broken) return refused('the TLS greeting is damaged')
    if (seen.has(type)) return refused('the TLS greeting says the same thing twice')
    seen.add(type)
    if (hidden.has(type)) return refused('the TLS greeting hides the name of the host')
    if (type !== serverName) continue
    name = hostNameIn(data)
    if (name === null) return refused('the TLS greeting does not name exactly one host')
  }
  return { kind: 'named', name }
}

function hostNameIn(data: Buffer): string | null {
  const outer = new Fields(data)
  const list = new Fields(outer.block(2))
  const type = list.number(1)
  const name = list.block(2)
  const isOne = !outer.broken && outer.left === 0 && !list.broken && list.left === 0 && type === 0
  return isOne && name.length > 0 && name.every(byte => byte > 0x20 && byte < 0x7f) ? name.toString('latin1') : null
}

/** Fields with lengths before them; reading past the end marks it as broken. */
class Fields {
  broken = false
  #at = 0
  readonly #bytes: Buffer
  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  skip(count: number): void {
    this.#take(count)
  }

  number(width: number): number {
    const bytes = this.#take(width)
    return bytes.length === width ? bytes.readUIntBE(0, width) : 0
  }

  block(width: number): Buffer {
    return this.#take(this.number(width))
  }

  #take(count: number): Buffer {
    if (count > this.left) {
      this.broken = true
      this.#at = this.#bytes.length
      return Buffer.alloc(0)
    }
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }
}

/** `data` behind the first `length` bytes of `buffer`, which doubles when it is full. */
export function append(buffer: Buffer, length: number, data: Uint8Array): Buffer {
  let whole = buffer
  if (length + data.length > buffer.length) {
    whole = Buffer.alloc(Math.max(buffer.length * 2, length + data.length))
    buffer.copy(whole, 0, 0, length)
  }
  whole.set(data, length)
  return whole
}
