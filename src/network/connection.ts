import type { Socket } from 'node:net'
import type { NetworkRequest, RefusalCode } from '../contract/network.ts'
import { forbiddenAddress } from './address.ts'
import { dial, resolveHost } from './dial.ts'
import type { Host } from './host.ts'
import type { RateLimit } from './rate.ts'
import { Refusal } from './refusal.ts'
import { type Judgement, judge, type Rule, ruleText, type Wanted } from './rules.ts'
import type { Session } from './session.ts'

const limits = {
  /** To say what is wanted: the head of a request, a SOCKS request, a TLS greeting. */
  requestMs: 10_000,
  /** Without a byte in either direction. */
  idleMs: 60_000,
  /** From the first to the last byte: one byte a minute would otherwise hold a connection for ever. */
  connectionMs: 15 * 60_000,
  /** For a client to take the answer to a refused request and close. */
  lingerMs: 2_000,
  bytesSent: 256 * 1024 * 1024,
  bytesReceived: 1024 * 1024 * 1024,
}

/** What a connection reaches the world by. A test has its own world, and less patience. */
export interface Means {
  readonly resolve: typeof resolveHost
  readonly dial: typeof dial
  readonly limits: Readonly<Record<keyof typeof limits, number>>
}
export const means: Means = { resolve: resolveHost, dial, limits }

/** What was asked, before anything is decided. */
export interface Target {
  readonly host: Host
  readonly port: number
}

/**
 * One client of the proxy and, once it is admitted, its one way out. Owns both sockets, their timers and the line of the
 * log; ends exactly once.
 */
export class Connection {
  readonly client: Socket
  readonly session: Session
  upstream: Socket | null = null
  /** Takes what the client sends. While nobody does, the client is paused. */
  onClient: (data: Buffer) => void = () => undefined
  /** The client will send no more. */
  onClientEnd: () => void = () => this.end()
  wanted: Wanted | null = null
  readonly #rate: RateLimit
  readonly #means: Means
  readonly #gone = new AbortController()
  readonly #began = performance.now()
  readonly #entry: { -readonly [K in keyof NetworkRequest]: NetworkRequest[K] }
  #timer: NodeJS.Timeout
  readonly #lifetime: NodeJS.Timeout
  #isOver = false
  #asked = false
  #waiting = false

  constructor(client: Socket, session: Session, rate: RateLimit, by: Means) {
    this.client = client
    this.session = session
    this.#rate = rate
    this.#means = by
    this.#entry = blankEntry()
    this.#timer = setTimeout(() => this.#late(), by.limits.requestMs)
    this.#lifetime = setTimeout(() => this.#late(), by.limits.connectionMs)
    client.setNoDelay(true)
    client.on('data', data => {
      this.#asked = true
      this.onClient(data)
    })
    client.on('end', () => this.onClientEnd())
    client.on('error', () => this.end())
    client.on('close', () => this.end())
    session.add(this)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Marks what the log will say of it. */
  note(fields: Partial<NetworkRequest>): void {
    Object.assign(this.#entry, fields)
  }

  /** Rule, rate, one question to the resolver, every address, then the connection: in this order, or not at all. */
  async admit(target: Target, choose: (rules: readonly Rule[]) => { wanted: Wanted; judgement: Judgement }) {
    const { host, port } = target
    this.note({ host: host.text, port })
    const why = host.kind === 'address' ? forbiddenAddress(host.text) : null
    if (why !== null) throw new Refusal('address', `${host.text} may not be reached: ${why}.`)
    const { wanted, judgement } = choose(this.session.rules)
    this.wanted = wanted
    this.note({ protocol: wanted.protocol, method: wanted.method ?? null })
    if (!judgement.allowed) {
      if (judgement.why !== 'not-granted') this.note({ rule: ruleText(judgement.rule) })
      throw notAllowed(judgement.why, wanted)
    }
    this.note({ rule: ruleText(judgement.rule) })
    const waitMs = this.#rate.take(host.text, Date.now())
    if (waitMs !== null) throw new RateRefusal(host.text, waitMs)
    const addresses = await this.#means.resolve(host, this.session.lookups)
    if (this.#isOver) throw new Gone()
    const { socket, address } = await this.#means.dial(addresses, port, data => this.#received(data), this.#gone.signal)
    if (this.#isOver) {
      socket.destroy()
      throw new Gone()
    }
    this.note({ address, allowed: true })
    this.upstream = socket
    socket.on('error', () => this.end())
    return socket
  }

  /** The request is whole; what else the client sends waits. It may well have closed its side by now. */
  holdClient(): void {
    this.client.pause()
    this.onClient = () => undefined
    this.onClientEnd = () => undefined
  }

  /** From now on it lives by its idle time. */
  established(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#late(), this.#means.limits.idleMs)
  }

  /** Gives the client as long for what it has to say next as it had for its request. */
  expectMore(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#late(), this.#means.limits.requestMs)
  }

  /** Sends bytes of the client on. The client waits while the other side is slow. */
  send(...pieces: readonly Uint8Array[]): void {
    const { upstream } = this
    if (!upstream || this.#isOver) return
    this.#timer.refresh()
    let sent = this.#entry.bytesSent
    for (const piece of pieces) sent += piece.length
    if (sent > this.#means.limits.bytesSent) {
      // Not counted: these bytes go nowhere.
      this.fail('too-much', 'More was sent than is allowed.')
      return
    }
    this.#entry.bytesSent = sent
    const hasRoom = pieces.map(piece => upstream.write(piece)).every(Boolean)
    if (hasRoom) return
    this.client.pause()
    upstream.once('drain', () => this.client.resume())
  }

  /** What comes from the other side, as the client gets it. Null: the answer is malformed. */
  transform: (data: Buffer) => readonly Buffer[] | null = data => [data]

  /** Reading goes on only when all of it is written: the buffer is used again for the next read. */
  #received(data: Buffer): boolean {
    if (this.#isOver) return false
    this.#timer.refresh()
    this.#entry.bytesReceived += data.length
    if (this.#entry.bytesReceived > this.#means.limits.bytesReceived) {
      this.fail('too-much', 'More was received than is allowed.')
      return false
    }
    const pieces = this.transform(data)
    if (!pieces) return false
    if (pieces.length > 1) this.client.cork()
    for (const piece of pieces) this.client.write(piece, this.#flushed)
    if (pieces.length > 1) this.client.uncork()
    if (this.#isOver) return false
    this.#waiting = this.client.writableLength > 0
    if (this.#waiting) return false
    // A megabyte of tiny chunks takes long to read; others have their turn before the next one.
    if (pieces[0] === data) return true
    setImmediate(() => this.upstream?.resume())
    return false
  }

  readonly #flushed = (): void => {
    if (!this.#waiting || this.client.writableLength > 0) return
    this.#waiting = false
    this.#timer.refresh()
    this.upstream?.resume()
  }

  /** Ends it with a reason. What was sent already cannot be taken back; nothing more goes anywhere. */
  fail(code: RefusalCode, reason: string, last?: Uint8Array): void {
    if (this.#isOver) return
    // What has gone out was allowed when it went.
    this.note({ refusal: code, reason, allowed: this.#entry.bytesSent > 0 && this.#entry.allowed })
    this.#finish()
    if (last) this.#linger(last)
    else this.client.destroy()
  }

  /** Its grant has ended or no longer covers it. */
  takeBack(): void {
    this.fail('taken-back', `${this.#entry.host} is no longer granted.`)
  }

  /** Everything is said: what is written reaches the client, then both sides close. */
  done(): void {
    if (this.#isOver) return
    this.#finish()
    this.#linger()
  }

  /** One side has gone. */
  end(): void {
    if (this.#isOver) return
    this.#finish()
    this.client.destroy()
  }

  #late(): void {
    if (this.#asked) this.fail('time-out', 'Nothing happened for too long.')
    else this.end()
  }

  #finish(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    clearTimeout(this.#lifetime)
    this.#gone.abort()
    this.upstream?.destroy()
    this.session.remove(this)
    if (this.#entry.host === '' && this.#entry.refusal === null)
      this.note({ refusal: 'malformed', reason: 'It ended before it named a host.' })
    // One that came and went without a word has asked for nothing.
    if (this.#asked) this.session.log({ ...this.#entry, ms: Math.round((performance.now() - this.#began) * 10) / 10 })
  }

  /** A client that still sends would lose the answer if it were cut off at once. */
  #linger(last?: Uint8Array): void {
    const { client } = this
    if (client.destroyed) return
    this.onClient = () => undefined
    if (last) client.end(last)
    else client.end()
    client.resume()
    const timer = setTimeout(() => client.destroy(), this.#means.limits.lingerMs)
    client.once('end', () => client.destroySoon())
    client.once('close', () => clearTimeout(timer))
  }
}

export class RateRefusal extends Refusal {
  readonly waitMs: number
  constructor(host: string, waitMs: number) {
    super('rate', `${host} was asked 100 times within a minute; wait ${Math.max(1, Math.ceil(waitMs / 1000))} s.`)
    this.waitMs = waitMs
  }
}

/** The client went away while something was awaited for it. */
export class Gone extends Error {}

function notAllowed(why: 'not-granted' | 'denied' | 'method', wanted: Wanted): Refusal {
  if (why === 'denied') return new Refusal('denied', `${wanted.host} is denied by a rule.`)
  if (why === 'method') return new Refusal('method', `${wanted.method} to ${wanted.host} is not granted; ask for it`)
  const usual = { http: 80, https: 443, tcp: 0 }[wanted.protocol]
  const where = wanted.port === usual ? wanted.host : `${wanted.host}:${wanted.port}`
  return new Refusal('not-granted', `${where} is not granted; ask for it`)
}

const blankEntry = (): NetworkRequest => ({
  at: Date.now(),
  host: '',
  address: null,
  port: 0,
  protocol: 'tcp',
  method: null,
  allowed: false,
  rule: null,
  refusal: null,
  bytesSent: 0,
  bytesReceived: 0,
  ms: 0,
})

/** A tunnel: raw where a rule grants tcp, else TLS to the granted name. */
export function judgeTunnel(rules: readonly Rule[], { host, port }: Target) {
  const raw: Wanted = { host: host.text, port, protocol: 'tcp' }
  const tls: Wanted = { ...raw, protocol: 'https' }
  const [rawJudgement, tlsJudgement] = [judge(rules, raw), judge(rules, tls)]
  const isRaw = rawJudgement.allowed || (rawJudgement.why === 'denied' && !tlsJudgement.allowed)
  return isRaw ? { wanted: raw, judgement: rawJudgement } : { wanted: tls, judgement: tlsJudgement }
}
