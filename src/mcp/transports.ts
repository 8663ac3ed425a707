import { type AuthProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Clock } from '../clock.ts'
import type { HttpConfig, ServerConfig } from '../contract/mcp-servers.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { confinementOf } from './confinement.ts'
import type { ServerTransport } from './connection.ts'
import { ProcessTransport } from './process-transport.ts'

export interface TransportOptions {
  /** With its secrets. */
  readonly config: ServerConfig
  readonly env: NodeJS.ProcessEnv
  /** The server's own folder, which it may write to. */
  readonly folder: string
  readonly home: string
  readonly clock: Clock
  /** The person's log-in, at a server over HTTP. */
  readonly login: AuthProvider | null
}

export async function newTransport({
  config,
  env,
  folder,
  home,
  clock,
  login,
}: TransportOptions): Promise<Outcome<ServerTransport>> {
  if ('url' in config) return ok(httpTransport(config, login, clock))
  const { wrap } = await confinementOf(config, { home, folder, env })
  const few = Object.fromEntries(['PATH', 'HOME', 'LANG'].flatMap(key => (env[key] ? [[key, env[key]]] : [])))
  const [command = '', ...args] = [...wrap, config.command, ...config.args]
  return ok(new ProcessTransport({ command, args, env: { ...few, ...config.env }, cwd: folder, clock }))
}

/** More rights are never asked for behind the person's back: they log in again, and see what for. */
export function httpTransport({ url, headers }: HttpConfig, login: AuthProvider | null, clock: Clock): ServerTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: boundedFetch(clock),
    onInsufficientScope: 'throw',
    ...(login ? { authProvider: login } : {}),
  })
}
