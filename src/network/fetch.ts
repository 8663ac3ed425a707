import { request } from 'node:http'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { HttpMethod, NetworkRequest } from '../contract/network.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { NetworkGate } from './gate.ts'

export interface FetchOptions {
  /** Rules of the proxy for this one request. */
  readonly rules: readonly string[]
  /** What was granted; the proxy cannot see methods inside TLS, so whoever makes the request is held to them. */
  readonly methods: readonly HttpMethod[]
  readonly signal: AbortSignal
  readonly mostBytes: number
  /** Authorities in the place of the system's, for a server of a test. */
  readonly ca?: string
}

export interface FetchedBytes {
  readonly bytes: Buffer
  readonly requests: readonly NetworkRequest[]
}

/** One GET over TLS for the application itself, by the way that code takes: rule, checked address, record. */
export async function fetchOnce(gate: NetworkGate, url: URL, options: FetchOptions): Promise<Outcome<FetchedBytes>> {
  if (!options.methods.includes('GET'))
    return fail('network.refused', `${url.hostname} is granted without GET.`, 'Nothing was fetched.')
  const session = gate.open()
  let socket: Socket | null = null
  const stop = () => socket?.destroy()
  options.signal.addEventListener('abort', stop)
  try {
    await session.grant(options.rules)
    socket = await session.connect()
    const refused = await openTunnel(socket, url.hostname)
    if (refused !== null) return fail('network.refused', refused, 'Nothing was fetched.')
    const bytes = await get(socket, url, options)
    return bytes.ok ? ok({ bytes: bytes.value, requests: (await session.end()).requests }) : bytes
  } catch (error) {
    const why = options.signal.aborted ? 'It was stopped.' : error instanceof Error ? error.message : String(error)
    return fail('network.unreachable', `${url.hostname} could not be read: ${why}`, 'Try again later.')
  } finally {
    options.signal.removeEventListener('abort', stop)
    socket?.destroy()
    session.close()
  }
}

const mostHead = 8192

/** Asks the proxy for a tunnel; null when it is open, else the proxy's sentence. */
function openTunnel(socket: Socket, host: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0)
    const take = (data: Buffer) => {
      head = Buffer.concat([head, data])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0 && head.length < mostHead) return
      socket.off('data', take)
      const text = head.toString('utf8')
      if (!text.startsWith('HTTP/1.1 200 ')) return resolve(text.slice(end + 4).trim() || 'The proxy refused it.')
      resolve(null)
    }
    socket.on('data', take)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the proxy closed the connection')))
    socket.write(`CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443\r\n\r\n`)
  })
}

function get(socket: Socket, url: URL, { mostBytes, ca }: FetchOptions): Promise<Outcome<Buffer>> {
  return new Promise((resolve, reject) => {
    const tls = connectTls({ socket, servername: url.hostname, ...(ca ? { ca } : {}) })
    tls.once('error', reject)
    const asked = request({
      // Without `agent`: with `agent: false` Node dials by itself and leaves this connection aside.
      createConnection: () => tls,
      method: 'GET',
      host: url.hostname,
      path: `${url.pathname}${url.search}`,
      headers: { host: url.hostname, accept: '*/*', 'user-agent': 'Countersign', connection: 'close' },
    })
    asked.once('error', reject)
    asked.once('response', response => {
      const { statusCode = 0, headers } = response
      if (statusCode !== 200) {
        asked.destroy()
        const to = headers.location ? ` and points to ${headers.location.slice(0, 200)}` : ''
        const hint = 'No other address is followed by itself. Give the address that it should be.'
        return resolve(fail('network.answer', `${url.hostname} answered ${statusCode}${to}.`, hint))
      }
      const pieces: Buffer[] = []
      let size = 0
      response.on('data', (piece: Buffer) => {
        size += piece.length
        if (size <= mostBytes) return void pieces.push(piece)
        asked.destroy()
        resolve(fail('request.too-large', `It is larger than ${mostBytes / 1024 ** 2} MB.`, 'Ask for less of it.'))
      })
      response.once('error', reject)
      response.once('end', () =>
        response.complete ? resolve(ok(Buffer.concat(pieces))) : reject(new Error('cut off')),
      )
    })
    asked.end()
  })
}
