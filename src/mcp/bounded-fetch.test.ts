import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../clock.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { openServers, who } from './testing.ts'

const megabyte = Buffer.alloc(1 << 20, 'x')

/** Writes for as long as somebody reads. */
function pour(response: ServerResponse, piece: Buffer): void {
  while (!response.destroyed && response.write(piece));
  if (!response.destroyed) response.once('drain', () => pour(response, piece))
}

const pouring = (type: string, piece: Buffer): Promise<string> =>
  serving((_request, response) => {
    response.writeHead(200, { 'content-type': type })
    pour(response, piece)
  })

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

it.each(['application/json', 'text/event-stream'])('stops reading an answer without an end: %s', async type => {
  const response = await boundedFetch(systemClock)(await pouring(type, megabyte))
  await expect(response.text()).rejects.toThrow('more than 4 MB')
})

it('reads a stream of small events for as long as it lasts', async () => {
  const event = Buffer.from(`data: ${'x'.repeat(100_000)}\r\n\r\n`)
  const response = await boundedFetch(systemClock)(await pouring('text/event-stream', event))
  let read = 0
  for await (const chunk of response.body ?? []) {
    read += chunk.length
    if (read > 10 << 20) break
  }
  expect(read).toBeGreaterThan(10 << 20)
})

it('reads a flood of events no faster than it may', async () => {
  let now = 0
  const pauses: number[] = []
  const clock: Clock = {
    now: () => now,
    after(ms, call) {
      pauses.push(ms)
      now += ms
      setImmediate(call)
      return () => undefined
    },
  }
  const event = Buffer.from('data: {}\n\n')
  const response = await boundedFetch(clock)(await pouring('text/event-stream', event))
  let lines = 0
  for await (const chunk of response.body ?? []) {
    lines += Buffer.from(chunk).toString().split('\n').length - 1
    if (lines > 200_000) break
  }
  // Each piece holds at most 64 KB, which are less than fifteen thousand lines.
  expect(pauses.length).toBeGreaterThan(10)
  expect(pauses.every(ms => ms > 0 && ms <= 1000)).toBe(true)
})

it('gives up on a server that answers so', async () => {
  const { servers } = await openServers({ connectMs: 30_000 })
  await servers.add(who, 'it', { url: await pouring('application/json', megabyte) })
  expect(await servers.tools(who, 'it')).toMatchObject({ ok: false, problem: { code: 'mcp.unreachable' } })
})

it('follows a server to another path of its own, with what it was asked', async () => {
  const url = await serving(async (request, response) => {
    if (request.url === '/mcp') return response.writeHead(307, { location: '/mcp/' }).end()
    return response.end(`${request.method} ${request.url} ${await text(request)} ${request.headers['x-api-key']}`)
  })
  const asked = { method: 'POST', body: 'a question', headers: { 'x-api-key': 'xyzzy' } }
  expect(await (await boundedFetch(systemClock)(url, asked)).text()).toBe('POST /mcp/ a question xyzzy')
})

it.each([307, 308])(
  'follows nobody to another program, which would be sent what was meant for the server: %i',
  async status => {
    let asked = 0
    const other = await serving((_request, response) => {
      asked += 1
      response.end()
    })
    const url = await serving((_request, response) => void response.writeHead(status, { location: other }).end())
    const headers = { 'x-api-key': 'xyzzy' }
    await expect(boundedFetch(systemClock)(url, { method: 'POST', headers })).rejects.toThrow('another address')
    expect(asked).toBe(0)
  },
)

it.each([301, 302, 303])('takes for no answer what would have a question become another one: %i', async status => {
  const url = await serving((_request, response) => void response.writeHead(status, { location: '/other' }).end())
  expect((await boundedFetch(systemClock)(url, { method: 'POST', body: 'a question' })).status).toBe(status)
})

it('does not go round in a circle', async () => {
  const url = await serving((_request, response) => void response.writeHead(307, { location: '/mcp' }).end())
  await expect(boundedFetch(systemClock)(url)).rejects.toThrow('without end')
})
