import { HelloReader } from './client-hello.ts'

/** The random of a ServerHello that asks for another greeting: HelloRetryRequest (RFC 8446, 4.1.3). */
const retryRandom = Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex')
/** Headers of record and message, version, random. */
const enough = 5 + 4 + 2 + 32
const handshake = 22
const alert = 21
/** With the header of its record. */
const warningBytes = 7
/** What a client may send before its handshake goes on: a change of cipher that means nothing, alerts, early data. */
const harmless = new Set([20, 21, 23])

export type Answer = 'more' | 'retry' | 'other' | 'odd'

/** Says of the first bytes of a server whether it asks the client to greet again. */
export class AnswerReader {
  #bytes = Buffer.alloc(0)

  feed(data: Buffer): Answer {
    this.#bytes = Buffer.concat([this.#bytes, data])
    // Some servers warn first that they do not know the name, and then go on: what they say next is the answer.
    while (this.#bytes[0] === alert) {
      if (this.#bytes.length < warningBytes) return 'more'
      if (this.#bytes.readUInt16BE(3) !== 2) return 'odd'
      // Nothing comes behind an alert that is more than a warning.
      if (this.#bytes[5] !== 1) return 'other'
      this.#bytes = this.#bytes.subarray(warningBytes)
    }
    if (this.#bytes.length > 0 && this.#bytes[0] !== handshake) return 'other'
    if (this.#bytes.length < enough) return 'more'
    // A first message in smaller pieces than this is of no server that exists, and could hide such a request.
    if (this.#bytes[5] !== 2 || this.#bytes.readUInt16BE(3) < enough - 5) return 'odd'
    return this.#bytes.subarray(11, enough).equals(retryRandom) ? 'retry' : 'other'
  }
}

/** What goes on to the server, and whether the next record has to be looked at, waits for the server, or is free. */
export type Passed =
  | { readonly pass: readonly Buffer[]; readonly next: 'look' | 'wait' | 'free' }
  | { readonly refused: string }

/**
 * What a client sends behind its greeting. A server that asks it to greet again takes the name from that second greeting.
 * So no handshake record goes out before the server has answered, and if it has asked, only a greeting that is right.
 */
export class SecondHello {
  #held: Buffer = Buffer.alloc(0)
  #answer: Answer = 'more'
  #hello: HelloReader | null = null
  /** Bytes of a harmless record that are still to come. */
  #left = 0
  readonly #wrongName: (name: string | null) => string | null

  constructor(wrongName: (name: string | null) => string | null) {
    this.#wrongName = wrongName
  }

  get isHolding(): boolean {
    return this.#held.length > 0 || this.#hello !== null
  }

  /** The server has answered; what was held goes its way. */
  answered(answer: Answer): Passed {
    this.#answer = answer
    return this.feed(Buffer.alloc(0))
  }

  feed(data: Buffer): Passed {
    if (this.#answer === 'odd') return { refused: 'the host does not answer a TLS greeting as TLS does' }
    if (this.#hello) return this.#greeting(this.#hello, data, [])
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, data]) : data
    this.#held = Buffer.alloc(0)
    if (this.#answer === 'other') return { pass: [bytes], next: 'free' }
    let at = 0
    while (at < bytes.length) {
      const type = bytes[at] ?? 0
      if (this.#left > 0) {
        const part = Math.min(this.#left, bytes.length - at)
        this.#left -= part
        at += part
      } else if (type === handshake) {
        return this.#handshake(bytes.subarray(0, at), bytes.subarray(at))
      } else if (!harmless.has(type)) {
        return { refused: 'something that is not TLS follows the greeting' }
      } else if (bytes.length - at >= 5) {
        this.#left = bytes.readUInt16BE(at + 3)
        at += 5
      } else break
    }
    this.#held = Buffer.from(bytes.subarray(at))
    return { pass: [bytes.subarray(0, at)], next: 'look' }
  }

  #handshake(before: Buffer, rest: Buffer): Passed {
    if (this.#answer === 'retry') {
      this.#hello = new HelloReader()
      return this.#greeting(this.#hello, rest, [before])
    }
    this.#held = Buffer.from(rest)
    return { pass: [before], next: 'wait' }
  }

  #greeting(hello: HelloReader, data: Buffer, before: readonly Buffer[]): Passed {
    const state = hello.feed(data)
    if (state.kind === 'more') return { pass: before, next: 'look' }
    const why = state.kind === 'refused' ? state.why : this.#wrongName(state.name)
    return why === null ? { pass: [...before, hello.bytes], next: 'free' } : { refused: why }
  }
}
