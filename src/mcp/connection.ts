import type { Client, ElicitRequestFormParams, ElicitResult, Transport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { type BadTool, type ServerHealth, ToolAnswer } from '../contract/mcp-servers.ts'
import { fail, type Outcome, ok, type Problem } from '../contract/problem.ts'
import { version } from '../version.ts'
import { headersOf, parameterHeaders } from './parameter-headers.ts'
import { deeperThan, maxToolChars, mostLevels, type ReadTool, readTools } from './tools.ts'

/** A way to a server; a process also has a log and can die. */
export interface ServerTransport extends Transport {
  readonly log?: string
  readonly isUp?: boolean
}

export interface ConnectionOptions {
  readonly name: string
  readonly transport: () => Promise<Outcome<ServerTransport>>
  readonly clock: Clock
  /** The problem, where an error means that the person has to log in at the server. */
  readonly wantsLogin?: (error: unknown) => Promise<Problem | null>
  /** Told when its health changes. */
  readonly changed?: () => void
  /** Puts a server's question to the person. Without it servers are told that nobody can be asked. */
  readonly ask?: (question: ElicitRequestFormParams) => Promise<ElicitResult>
  readonly connectMs?: number
  readonly callMs?: number
}

export interface Listed {
  readonly tools: ReadTool[]
  readonly bad: BadTool[]
}

const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().max(10_000).optional() })
const CallAnswer = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: ToolAnswer.shape.structuredContent.catch(undefined),
  isError: z.boolean().default(false),
})

const mostPages = 64
const mostTools = 2_000
/** A hundred times what the largest of the usual servers lists. */
const mostListChars = 8_000_000
/** How long a process may take for a sign of life after it left a call unanswered. */
const pingMs = 5_000
/** For people and models. A program in a sandbox takes more, as a file: as much as a line may hold. */
export const maxResultChars = 1_000_000
export const maxResultCharsOfRuns = 4_000_000
const longestPauseMs = 60_000

/** One server of the user's: started when it is first needed, and again after it died, with growing pauses. */
export class Connection {
  readonly #options: ConnectionOptions
  #client: Promise<Outcome<Client>> | null = null
  #transport: ServerTransport | null = null
  #listed: Promise<Outcome<Listed>> | null = null
  #tools: readonly ReadTool[] = []
  #isModern = false
  /** Why we are ending it, where we do so of our own accord. */
  #ending: string | null = null
  /** Breaks off a start that is under way. */
  #starting: AbortController | null = null
  #failures = 0
  #health: ServerHealth

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#health = {
      ...{ state: 'stopped', since: options.clock.now(), retryAt: null },
      ...{ failures: 0, problem: null, introduced: null },
    }
  }

  get health(): ServerHealth {
    return this.#health
  }

  /** The end of what a process wrote to standard error. */
  get log(): string {
    return this.#transport?.log ?? ''
  }

  /** As the server lists them now. */
  tools(signal?: AbortSignal): Promise<Outcome<Listed>> {
    this.#listed = null
    return this.known(signal)
  }

  /**
   * As the server last listed them: it says when they change, and a new process is asked anew. Those of the newer
   * generation say nothing of their own accord, so they are asked each time.
   */
  async known(signal?: AbortSignal): Promise<Outcome<Listed>> {
    if (this.#isModern) return this.#list(signal)
    this.#listed ??= this.#list(signal)
    const asked = this.#listed
    const listed = await asked
    if (!listed.ok && this.#listed === asked) this.#listed = null
    return listed
  }

  async call(
    tool: string,
    args: Record<string, unknown>,
    signal?: AbortSignal,
    most = maxResultChars,
  ): Promise<Outcome<ToolAnswer>> {
    const client = await this.#connected()
    if (!client.ok) return client
    const { name } = this.#options
    try {
      const params = { name: tool, arguments: args }
      const options = { ...this.#waiting(signal), headers: this.#headersOf(tool, args) }
      const answer = await client.value.request({ method: 'tools/call', params }, CallAnswer, options)
      const { content, structuredContent, isError } = answer
      const read = { content, isError, ...(structuredContent ? { structuredContent } : {}) }
      if (deeperThan(read, mostLevels))
        return fail(
          'mcp.failed',
          `The answer of ${name} is nested more than ${mostLevels} levels deep.`,
          'Ask it for less.',
        )
      if (JSON.stringify(read).length > most)
        return fail('mcp.failed', `The answer of ${name} is longer than ${most / 1e6} MB.`, 'Ask it for less.')
      return ok(read)
    } catch (error) {
      if (isTimeout(error) && !signal?.aborted) void this.#endIfSilent(client.value)
      return this.#failed(error, client.value, signal)
    }
  }

  /** Ends it and starts it again at once, whatever pause it was in. */
  async restart(): Promise<Outcome<void>> {
    await this.close()
    this.#failures = 0
    this.#tell({ state: 'stopped', retryAt: null, failures: 0, problem: null })
    const client = await this.#connected()
    return client.ok ? ok(undefined) : client
  }

  async close(): Promise<void> {
    const connecting = this.#client
    this.#client = null
    this.#listed = null
    // One that is still starting is not waited for: it may never answer.
    this.#starting?.abort()
    const client = await connecting
    if (client?.ok) {
      client.value.onclose = () => undefined
      await client.value.close()
    }
    await this.#transport?.close()
    this.#tell({ state: 'stopped', retryAt: null })
  }

  async #list(signal?: AbortSignal): Promise<Outcome<Listed>> {
    const client = await this.#connected()
    if (!client.ok) return client
    const listed: unknown[] = []
    const { clock } = this.#options
    const begun = clock.now()
    let cursor: string | undefined
    let room = mostListChars
    let isCut = false
    try {
      for (let page = 0; page < mostPages; page++) {
        const params = cursor === undefined ? {} : { cursor }
        const waiting = this.#waiting(signal)
        // All pages together take no longer than one call may.
        const options = { ...waiting, timeout: Math.max(1, waiting.timeout - (clock.now() - begun)) }
        const got = await client.value.request({ method: 'tools/list', params }, Page, options)
        for (const each of got.tools) {
          room -= charsOf(each)
          isCut = room <= 0 || listed.length === mostTools
          if (isCut) break
          listed.push(each)
        }
        const before: string | undefined = cursor
        cursor = got.nextCursor
        if (isCut || cursor === undefined || cursor === before) break
      }
    } catch (error) {
      return this.#failed(error, client.value, signal)
    }
    const read = readTools(listed, this.#isModern)
    this.#tools = read.tools
    const isWhole = cursor === undefined && !isCut
    return ok(isWhole ? read : { ...read, bad: [...read.bad, { name: '', why: tooLong }] })
  }

  /** A process that stopped in the middle of an answer would answer nobody any more: it is ended, and started again. */
  async #endIfSilent(client: Client): Promise<void> {
    const transport = this.#transport
    if (!transport?.isUp) return
    const options = { timeout: Math.min(pingMs, this.#waiting().timeout) }
    await client.ping(options).catch(() => {
      this.#ending = `${this.#options.name} did not answer any more and was ended.`
      return transport.close()
    })
  }

  #headersOf(name: string, args: Record<string, unknown>): Record<string, string> {
    const found = this.#isModern ? this.#tools.find(({ tool }) => tool.name === name) : undefined
    const wanted = found ? parameterHeaders(found.tool) : null
    return wanted?.ok ? headersOf(wanted.value, args) : {}
  }

  #connected(): Promise<Outcome<Client>> {
    this.#client ??= this.#connect()
    return this.#client
  }

  async #connect(): Promise<Outcome<Client>> {
    const { name, clock, connectMs = 20_000 } = this.#options
    const pause = (this.#health.retryAt ?? 0) - clock.now()
    if (pause > 0) {
      this.#client = null
      const seconds = Math.ceil(pause / 1000)
      return fail('mcp.unreachable', `${name} failed and is started again in ${seconds} s.`, 'Try again then.')
    }
    // Whoever looks at a server that wants a log-in asks it again; that must not look like news, or they look for ever.
    if (this.#health.state !== 'sign-in') this.#tell({ state: 'starting', retryAt: null })
    const starting = new AbortController()
    this.#starting = starting
    const made = await this.#options.transport()
    if (!made.ok) {
      this.#client = null
      this.#pause(made.problem)
      return made
    }
    const { ask } = this.#options
    const protocol = await import('@modelcontextprotocol/client')
    const client = new protocol.Client(
      { name: 'countersign', version },
      {
        // Processes of the newer generation answer the older handshake too, and asking first starts them twice.
        versionNegotiation: { mode: made.value.isUp === undefined ? 'auto' : 'legacy' },
        ...(ask ? { capabilities: { elicitation: { form: { applyDefaults: true } } } } : {}),
      },
    )
    if (ask)
      client.setRequestHandler('elicitation/create', ({ params }) =>
        'requestedSchema' in params ? ask(params) : { action: 'decline' },
      )
    this.#transport = made.value
    client.onerror = () => undefined
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      this.#listed = null
      this.#options.changed?.()
    })
    starting.signal.addEventListener('abort', () => void made.value.close())
    try {
      starting.signal.throwIfAborted()
      await client.connect(made.value, { timeout: connectMs })
    } catch (error) {
      await made.value.close().catch(() => undefined)
      return this.#failed(error)
    }
    this.#starting = null
    this.#failures = 0
    this.#isModern = client.getProtocolEra() === 'modern'
    const info = client.getServerVersion()
    const introduced = info ? `${info.title ?? info.name} ${info.version}`.slice(0, 200) : null
    this.#tell({ state: 'up', failures: 0, problem: null, introduced })
    client.onclose = () => {
      this.#client = null
      this.#listed = null
      this.#pause(unreachable(this.#ending ?? `${name} ended.`, made.value))
      this.#ending = null
    }
    return ok(client)
  }

  #waiting(signal?: AbortSignal) {
    return { timeout: this.#options.callMs ?? 60_000, ...(signal ? { signal } : {}) }
  }

  #pause(problem: Problem): void {
    this.#failures += 1
    const retryAt = this.#options.clock.now() + Math.min(longestPauseMs, 500 * 2 ** this.#failures)
    this.#tell({ state: 'waiting', retryAt, failures: this.#failures, problem })
  }

  /** The client may be alive all the same: only a closed transport starts anew. */
  async #failed(error: unknown, client?: Client, signal?: AbortSignal): Promise<Outcome<never>> {
    const login = await this.#options.wantsLogin?.(error)
    if (login) {
      this.#client = null
      this.#listed = null
      if (client) client.onclose = () => undefined
      await client?.close()
      this.#tell({ state: 'sign-in', retryAt: null, failures: 0, problem: login })
      return { ok: false, problem: login }
    }
    const message = (error instanceof Error ? error.message : String(error)).slice(0, 500)
    const why = unreachable(`${this.#options.name}: ${message}`, this.#transport)
    if (!this.#isUp()) {
      this.#client = null
      this.#listed = null
      if (this.#health.state !== 'waiting') this.#pause(why)
    }
    if (signal?.aborted) return fail('request.cancelled', 'The call was cancelled.', 'Call again to try it.')
    return { ok: false, problem: why }
  }

  /** A process tells whether it is; over HTTP only a connection that was made is one. */
  #isUp(): boolean {
    return this.#transport?.isUp ?? this.#health.state === 'up'
  }

  #tell(change: Partial<ServerHealth>): void {
    const since = change.state && change.state !== this.#health.state ? this.#options.clock.now() : this.#health.since
    const before = JSON.stringify(this.#health)
    this.#health = { ...this.#health, ...change, since }
    if (JSON.stringify(this.#health) !== before) this.#options.changed?.()
  }
}

/** Also what a call comes to that was cancelled. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'REQUEST_TIMEOUT'

const tooLong = `Its list is longer than ${mostTools.toLocaleString('en')} tools, ${mostPages} pages or ${mostListChars / 1e6} MB. What comes after that is left out.`

/** What is nested too deeply to be written down counts as much as a tool may have. */
function charsOf(tool: unknown): number {
  return deeperThan(tool, mostLevels) ? maxToolChars : JSON.stringify(tool).length
}

/** Only a process of ours has a log. */
const unreachable = (message: string, transport: ServerTransport | null): Problem => ({
  code: 'mcp.unreachable',
  message,
  hint:
    transport?.log === undefined
      ? 'See whether it runs, and whether its address is right.'
      : 'Its log says what it wrote.',
})
