import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Clock } from '../clock.ts'
import type { ServerConfig } from '../contract/mcp-servers.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import type { ServerTransport } from './connection.ts'
import { ProcessTransport } from './process-transport.ts'
import { wallsOf } from './walls.ts'

export interface TransportOptions {
  /** With its secrets. */
  readonly config: ServerConfig
  readonly env: NodeJS.ProcessEnv
  /** The server's own folder, which it may write to. */
  readonly folder: string
  readonly home: string
  readonly clock: Clock
}

export async function newTransport({
  config,
  env,
  folder,
  home,
  clock,
}: TransportOptions): Promise<Outcome<ServerTransport>> {
  if ('url' in config)
    return ok(new StreamableHTTPClientTransport(new URL(config.url), { requestInit: { headers: config.headers } }))
  const { wrap } = await wallsOf(config, { home, folder, env })
  const few = Object.fromEntries(['PATH', 'HOME', 'LANG'].flatMap(key => (env[key] ? [[key, env[key]]] : [])))
  const [command = '', ...args] = [...wrap, config.command, ...config.args]
  return ok(new ProcessTransport({ command, args, env: { ...few, ...config.env }, cwd: folder, clock }))
}
