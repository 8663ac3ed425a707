import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import type { CallResult } from '../../contract/mcp.ts'
import { type Engine, openEngine } from '../../engine/engine.ts'
import { silentLog } from '../../log.ts'
import { openMcpDoor } from './http.ts'
import { createMcp, type McpOptions } from './server.ts'

export const token = 'a-token-for-tests'

/** The whole engine behind the HTTP door. */
export async function openDoor(options: Omit<McpOptions, 'engine'>, shared?: Engine) {
  const home = mkdtempSync(join(tmpdir(), 'countersign-'))
  const engine = shared ?? (await openEngine({ home, env: {}, pool: 0 }))
  const mcp = createMcp({ engine, ...options })
  const door = await openMcpDoor({ factory: mcp.factory, port: 0, token, log: silentLog })
  const close = async () => {
    await door.close()
    mcp.close()
    if (!shared) await engine.close()
    rmSync(home, { recursive: true, force: true })
  }
  return { engine, door, close }
}

/** A client of the protocol's own library. `auto` speaks the newer generation where the server does. */
export async function connect(url: string, mode: 'legacy' | 'auto', options: ClientOptions = {}): Promise<Client> {
  const client = new Client({ name: 'test-client', version: '1.0.0' }, { versionNegotiation: { mode }, ...options })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  onTestFinished(() => client.close())
  return client
}

export type Answer = CallResult & { isError: boolean; text: string }

/** Calls a tool and reads its structured answer. */
export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  options: Parameters<Client['callTool']>[1] = {},
): Promise<Answer> {
  const got = await client.callTool({ name, arguments: args }, options)
  const [first] = got.content
  const text = first?.type === 'text' ? first.text : ''
  return { ...(got.structuredContent as CallResult), isError: got.isError === true, text }
}

/** Calls `wait_for_run` until the run stands like this: on a busy machine even the inspection outlasts patience. */
export async function waitUntil(client: Client, first: Answer, isThere: (status: string) => boolean): Promise<Answer> {
  let last = first
  while (last.state && !isThere(last.state.status)) last = await call(client, 'wait_for_run', { id: last.state.resume })
  return last
}

/** `execute_code`, to its end. */
export const execute = async (client: Client, args: Record<string, unknown>): Promise<Answer> =>
  waitUntil(client, await call(client, 'execute_code', args), status => status !== 'running')
