import type { Socket } from 'node:net'
import { Connection, Gone, type Means, means, RateRefusal } from './connection.ts'
import { HeadGather } from './head-gather.ts'
import { serveHttp } from './http.ts'
import { RateLimit } from './rate.ts'
import { Refusal, refusalAnswer } from './refusal.ts'
import type { Session } from './session.ts'
import { SocksReader, serveSocks, socksRefusal, socksVersion } from './socks.ts'

/** More at once than any notebook needs, and fewer than the process has descriptors for. */
const maxConnections = 2048

/** The proxy without a listener: takes connections from wherever they come, each for a session. */
export class EgressProxy {
  readonly #rate = new RateLimit()
  readonly #means: Means
  #open = 0

  constructor(by: Means = means) {
    this.#means = by
  }

  get open(): number {
    return this.#open
  }

  accept(socket: Socket, session: Session): void {
    if (this.#open >= maxConnections) {
      socket.destroy()
      return
    }
    this.#open++
    socket.once('close', () => this.#open--)
    const connection = new Connection(socket, session, this.#rate, this.#means)
    connection.onClient = first => {
      const [kind = 0] = first
      if (kind === socksVersion) this.#socks(connection)
      else if (isCapital(kind)) this.#http(connection)
      // TLS, an older SOCKS or noise: no end of a head would ever come.
      else
        return settle(connection, Promise.reject(new Refusal('malformed', 'This is no HTTP and no SOCKS5.')), answerOf)
      connection.onClient(first)
    }
  }

  #http(connection: Connection): void {
    const gather = new HeadGather()
    connection.onClient = data => {
      const found = gather.feed(data)
      if (found === 'more') return
      connection.holdClient()
      const served = found
        ? serveHttp(connection, found.head, found.rest)
        : Promise.reject(new Refusal('malformed', 'The request cannot be read.'))
      settle(connection, served, answerOf)
    }
  }

  #socks(connection: Connection): void {
    const reader = new SocksReader(connection)
    connection.onClient = data => {
      const serve = async (): Promise<void> => {
        const found = reader.feed(data)
        if (!found) return
        connection.holdClient()
        await serveSocks(connection, found.target, found.rest)
      }
      settle(connection, serve(), socksRefusal)
    }
  }
}

const isCapital = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a

const answerOf = (refusal: Refusal): Buffer =>
  refusalAnswer(refusal, refusal instanceof RateRefusal ? refusal.waitMs : null)

function settle(connection: Connection, served: Promise<void>, answer: (refusal: Refusal) => Buffer): void {
  served.catch(error => {
    if (error instanceof Refusal) {
      connection.fail(error.code, error.message, answer(error))
    } else if (error instanceof Gone) connection.end()
    else connection.fail('unreachable', 'The proxy failed.', answer(new Refusal('unreachable', 'The proxy failed.')))
  })
}
