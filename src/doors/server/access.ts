import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../clock.ts'

/** Why a request or a window is turned away. */
export type Refusal = 'host' | 'origin' | 'link' | 'session'

/** The name of what is spoken over the line; browsers want one of the offered names back. */
export const subprotocol = 'countersign'

/** A link is for now, not for a bookmark. */
const linkMs = 60 * 60_000
/** A window that nobody used for a working day, or that was opened a week ago, has to come in anew. */
const idleMs = 8 * 60 * 60_000
const longestMs = 7 * 24 * 60 * 60_000

/** What one window holds while it is let in. */
export interface WindowSession {
  readonly since: number
  readonly lastUsed: number
  /** Marks it as in use. */
  use(): void
  end(): void
  /** Calls back once when the session is over, at once if it is already; the answer takes the listener away again. */
  onEnd(listener: () => void): () => void
}

/**
 * Who may come in: a window that was handed a one-time link. It makes up a secret of its own and shows it with the link
 * in its first handshake and alone in later ones. There is no cookie, because browsers send cookies to every port of
 * this machine, whoever listens there. Secrets are kept as hashes, so that looking one up tells nothing by its timing.
 */
export class Access {
  readonly #clock: Clock
  readonly #links = new Map<string, number>()
  readonly #sessions = new Map<string, Held>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The secret part of a link that opens the door once. */
  issueLink(): string {
    const now = this.#clock.now()
    for (const [link, until] of this.#links) if (until <= now) this.#links.delete(link)
    const link = newSecret()
    this.#links.set(hashOf(link), now + linkMs)
    return link
  }

  /** The session of the window that offers these subprotocols. */
  enter(offered: ReadonlySet<string>): WindowSession | 'link' | 'session' {
    const secret = secretIn(offered, 'window.')
    const link = secretIn(offered, 'link.')
    if (secret === null) return 'session'
    const known = this.#sessions.get(hashOf(secret))
    if (known) {
      known.use()
      return known
    }
    if (link === null) return 'session'
    const until = this.#links.get(hashOf(link))
    this.#links.delete(hashOf(link))
    if (until === undefined || until <= this.#clock.now()) return 'link'
    const session = new Held(this.#clock, () => this.#sessions.delete(hashOf(secret)))
    this.#sessions.set(hashOf(secret), session)
    return session
  }

  get sessions(): readonly WindowSession[] {
    return [...this.#sessions.values()]
  }

  /** Ends every session and forgets every link. */
  close(): void {
    this.#links.clear()
    for (const session of this.sessions) session.end()
  }
}

class Held implements WindowSession {
  readonly since: number
  lastUsed: number
  readonly #clock: Clock
  readonly #listeners = new Set<() => void>()
  #isOver = false
  #cancelTimer: () => void

  constructor(clock: Clock, onEnd: () => void) {
    this.#clock = clock
    this.since = clock.now()
    this.lastUsed = this.since
    this.onEnd(onEnd)
    this.#cancelTimer = this.#watch()
  }

  use(): void {
    this.lastUsed = this.#clock.now()
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancelTimer()
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }

  onEnd(listener: () => void): () => void {
    if (this.#isOver) listener()
    else this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #watch(): () => void {
    const left = Math.min(this.lastUsed + idleMs, this.since + longestMs) - this.#clock.now()
    return this.#clock.after(Math.max(left, 1), () => {
      const over = Math.min(this.lastUsed + idleMs, this.since + longestMs) <= this.#clock.now()
      if (over) this.end()
      else this.#cancelTimer = this.#watch()
    })
  }
}

/** A name that points at 127.0.0.1 but is not ours means DNS rebinding. */
export const isOurHost = (request: IncomingMessage, port: number): boolean =>
  [`127.0.0.1:${port}`, `localhost:${port}`].includes(request.headers.host ?? '')

export const isOurOrigin = (request: IncomingMessage): boolean =>
  request.headers.origin === `http://${request.headers.host}`

export const newSecret = (): string => randomBytes(32).toString('base64url')
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

function secretIn(offered: ReadonlySet<string>, prefix: 'window.' | 'link.'): string | null {
  for (const each of offered) {
    if (each.startsWith(prefix) && /^[\w-]{43}$/.test(each.slice(prefix.length))) return each.slice(prefix.length)
  }
  return null
}
