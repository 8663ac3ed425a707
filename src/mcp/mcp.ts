import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Caller } from '../contract/caller.ts'
import type { TenantId } from '../contract/ids.ts'
import type {
  CallTool,
  ListedTool,
  ListedTools,
  ServerConfig,
  ServerTool,
  ServerView,
  ToolAnswer,
} from '../contract/mcp-servers.ts'
import type { Policy } from '../contract/policy.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { KeyStore } from '../keystore.ts'
import type { Privacy } from '../privacy/privacy.ts'
import type { Storage } from '../storage/storage.ts'
import { openAcceptance } from './acceptance.ts'
import { type CallingRun, createCalling, type RunCalls } from './calling.ts'
import { openConfigs, secretsOf } from './config.ts'
import { confinementOf } from './confinement.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { createFinding, type Finding } from './finding.ts'
import { createLogins } from './logins.ts'
import type { Begun } from './oauth/login.ts'
import { pastedServers } from './pasted.ts'
import { type ReadTool, viewOf } from './tools.ts'

export type { RunCalls } from './calling.ts'
export { deeperThan, mostLevels } from './tools.ts'

/** The user's MCP servers and their tools. Everything that is done here is on the record. */
export interface McpServers {
  list(who: Caller): Promise<ServerView[]>
  add(who: Caller, name: string, config: unknown): Promise<Outcome<string[]>>
  /** Adds what is pasted from the configuration of another client. */
  addPasted(who: Caller, text: string): Promise<Outcome<string[]>>
  remove(who: Caller, name: string): Promise<Outcome<void>>
  /** Ends the process or connection and starts it again at once. */
  restart(who: Caller, name: string): Promise<Outcome<void>>
  /** Finds out where the person logs in; `done` resolves when they have, or it failed, or nobody came. */
  login(who: Caller, name: string): Promise<Outcome<Begun>>
  cancelLogin(who: Caller, name: string): Outcome<void>
  /** Forgets the log-in at a server, there too where it can be given back. */
  logout(who: Caller, name: string): Promise<Outcome<void>>
  /** Connects and asks for the tools, with how each stands: accepted, new, or changed since it was accepted. */
  tools(who: Caller, name: string, signal?: AbortSignal): Promise<Outcome<ListedTools>>
  /** Accepts tools as they were shown. Refused when one of them is another by now. */
  accept(who: Caller, name: string, seen: readonly Pick<ServerTool, 'name' | 'hash'>[]): Promise<Outcome<void>>
  /** All tools that were accepted, as they were then. Starts no server. */
  accepted(who: Caller): Promise<ServerTool[]>
  /**
   * Calls a tool that is what was accepted: arguments checked against its schema, policy, rate, egress guard, record. The
   * person at the screen calls, so four eyes are refused.
   */
  call(who: Caller, asked: CallTool, signal?: AbortSignal): Promise<Outcome<ToolAnswer>>
  /** The same for the calls of a run, whose approval covers what the policy asks for. */
  callsOf(who: Caller, run: CallingRun): RunCalls
  /** The accepted tools that fit an intent best, on the record with all that is needed to find them again. */
  search: Finding['search']
  /** Searches again what an entry of the record tells of, among the tools of then. */
  searchAgain: Finding['searchAgain']
  /** Makes the first search as quick as the next ones, where there are tools to search. */
  warm(who: Caller): Promise<void>
  /** The end of what a process wrote to standard error. */
  log(who: Caller, name: string): Outcome<string>
  close(): Promise<void>
}

export interface McpServersOptions extends Pick<ConnectionOptions, 'connectMs' | 'callMs'> {
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly storage: Storage
  readonly audit: Audit
  readonly keys: KeyStore
  readonly privacy: Pick<Privacy, 'egress' | 'forRecord' | 'maskForRecord'>
  readonly policy: () => Promise<Policy>
  readonly tenant: TenantId
  /** Folder of a sentence model of the user's; empty means the one that comes along. */
  readonly searchModel: () => string
  /** Told when a server's health or its tools change. */
  readonly changed?: () => void
}

const notYours = fail('access.denied', 'These servers belong to somebody else.', 'Sign in as their owner.')
const unknown = (name: string) => fail('not-found', `There is no server named ${name}.`, 'See the list of servers.')

export async function createMcpServers(options: McpServersOptions): Promise<McpServers> {
  const { home, env, clock, storage, audit, keys, tenant, connectMs, callMs } = options
  const changed = options.changed && gathered(clock, options.changed)
  const configs = openConfigs(home, keys)
  const acceptance = await openAcceptance(storage, keys, tenant)
  const connections = new Map<string, Connection>()
  const logins = createLogins({ ...options, ...(changed ? { changed } : {}), configs })
  const calling = createCalling({ ...options, acceptance, connectionOf: name => connectionOf(name) })
  const finding = createFinding({ ...options, accepted: who => accepted(who) })
  const folderOf = (name: string) => join(home, 'mcp', name)
  const isOurs = (who: Caller) => who.tenant === tenant

  function connectionOf(name: string): Outcome<Connection> {
    if (!Object.hasOwn(configs.list(), name)) return unknown(name)
    const known = connections.get(name)
    if (known) return ok(known)
    const folder = folderOf(name)
    const login = logins.of(name)
    const made = new Connection({
      name,
      clock,
      ...(login ? { wantsLogin: error => login.wanted(error) } : {}),
      ...(changed ? { changed } : {}),
      ...(connectMs ? { connectMs } : {}),
      ...(callMs ? { callMs } : {}),
      async transport() {
        const config = await configs.whole(name)
        if (!config) return unknown(name)
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        // The protocol's library takes a quarter of a second to load, which a start of the application has not.
        const { newTransport } = await import('./transports.ts')
        return newTransport({ config, env, folder, home, clock, login: login?.authProvider ?? null })
      },
    })
    connections.set(name, made)
    return ok(made)
  }

  async function add(who: Caller, given: Record<string, unknown>): Promise<Outcome<string[]>> {
    const added = await configs.add(given)
    if (!added.ok) return added
    for (const name of added.value) {
      const config = configs.list()[name]
      if (!config) continue
      const details = { server: name, address: placeOf(config), secrets: Object.keys(secretsOf(config)) }
      await audit.record({ action: 'mcp.added', tenant, actor: who.user, details })
    }
    changed?.()
    return added
  }

  async function withStanding(server: string, listed: readonly ReadTool[]): Promise<ListedTool[]> {
    const known = await acceptance.of(server)
    return listed.map(each => {
      const before = known.get(each.tool.name)
      if (!before) return viewOf(server, each, 'new')
      if (before.hash === each.hash) return viewOf(server, each, 'accepted')
      const { description, inputSchema, outputSchema, effect } = viewOf(server, before, 'accepted')
      const shown = { description, inputSchema, effect, ...(outputSchema ? { outputSchema } : {}) }
      return { ...viewOf(server, each, 'changed'), before: shown }
    })
  }

  const accepted: McpServers['accepted'] = async who => {
    if (!isOurs(who)) return []
    const here = configs.list()
    return (await acceptance.all())
      .filter(each => Object.hasOwn(here, each.server))
      .map(each => viewOf(each.server, each, 'accepted'))
  }

  return {
    async list(who) {
      if (!isOurs(who)) return []
      const counts = Map.groupBy(await acceptance.all(), each => each.server)
      const views = Object.entries(configs.list()).map(async ([name, config]): Promise<ServerView> => {
        const connection = connectionOf(name)
        if (!connection.ok) throw new Error(`${name} went away`)
        const { kind, detail } = await confinementOf(config, { home, folder: folderOf(name), env })
        return {
          name,
          transport: 'url' in config ? 'http' : 'process',
          address: addressOf(config),
          secrets: Object.keys(secretsOf(config)),
          confinement: { kind, detail },
          health: connection.value.health,
          login: await logins.view(name),
          accepted: counts.get(name)?.length ?? 0,
        }
      })
      return Promise.all(views)
    },
    add: async (who, name, config) => (isOurs(who) ? add(who, Object.fromEntries([[name, config]])) : notYours),
    async addPasted(who, text) {
      if (!isOurs(who)) return notYours
      const pasted = pastedServers(text)
      return pasted.ok ? add(who, pasted.value) : pasted
    },
    async remove(who, name) {
      if (!isOurs(who)) return notYours
      if (!(await configs.remove(name))) return unknown(name)
      await storage.write(async t => {
        await acceptance.forget(t, name)
        await audit.append(t, { action: 'mcp.removed', tenant, actor: who.user, details: { server: name } })
      })
      await connections.get(name)?.close()
      connections.delete(name)
      await logins.forget(name)
      changed?.()
      return ok(undefined)
    },
    async restart(who, name) {
      if (!isOurs(who)) return notYours
      const connection = connectionOf(name)
      return connection.ok ? connection.value.restart() : connection
    },
    async login(who, name) {
      if (!isOurs(who)) return notYours
      const connection = connectionOf(name)
      return connection.ok ? logins.begin(who, name, connection.value) : connection
    },
    cancelLogin(who, name) {
      if (!isOurs(who)) return notYours
      logins.cancel(name)
      return ok(undefined)
    },
    async logout(who, name) {
      if (!isOurs(who)) return notYours
      const connection = connectionOf(name)
      return connection.ok ? logins.logout(who, name, connection.value) : connection
    },
    async tools(who, name, signal) {
      if (!isOurs(who)) return notYours
      const connection = connectionOf(name)
      if (!connection.ok) return connection
      const listed = await connection.value.tools(signal)
      if (!listed.ok) return listed
      return ok({ tools: await withStanding(name, listed.value.tools), bad: listed.value.bad })
    },
    async accept(who, name, seen) {
      if (!isOurs(who)) return notYours
      const connection = connectionOf(name)
      if (!connection.ok) return connection
      const listed = await connection.value.known()
      if (!listed.ok) return listed
      const byName = new Map(listed.value.tools.map(each => [each.tool.name, each]))
      const chosen = seen.flatMap(each => byName.get(each.name) ?? []).filter((each, n) => each.hash === seen[n]?.hash)
      if (chosen.length !== seen.length)
        return fail('conflict', `The tools of ${name} are not those that were shown.`, 'Look at them again.')
      await storage.write(async t => {
        await acceptance.accept(t, who, name, chosen, clock.now())
        const tools = Object.fromEntries(chosen.map(({ tool, hash }) => [tool.name, hash]))
        await audit.append(t, { action: 'mcp.accepted', tenant, actor: who.user, details: { server: name, tools } })
      })
      finding.prepare(await accepted(who))
      changed?.()
      return ok(undefined)
    },
    accepted,
    search: finding.search,
    searchAgain: finding.searchAgain,
    async warm(who) {
      finding.prepare(await accepted(who))
    },
    call: async (who, asked, signal) => (isOurs(who) ? calling.call(who, asked, signal) : notYours),
    callsOf(who, run) {
      const calls = calling.ofRun(who, run)
      return isOurs(who) ? calls : { ...calls, call: async () => notYours }
    },
    log(who, name) {
      if (!isOurs(who)) return notYours
      return Object.hasOwn(configs.list(), name) ? ok(connections.get(name)?.log ?? '') : unknown(name)
    },
    async close() {
      logins.close()
      await Promise.all([...connections.values()].map(each => each.close()))
      connections.clear()
      await finding.close()
    },
  }
}

/** At once, and then once for all that comes within a while: windows ask for everything anew each time. */
function gathered(clock: Clock, tell: () => void): () => void {
  let isResting = false
  let isMore = false
  return function told() {
    isMore = isResting
    if (isResting) return
    isResting = true
    tell()
    clock.after(250, () => {
      isResting = false
      if (isMore) told()
    })
  }
}

/** For the person who added it. */
const addressOf = (config: ServerConfig): string =>
  'url' in config ? config.url : [config.command, ...config.args].join(' ')

/** For the record: without arguments and queries, which may hold keys. */
const placeOf = (config: ServerConfig): string => ('url' in config ? new URL(config.url).origin : config.command)
