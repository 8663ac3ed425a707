import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { BadTool, RemoteTool, ServerConfig } from '../contract/mcp.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { version } from '../version.ts'
import { ProcessTransport } from './process-transport.ts'
import { readTools } from './tools.ts'

export interface ConnectionOptions {
  readonly name: string
  readonly config: ServerConfig
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly clock: Clock
  readonly connectMs?: number
  readonly callMs?: number
}

export interface Listed {
  readonly tools: Omit<RemoteTool, 'standing'>[]
  readonly bad: BadTool[]
}

const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().max(10_000).optional() })
const CallAnswer = z.looseObject({ content: z.array(z.unknown()).default([]), isError: z.boolean().optional() })

const mostPages = 64
const mostTools = 2_000
const maxResultChars = 1_000_000
const longestPauseMs = 60_000

/** One server of the user's: started when it is first needed, and again after it died, with growing pauses. */
export class Connection {
  readonly #options: ConnectionOptions
  #client: Promise<Outcome<Client>> | null = null
  #transport: Transport | null = null
  #failures = 0
  #notBefore = 0

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** The end of what a process wrote to standard error. */
  get log(): string {
    return this.#transport instanceof ProcessTransport ? this.#transport.log : ''
  }

  async tools(signal?: AbortSignal): Promise<Outcome<Listed>> {
    const client = await this.#connected()
    if (!client.ok) return client
    const listed: unknown[] = []
    let cursor: string | undefined
    try {
      for (let page = 0; page < mostPages && listed.length < mostTools; page++) {
        const params = cursor === undefined ? {} : { cursor }
        const got = await client.value.request({ method: 'tools/list', params }, Page, this.#waiting(signal))
        listed.push(...got.tools)
        cursor = got.nextCursor
        if (cursor === undefined) break
      }
    } catch (error) {
      return this.#unreachable(error)
    }
    return ok(readTools(listed.slice(0, mostTools)))
  }

  async call(tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Outcome<CallAnswer>> {
    const client = await this.#connected()
    if (!client.ok) return client
    const { name } = this.#options
    try {
      const params = { name: tool, arguments: args }
      const answer = await client.value.request({ method: 'tools/call', params }, CallAnswer, this.#waiting(signal))
      if (JSON.stringify(answer).length > maxResultChars)
        return fail('mcp.failed', `The answer of ${name} is longer than 1 MB.`, 'Ask it for less.')
      return ok(answer)
    } catch (error) {
      return this.#unreachable(error)
    }
  }

  async close(): Promise<void> {
    const client = await this.#client
    this.#client = null
    if (client?.ok) await client.value.close()
    await this.#transport?.close()
  }

  #connected(): Promise<Outcome<Client>> {
    this.#client ??= this.#connect()
    return this.#client
  }

  async #connect(): Promise<Outcome<Client>> {
    const { name, clock, connectMs = 20_000 } = this.#options
    const pause = this.#notBefore - clock.now()
    if (pause > 0) {
      this.#client = null
      const seconds = Math.ceil(pause / 1000)
      return fail('mcp.unreachable', `${name} failed and is started again in ${seconds} s.`, 'Try again then.')
    }
    // Servers of the newer generation answer the older handshake too, and asking first starts a process twice.
    const client = new Client({ name: 'countersign', version }, { versionNegotiation: { mode: 'legacy' } })
    const transport = this.#newTransport()
    this.#transport = transport
    client.onerror = () => undefined
    try {
      await client.connect(transport, { timeout: connectMs })
    } catch (error) {
      await transport.close().catch(() => undefined)
      return this.#unreachable(error)
    }
    this.#failures = 0
    client.onclose = () => {
      this.#client = null
      this.#failed()
    }
    return ok(client)
  }

  #newTransport(): Transport {
    const { config, env, cwd, clock } = this.#options
    if ('url' in config)
      return new StreamableHTTPClientTransport(new URL(config.url), { requestInit: { headers: config.headers } })
    const few = Object.fromEntries(['PATH', 'HOME', 'LANG'].flatMap(key => (env[key] ? [[key, env[key]]] : [])))
    const { command, args } = config
    return new ProcessTransport({ command, args, env: { ...few, ...config.env }, cwd, clock })
  }

  #waiting(signal?: AbortSignal) {
    return { timeout: this.#options.callMs ?? 60_000, ...(signal ? { signal } : {}) }
  }

  #failed(): void {
    this.#failures += 1
    this.#notBefore = this.#options.clock.now() + Math.min(longestPauseMs, 500 * 2 ** this.#failures)
  }

  /** The client may be alive all the same: only a closed transport starts anew. */
  #unreachable(error: unknown): Outcome<never> {
    const { name } = this.#options
    if (!this.#isUp()) {
      this.#client = null
      this.#failed()
    }
    const message = (error instanceof Error ? error.message : String(error)).slice(0, 500)
    return fail('mcp.unreachable', `${name}: ${message}`, 'See `countersign mcp test` for what it wrote.')
  }

  #isUp(): boolean {
    return this.#transport instanceof ProcessTransport ? this.#transport.isUp : this.#transport !== null
  }
}

export type CallAnswer = z.infer<typeof CallAnswer>
