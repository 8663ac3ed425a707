import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Why a request is turned away. */
export type Refusal = 'host' | 'origin' | 'token' | 'cookie'

const cookieName = 'countersign'

/**
 * Who may come in: a browser on this machine that was handed a one-time link. The link's token is exchanged for a
 * cookie that no other site can make the browser send.
 */
export class Access {
  readonly #tokens = new Set<string>()
  readonly #sessions = new Set<string>()

  /** A token that opens the door once. */
  issueToken(): string {
    const token = randomBytes(32).toString('base64url')
    this.#tokens.add(token)
    return token
  }

  /** The cookie in exchange for a token, or null when the token was never issued or has been used. */
  exchange(token: string): string | null {
    const known = find(this.#tokens, token)
    if (!known) return null
    this.#tokens.delete(known)
    const session = randomBytes(32).toString('base64url')
    this.#sessions.add(session)
    return `${cookieName}=${session}; Path=/; HttpOnly; SameSite=Strict`
  }

  /** A name that points at 127.0.0.1 but is not ours means DNS rebinding. */
  checkHost(request: IncomingMessage, port: number): Refusal | null {
    return [`127.0.0.1:${port}`, `localhost:${port}`].includes(request.headers.host ?? '') ? null : 'host'
  }

  checkOrigin(request: IncomingMessage): Refusal | null {
    return request.headers.origin === `http://${request.headers.host}` ? null : 'origin'
  }

  checkCookie(request: IncomingMessage): Refusal | null {
    const cookies = (request.headers.cookie ?? '').split(';').map(each => each.trim())
    const session = cookies.find(each => each.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1)
    return session && find(this.#sessions, session) ? null : 'cookie'
  }
}

/** Compares in constant time, so that an answer's delay tells nothing about the secret. */
function find(known: Set<string>, given: string): string | null {
  const bytes = Buffer.from(given)
  let found: string | null = null
  for (const each of known) {
    const other = Buffer.from(each)
    if (bytes.length === other.length && timingSafeEqual(bytes, other)) found = each
  }
  return found
}
