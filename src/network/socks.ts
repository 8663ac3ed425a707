import type { Connection } from './connection.ts'
import { addressHost, canonicalHost, type Host } from './host.ts'
import { openWay } from './http.ts'
import { Refusal } from './refusal.ts'

/** SOCKS5 (RFC 1928): CONNECT without a password. Names are resolved here, like everywhere. */
export const socksVersion = 5
const noMethods = 0xff

const codes: Partial<Record<string, number>> = {
  'not-granted': 2,
  denied: 2,
  address: 2,
  rate: 2,
  unresolved: 4,
  unreachable: 5,
}

const reply = (code: number): Buffer => Buffer.from([socksVersion, code, 0, 1, 0, 0, 0, 0, 0, 0])
/** What a client of SOCKS is told; it has no place for a sentence. */
export const socksRefusal = (refusal: Refusal): Buffer => reply(codes[refusal.code] ?? 1)

const malformed = (why: string): Refusal => new Refusal('malformed', `The SOCKS request cannot be read: ${why}.`)

/** Takes the greeting and the request, each of which may come in single bytes. */
export class SocksReader {
  #bytes = Buffer.alloc(0)
  #isGreeted = false
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The target and what follows the request, or null while more is to come. Throws a refusal. */
  feed(data: Buffer): { target: { host: Host; port: number }; rest: Buffer } | null {
    this.#bytes = Buffer.concat([this.#bytes, data])
    if (!this.#isGreeted && !this.#greet()) return null
    return this.#request()
  }

  #greet(): boolean {
    const [, count = 0] = this.#bytes
    if (this.#bytes.length < 2 || this.#bytes.length < 2 + count) return false
    const methods = this.#bytes.subarray(2, 2 + count)
    this.#bytes = this.#bytes.subarray(2 + count)
    if (!methods.includes(0)) {
      this.#connection.fail('malformed', 'The SOCKS client wants a password.', Buffer.from([socksVersion, noMethods]))
      return false
    }
    this.#connection.client.write(Buffer.from([socksVersion, 0]))
    this.#isGreeted = true
    return true
  }

  #request() {
    const [version, command, reserved, type, length = 0] = this.#bytes
    if (this.#bytes.length < 5) return null
    if (version !== socksVersion || reserved !== 0) throw malformed('it is not one of version 5')
    if (command !== 1) throw malformed('only CONNECT is served')
    const size = { 1: 4, 3: length + 1, 4: 16 }[type ?? 0]
    if (size === undefined) throw malformed('its kind of address is unknown')
    if (this.#bytes.length < 4 + size + 2) return null
    const host = hostIn(this.#bytes.subarray(4, 4 + size), type ?? 0)
    if (!host) throw new Refusal('name', 'The request does not name a host that could be one.')
    const port = this.#bytes.readUInt16BE(4 + size)
    if (port === 0) throw malformed('its port is none')
    return { target: { host, port }, rest: Buffer.from(this.#bytes.subarray(4 + size + 2)) }
  }
}

export const serveSocks = (connection: Connection, target: { host: Host; port: number }, rest: Buffer): Promise<void> =>
  openWay(connection, target, () => connection.client.write(reply(0)), rest)

function hostIn(bytes: Buffer, type: number): Host | null {
  if (type === 1) return addressHost(bytes.join('.'))
  if (type === 4)
    return addressHost(Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16)).join(':'))
  const name = bytes.subarray(1).toString('latin1')
  // A name of SOCKS is bytes; beyond ASCII nobody knows which letters they are.
  return /^[\x21-\x7e]+$/.test(name) ? canonicalHost(name) : null
}
