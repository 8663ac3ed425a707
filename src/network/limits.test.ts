import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { NetworkRequest } from '../contract/network.ts'
import { type Means, means } from './connection.ts'
import { EgressProxy } from './proxy.ts'
import { parseRules } from './rules.ts'
import { Session } from './session.ts'

const granted = parseRules([
  { host: '*.example.org', protocol: 'http', methods: ['GET', 'POST'] },
  { host: '*.example.org', protocol: 'https' },
  { host: '*.example.org', protocol: 'tcp', port: 5432 },
])

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** The proxy before one server of this machine, which stands for every host; and with less patience than usual. */
async function proxyBefore(serve: (socket: Socket) => void, limits: Partial<Means['limits']> = {}) {
  if (!granted.ok) throw new Error(granted.problem.message)
  const log: NetworkRequest[] = []
  let asked = 0
  const arrived: Buffer[] = []
  const left = Promise.withResolvers<void>()
  const port = await listening(
    createServer(socket => {
      socket.on('error', () => undefined)
      socket.on('data', data => arrived.push(data))
      socket.on('close', () => left.resolve())
      serve(socket)
    }),
  )
  const proxy = new EgressProxy({
    limits: { ...means.limits, ...limits },
    resolve: ({ text }, turns) =>
      turns.take(() => {
        asked++
        // A name server that never answers.
        return text.startsWith('slow') ? new Promise(() => undefined) : Promise.resolve(['93.184.216.34'])
      }),
    async dial([address = ''], _port, read) {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      socket.pause()
      socket.on('data', data => read(data) || socket.pause())
      await once(socket, 'connect')
      return { socket, address }
    },
  })
  const sessions = [new Session(granted.value, entry => log.push(entry)), new Session(granted.value, () => undefined)]
  const doors = await Promise.all(
    sessions.map(session => listening(createServer({ allowHalfOpen: true }, socket => proxy.accept(socket, session)))),
  )
  /** Sends something and resolves with all that came back, once the proxy has closed. */
  const say = (
    first: string | Buffer,
    onData: (socket: Socket, data: Buffer) => void = () => undefined,
    door = doors[0] ?? 0,
  ) =>
    new Promise<string>(resolve => {
      let heard = ''
      const socket = connect({ port: door, host: '127.0.0.1' })
      socket.on('error', () => undefined)
      socket.on('data', data => {
        heard += data.toString('latin1')
        onData(socket, data)
      })
      socket.on('close', () => resolve(heard))
      if (first.length > 0) socket.write(first)
    })
  /** The same from another sandbox. */
  const sayToo = (first: string) => say(first, undefined, doors[1])
  const rest = () => sessions[0]?.rest()
  return { say, sayToo, rest, asked: () => asked, log, left: left.promise, bytes: () => Buffer.concat(arrived) }
}

const get = (host: string) => `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`
const tunnel = (port: number) => `CONNECT a.example.org:${port} HTTP/1.1\r\nHost: a.example.org\r\n\r\n`
const answers = (body: string) => (socket: Socket) =>
  void socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`))
const nothing = (): void => undefined

describe('a connection through the proxy', () => {
  it('sends so many bytes and no more, and the record counts those that left', async () => {
    const { say, log, left, bytes } = await proxyBefore(nothing, { bytesSent: 1000 })
    const head = 'POST http://a.example.org/ HTTP/1.1\r\nHost: a.example.org\r\nContent-Length: 5000\r\n\r\n'
    await say(head + 'x'.repeat(5000))
    await left
    expect(log).toMatchObject([{ refusal: 'too-much', allowed: true, bytesSent: bytes().length }])
    expect(bytes().length).toBeLessThanOrEqual(1000)
  })

  it('receives so many bytes and no more', async () => {
    const { say, log, left } = await proxyBefore(answers('x'.repeat(200_000)), { bytesReceived: 10_000 })
    expect((await say(get('a.example.org'))).length).toBeLessThanOrEqual(10_000)
    await left
    expect(log).toMatchObject([{ refusal: 'too-much', reason: 'More was received than is allowed.' }])
  })

  it('gives a client of HTTP/1.0 one answer without chunks, which it could not read', async () => {
    const { say } = await proxyBefore(socket =>
      socket.once('data', () =>
        socket.end(
          'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n',
        ),
      ),
    )
    expect(await say('GET http://a.example.org/ HTTP/1.0\r\n\r\n')).toBe(
      'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc',
    )
    expect(await say(get('a.example.org'))).toMatch(/103 Early Hints.*chunked.*\r\n3\r\nabc\r\n0\r\n\r\n$/s)
  })

  it('shows that an answer without a length was cut off, which its end alone does not', async () => {
    const answered = (end: (socket: Socket) => void) => (socket: Socket) =>
      void socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\nhalf of it', () => setImmediate(end, socket)))
    const whole = await proxyBefore(answered(socket => socket.end()))
    expect(await whole.say(get('a.example.org'))).toMatch(/chunked.*\r\na\r\nhalf of it\r\n0\r\n\r\n$/s)
    expect(await whole.say('GET http://a.example.org/ HTTP/1.0\r\n\r\n')).toBe(
      'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf of it',
    )
    const cut = await proxyBefore(answered(socket => socket.resetAndDestroy()))
    expect(await cut.say(get('a.example.org'))).not.toContain('\r\n0\r\n\r\n')
  })

  it('has an empty answer without a length end as one', async () => {
    const { say } = await proxyBefore(socket => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n')))
    expect(await say(get('a.example.org'))).toMatch(/chunked\r\nConnection: close\r\n\r\n0\r\n\r\n$/)
  })

  it('does not wait for names that another sandbox asks of a name server that never answers', async () => {
    const { say, sayToo, asked, rest } = await proxyBefore(answers('ok'))
    const slow = Array.from({ length: 100 }, (_, n) => say(get(`slow${n}.example.org`)))
    await expect.poll(asked).toBe(16)
    expect(await sayToo(get('a.example.org'))).toContain('200 OK')
    expect(asked()).toBe(17)
    rest()
    await Promise.all(slow)
  })

  it('ends on both sides when nothing happens on it', async () => {
    const { say, log, left } = await proxyBefore(nothing, { idleMs: 50 })
    expect(await say(tunnel(5432))).toContain('200 Connection established')
    await left
    expect(log).toMatchObject([{ refusal: 'time-out', host: 'a.example.org', port: 5432, allowed: false }])
  })

  it('ends when it has lasted too long, however much happens on it', async () => {
    const { say, log, left, bytes } = await proxyBefore(socket => socket.on('data', data => socket.write(data)), {
      connectionMs: 200,
    })
    // Each answer is sent back again: without an end to it this would go on for ever.
    await say(tunnel(5432), (socket, data) => socket.write(data.includes('established') ? 'ping' : data))
    await left
    expect(bytes().toString()).toMatch(/^ping/)
    expect(log).toMatchObject([{ refusal: 'time-out', allowed: true }])
  })

  it.each([
    ['half a request', 'GET http://a.exa'],
    ['half of SOCKS', Buffer.from([5, 1])],
    ['a tunnel for TLS without a greeting', tunnel(443)],
  ])('ends when the client never says what it wants: %s', async (_what, first) => {
    const { say, log } = await proxyBefore(nothing, { requestMs: 50 })
    await say(first)
    expect(log).toMatchObject([{ refusal: 'time-out' }])
  })

  it('ends without a line where nothing was said at all', async () => {
    const { say, log } = await proxyBefore(nothing, { requestMs: 50 })
    expect(await say('')).toBe('')
    expect(log).toEqual([])
  })

  it('is one of a hundred a minute to its host, by whatever protocol', async () => {
    const { say, log } = await proxyBefore(answers('ok'))
    for (let n = 0; n < 100; n++) expect(await say(get('a.example.org'))).toContain('200 OK')
    expect(await say(get('A.Example.org.'))).toMatch(
      /^HTTP\/1\.1 429 a\.example\.org was asked 100 times.*Retry-After: /s,
    )
    expect(await say(tunnel(5432))).toMatch(/^HTTP\/1\.1 429 /)
    const name = Buffer.from('a.example.org')
    const socks = Buffer.concat([Buffer.from([5, 1, 0, 5, 1, 0, 3, name.length]), name, Buffer.from([0x15, 0x38])])
    expect([...Buffer.from(await say(socks), 'latin1')].slice(0, 4)).toEqual([5, 0, 5, 2])
    expect(log.slice(100).map(({ refusal, address }) => [refusal, address])).toEqual(Array(3).fill(['rate', null]))
    expect(await say(get('b.example.org'))).toContain('200 OK')
  })
})
