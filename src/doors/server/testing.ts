import { mkdirSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import { os } from '@orpc/server'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { type Clock, systemClock } from '../../clock.ts'
import { silentLog } from '../../log.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import type { DoorWindows } from '../rpc/api.ts'
import { serveChannel } from '../rpc/channel.ts'
import { newSecret } from './access.ts'
import { type BrowserDoor, openBrowserDoor } from './server.ts'

const router = { hello: os.handler(() => 'hello') }

/** A door on a folder with a page in it, and a secret beside the folder. */
export async function openDoor(clock: Clock = systemClock) {
  const root = join(temporaryFolder(), 'renderer')
  mkdirSync(root)
  writeFileSync(join(root, 'index.html'), '<title>Countersign</title>')
  writeFileSync(join(root, 'frame-abc12345.html'), '')
  writeFileSync(join(root, '..', 'secret.txt'), 'a secret')
  const served: DoorWindows[] = []
  const door = await openBrowserDoor({
    root,
    port: 0,
    log: silentLog,
    clock,
    serve(channel, windows) {
      served.push(windows)
      serveChannel(router, channel, {}, silentLog)
    },
  })
  onTestFinished(() => door.close())
  return { ...door, root, served }
}
export type TestDoor = Awaited<ReturnType<typeof openDoor>>

export const linkOf = (door: BrowserDoor): string => new URL(door.link()).hash.slice('#link='.length)

export function ask(
  door: BrowserDoor,
  path: string,
  { headers = {}, method = 'GET' }: { headers?: Record<string, string>; method?: string } = {},
) {
  return new Promise<{ status: number; body: string; headers: Record<string, unknown> }>((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port: door.port, path, headers, method }, response => {
      let body = ''
      response.on('data', chunk => (body += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }))
    })
      .on('error', reject)
      .end()
  })
}

export type Line = WebSocket & { readonly closed: Promise<number> }

/** A handshake as a window makes it. Answers the open line, or the status that refused it. */
export function connect(
  door: BrowserDoor,
  { secret, link, headers = {} }: { secret?: string; link?: string; headers?: Record<string, string> },
): Promise<Line | number> {
  const offered = ['countersign', ...(secret ? [`window.${secret}`] : []), ...(link ? [`link.${link}`] : [])]
  const socket = new WebSocket(`ws://127.0.0.1:${door.port}/rpc`, offered, {
    headers: { Origin: `http://127.0.0.1:${door.port}`, ...headers },
  })
  onTestFinished(() => socket.terminate())
  const closed = new Promise<number>(resolve => socket.on('close', code => resolve(code)))
  return new Promise(resolve => {
    socket.on('open', () => resolve(Object.assign(socket, { closed })))
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
    socket.on('error', () => undefined)
  })
}

/** A window that comes in by a new link. */
export async function enter(door: BrowserDoor, secret = newSecret()): Promise<Line> {
  const line = await connect(door, { secret, link: linkOf(door) })
  if (typeof line === 'number') throw new Error(`not let in: ${line}`)
  return line
}

export function hello(line: WebSocket): Promise<string> {
  const websocket = line as unknown as globalThis.WebSocket
  return createORPCClient<{ hello(): Promise<string> }>(new RPCLink({ websocket })).hello()
}
