import { once } from 'node:events'
import { createServer as createHttp, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NetworkRequest } from '../../contract/network.ts'
import { type Means, means } from '../connection.ts'
import { EgressProxy } from '../proxy.ts'
import { parseRules } from '../rules.ts'
import { Session } from '../session.ts'

/**
 * Damaged requests through the whole proxy, to a server with another parser than the proxy's, and one that forgives: what
 * the two could read differently would arrive there as a second request, another host or another method.
 */
const granted = parseRules([
  { host: 'a.example.org', protocol: 'http', methods: ['GET', 'POST'] },
  { host: 'a.example.org', port: 5432, protocol: 'tcp' },
])
const arrived: { host: string | undefined; method: string | undefined; url: string | undefined; of: number }[] = []
const strange: string[] = []
const dialled: string[] = []
const resolved: string[] = []
const log: NetworkRequest[] = []
let connections = 0

const server = createHttp({ insecureHTTPParser: true, requireHostHeader: false }, (request, response) => {
  const { method, url, headers } = request
  const of = numbers.get(request.socket) ?? 0
  arrived.push({ host: headers.host, method, url, of })
  // At once, also when the body is not whole: what follows it must not become another request either.
  response.end('ok')
})
const numbers = new WeakMap<object, number>()
server.on('connection', socket => numbers.set(socket, ++connections))
for (const event of ['connect', 'upgrade'])
  server.on(event, (request: IncomingMessage, socket: { destroy(): void }) => {
    strange.push(`${event} of ${request.url}`)
    socket.destroy()
  })
// A request that was cut off by its client is no fault; one that cannot be read is.
server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
  if (error.code?.startsWith('HPE_') && error.code !== 'HPE_INVALID_EOF_STATE') strange.push(`${error.code} ${error}`)
  socket.destroy()
})

const world: Means = {
  limits: means.limits,
  async resolve(host) {
    resolved.push(host.text)
    return ['93.184.216.34']
  },
  async dial([address = ''], port, read) {
    dialled.push(`${address}:${port}`)
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
    socket.pause()
    socket.on('data', data => read(data) || socket.pause())
    await once(socket, 'connect')
    return { socket, address }
  },
}
if (!granted.ok) throw new Error(granted.problem.message)
const session = new Session(granted.value, entry => log.push(entry))
// A proxy for each: the limit of requests a minute would stop the later ones.
const door = createServer({ allowHalfOpen: true }, socket => new EgressProxy(world).accept(socket, session))

beforeAll(async () => {
  for (const each of [server, door]) {
    each.listen(0, '127.0.0.1')
    await once(each, 'listening')
  }
})
afterAll(() => {
  server.closeAllConnections()
  for (const each of [server, door]) each.close()
})

/** Resolves when the proxy has closed. */
function send(bytes: Buffer, cut: number): Promise<void> {
  return new Promise(resolve => {
    const socket = connect({ port: (door.address() as AddressInfo).port, host: '127.0.0.1', noDelay: true })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
    socket.resume()
    socket.write(bytes.subarray(0, cut))
    socket.end(bytes.subarray(cut))
  })
}

/** Where bytes are put in, put in the place of others, or taken away. */
const damage = (pieces: readonly string[]) =>
  fc.array(
    fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), gone: fc.nat(6), put: fc.constantFrom(...pieces) }),
    { maxLength: 5 },
  )
type Damage = readonly { at: number; gone: number; put: string }[]

function damaged(good: string, changes: Damage): Buffer {
  let text = good
  for (const { at, gone, put } of changes) {
    const from = Math.floor(at * text.length)
    text = text.slice(0, from) + put + text.slice(from + gone)
  }
  return Buffer.from(text, 'latin1')
}

const behind = 'GET /hidden HTTP/1.1\r\nHost: evil.net\r\n\r\n'
const requests = [
  `GET http://a.example.org/x HTTP/1.1\r\nHost: a.example.org\r\nAccept: */*\r\n\r\n${behind}`,
  `POST http://a.example.org/x HTTP/1.1\r\nHost: a.example.org\r\nContent-Length: 3\r\n\r\nabc${behind}`,
  `POST http://a.example.org/x HTTP/1.1\r\nHost: a.example.org\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n${behind}`,
  `POST http://a.example.org/x HTTP/1.0\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\nabc${behind}`,
]
const requestPieces = [
  ...['\r\n', '\n', '\r', '\0', ' ', '\t', '\x0b', ':', ';', ',', '\r\n ', '\r\n\r\n', '\xa0', '\xff', '0', '3', 'a'],
  ...['Content-Length: 0\r\n', 'Content-Length: 44', 'Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: identity'],
  ...['Host: evil.net\r\n', 'evil.net', '@', '#', '?', '\\', '//', 'http://', 'https://', 'CONNECT ', 'Connection: '],
  ...['Upgrade: websocket\r\nConnection: upgrade\r\n', '0\r\n\r\n', '7fffffff\r\n', behind, 'HTTP/1.1', 'HTTP/0.9'],
  ...['Trailer: Host\r\n', 'Expect: 100-continue\r\n', 'chunked', 'Content-Length', '_', ' HTTP/1.1\r\n', ''],
]

describe('a damaged request', () => {
  it('arrives as one request of its host, or not at all', async () => {
    const before = log.length
    const property = fc.asyncProperty(
      fc.constantFrom(...requests),
      damage(requestPieces),
      fc.nat(200),
      async (good, changes, cut) => {
        await send(damaged(good, changes), cut)
      },
    )
    await fc.assert(property, { numRuns: 2000, endOnFailure: true })
    expect(strange).toEqual([])
    expect(
      arrived.filter(({ host, method }) => host !== 'a.example.org' || !/^(GET|POST)$/.test(method ?? '')),
    ).toEqual([])
    expect(arrived.filter(({ url }) => url?.includes('hidden'))).toEqual([])
    const counts = Map.groupBy(arrived, each => each.of)
    expect([...counts.values()].filter(each => each.length > 1)).toEqual([])
    expect(arrived.length).toBeGreaterThan(100)
    expect(new Set(resolved)).toEqual(new Set(['a.example.org']))
    expect(log.length - before).toBe(2000)
  }, 60_000)
})

const name = 'a.example.org'
const socks = Buffer.concat([
  Buffer.from([5, 1, 0, 5, 1, 0, 3, name.length]),
  Buffer.from(name),
  Buffer.from([5432 >> 8, 5432 & 255]),
]).toString('latin1')
const socksPieces = ['\0', '\x01', '\x02', '\x03', '\x04', '\x05', '\xff', 'evil.net', 'a', '.', '\x10', behind, '']

describe('a damaged request of SOCKS', () => {
  it('leads to the granted host and port, or nowhere', async () => {
    const before = log.length
    // Who says nothing at all is not on the record.
    let said = 0
    dialled.length = 0
    resolved.length = 0
    const property = fc.asyncProperty(damage(socksPieces), fc.nat(30), async (changes, cut) => {
      const bytes = damaged(socks, changes)
      if (bytes.length > 0) said++
      await send(bytes, cut)
    })
    await fc.assert(property, { numRuns: 1500, endOnFailure: true })
    expect(new Set(dialled)).toEqual(new Set(['93.184.216.34:5432']))
    expect(new Set(resolved)).toEqual(new Set([name]))
    expect(log.length - before).toBe(said)
  }, 60_000)
})
