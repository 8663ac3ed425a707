import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fail, type Outcome, ok } from '../../contract/problem.ts'

export interface Callback {
  readonly redirectUrl: string
  /** What the person's browser brings back, once. */
  readonly answer: Promise<Outcome<CallbackAnswer>>
  close(): void
}

export interface CallbackAnswer {
  readonly code: string
  readonly iss: string | undefined
}

/** Listens on this machine for one answer that carries `state`. Ends with it, or when it is closed. */
export async function listenForCallback(state: string, port: { wish: number; fixed: boolean }): Promise<Callback> {
  const { promise: answer, resolve } = Promise.withResolvers<Outcome<CallbackAnswer>>()
  let own = ''
  const server = createServer((request, response) => {
    const read = readCallback(request, own, state)
    if (read === null) return page(response, 400, 'This answer does not belong to a log-in here.')
    page(response, 200, 'Countersign has the answer. You can close this window.')
    resolve(read)
    close()
  })
  function close(): void {
    server.close()
    server.closeIdleConnections()
    resolve(fail('request.cancelled', 'The log-in was cancelled.', 'Log in again to try it.'))
  }
  server.requestTimeout = 10_000
  await listen(server, port.wish).catch(async error => {
    if (port.fixed) throw error
    await listen(server, 0)
  })
  own = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { redirectUrl: `http://${own}/callback`, answer, close }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/**
 * Null for what is not the answer to this log-in: a page that guesses the port can neither end it nor bring a code of
 * its own.
 */
function readCallback(request: IncomingMessage, own: string, state: string): Outcome<CallbackAnswer> | null {
  const address = `http://${own}${request.url ?? ''}`
  if (request.method !== 'GET' || request.headers.host !== own || !URL.canParse(address)) return null
  const { pathname, searchParams } = new URL(address)
  const one = (name: string) => (searchParams.getAll(name).length === 1 ? searchParams.get(name) : null)
  const given = Buffer.from(one('state') ?? '')
  const wanted = Buffer.from(state)
  if (pathname !== '/callback' || given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null
  const code = one('code')
  if (code && !searchParams.has('error')) return ok({ code, iss: one('iss') ?? undefined })
  const why = /^[\w.-]{1,64}$/.exec(one('error') ?? '')?.[0] ?? 'no code'
  return fail('mcp.login-failed', `The log-in was refused: ${why}.`, 'Log in again, or ask who runs the server.')
}

function page(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  })
  response.end(
    `<!doctype html><meta name="color-scheme" content="light dark"><title>Countersign</title><p>${sentence}</p>`,
  )
}
