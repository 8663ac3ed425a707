import { mkdirSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import { os } from '@orpc/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { silentLog } from '../../log.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { serveChannel } from '../rpc/channel.ts'
import { openBrowserDoor } from './server.ts'

const router = { hello: os.handler(() => 'hello') }

async function openDoor() {
  const root = join(temporaryFolder(), 'renderer')
  mkdirSync(root)
  writeFileSync(join(root, 'index.html'), '<title>Countersign</title>')
  writeFileSync(join(root, 'frame-abc12345.html'), '')
  writeFileSync(join(root, '..', 'secret.txt'), 'a secret')
  const door = await openBrowserDoor({
    root,
    port: 0,
    log: silentLog,
    serve: channel => serveChannel(router, channel, {}, silentLog),
  })
  onTestFinished(() => door.close())
  return door
}

type Door = Awaited<ReturnType<typeof openDoor>>

const get = (door: Door, path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; body: string; headers: Record<string, unknown> }>((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port: door.port, path, headers }, response => {
      let body = ''
      response.on('data', chunk => (body += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }))
    })
      .on('error', reject)
      .end()
  })

async function enter(door: Door): Promise<string> {
  const link = new URL(door.link())
  const { headers } = await get(door, link.pathname + link.search)
  return String(headers['set-cookie']).split(';')[0] ?? ''
}

function connect(door: Door, headers: Record<string, string>): Promise<WebSocket | number> {
  const socket = new WebSocket(`ws://127.0.0.1:${door.port}/rpc`, { headers })
  onTestFinished(() => socket.terminate())
  return new Promise(resolve => {
    socket.on('open', () => resolve(socket))
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
    socket.on('error', () => undefined)
  })
}

async function open(door: Door): Promise<WebSocket> {
  const socket = await connect(door, { Cookie: await enter(door), Origin: `http://127.0.0.1:${door.port}` })
  if (typeof socket === 'number') throw new Error(`not let in: ${socket}`)
  return socket
}

const hello = (socket: WebSocket) => {
  const client = createORPCClient<{ hello(): Promise<string> }>(
    new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }),
  )
  return client.hello()
}

const closeCode = (socket: WebSocket) => new Promise<number>(resolve => socket.on('close', code => resolve(code)))

describe('the browser door', () => {
  it('exchanges a one-time token for a strict cookie and serves the page under a strict policy', async () => {
    const door = await openDoor()
    const link = new URL(door.link())
    const exchange = await get(door, link.pathname + link.search)
    expect(exchange.status).toBe(303)
    expect(String(exchange.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Strict/)
    const page = await get(door, '/', { Cookie: String(exchange.headers['set-cookie']).split(';')[0] ?? '' })
    expect(page).toMatchObject({ status: 200, body: '<title>Countersign</title>' })
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  })

  it('gives the page for foreign HTML a sandbox in place of the application policy', async () => {
    const door = await openDoor()
    const page = await get(door, '/frame-abc12345.html', { Cookie: await enter(door) })
    expect(page.headers['content-security-policy']).toBe("frame-ancestors 'self'; sandbox allow-scripts")
  })

  it('does not open twice with one token', async () => {
    const door = await openDoor()
    const link = new URL(door.link())
    await get(door, link.pathname + link.search)
    expect((await get(door, link.pathname + link.search)).status).toBe(403)
  })

  it.each([
    ['a wrong token', '/?token=guess', {}, 403],
    ['no cookie', '/', {}, 401],
    ['a made-up cookie', '/', { Cookie: 'countersign=guess' }, 401],
    ['a foreign host', '/', { Host: 'evil.example' }, 421],
  ])('turns away %s', async (_, path, headers, status) => {
    expect((await get(await openDoor(), path, headers)).status).toBe(status)
  })

  it.each(['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/%00', '/%zz'])(
    'serves nothing outside its folder: %s',
    async path => {
      const door = await openDoor()
      expect((await get(door, path, { Cookie: await enter(door) })).status).toBe(404)
    },
  )

  it('answers calls over a WebSocket', async () => {
    const door = await openDoor()
    expect(await hello(await open(door))).toBe('hello')
  })

  it.each([
    ['a foreign origin', async (door: Door) => ({ Cookie: await enter(door), Origin: 'https://evil.example' }), 403],
    ['no origin', async (door: Door) => ({ Cookie: await enter(door) }), 403],
    ['no cookie', async (door: Door) => ({ Origin: `http://127.0.0.1:${door.port}` }), 401],
    ['a foreign host', async (door: Door) => ({ Cookie: await enter(door), Host: 'evil.example' }), 421],
  ])('refuses a WebSocket with %s', async (_, headers, status) => {
    const door = await openDoor()
    expect(await connect(door, await headers(door))).toBe(status)
  })

  it('answers an unknown call with an error and stays up', async () => {
    const door = await openDoor()
    const socket = await open(door)
    const client = createORPCClient<{ nothing(): Promise<string> }>(
      new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }),
    )
    await expect(client.nothing()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await hello(socket)).toBe('hello')
  })

  it.each(['{"id"', 'null', '[]', '{"i":{},"p":7}', ''])('closes a line that sends %j and stays up', async text => {
    const door = await openDoor()
    const socket = await open(door)
    const closed = closeCode(socket)
    socket.send(text)
    // Some broken messages carry no call at all: those are passed over. Either way the door goes on.
    await Promise.race([closed, hello(socket)])
    expect(await hello(await open(door))).toBe('hello')
  })

  it('closes a line that sends more than 8 MB and stays up', async () => {
    const door = await openDoor()
    const socket = await open(door)
    const closed = closeCode(socket)
    socket.send('x'.repeat(8 * 1024 * 1024 + 1))
    expect(await closed).toBe(1009)
    expect(await hello(await open(door))).toBe('hello')
  })

  it('says which port is taken', async () => {
    const door = await openDoor()
    const again = openBrowserDoor({ root: '/', port: door.port, log: silentLog, serve: () => undefined })
    await expect(again).rejects.toMatchObject({ problem: { code: 'door.taken' } })
  })
})
