import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Caller } from '../contract/caller.ts'
import type { TenantId } from '../contract/ids.ts'
import {
  type CallTool,
  effectOf,
  type ListedTool,
  type ListedTools,
  maxArgumentChars,
  type ServerConfig,
  type ServerTool,
  type ServerView,
  type ToolAnswer,
} from '../contract/mcp-servers.ts'
import { type Policy, toolAction } from '../contract/policy.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { KeyStore } from '../keystore.ts'
import type { Privacy } from '../privacy/privacy.ts'
import type { Storage } from '../storage/storage.ts'
import { openAcceptance } from './acceptance.ts'
import { openConfigs, secretsOf } from './config.ts'
import { confinementOf } from './confinement.ts'
import { Connection, type ConnectionOptions, maxResultChars, maxResultCharsOfRuns } from './connection.ts'
import { createFinding, type Finding } from './finding.ts'
import { createLogins } from './logins.ts'
import type { Begun } from './oauth/login.ts'
import { pastedServers } from './pasted.ts'
import { Rate } from './rate.ts'
import { deeperThan, mostLevels, type ReadTool, viewOf } from './tools.ts'

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
   * Calls a tool that is what was accepted: arguments checked against its schema, policy, rate, egress guard, record.
   * With `for`, the approval of that run covers what the policy asks for; without it the person who calls does, and
   * four eyes are refused.
   */
  call(who: Caller, asked: CallTool, signal?: AbortSignal): Promise<Outcome<ToolAnswer>>
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
  const { home, env, clock, storage, audit, keys, privacy, policy, tenant, connectMs, callMs } = options
  const changed = options.changed && gathered(clock, options.changed)
  const configs = openConfigs(home, keys)
  const acceptance = await openAcceptance(storage, keys, tenant)
  const connections = new Map<string, Connection>()
  const logins = createLogins({ ...options, ...(changed ? { changed } : {}), configs })
  const rate = new Rate(clock)
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

  /** The tool, where it is what was accepted, and what was granted. */
  async function callable(connection: Connection, asked: CallTool, signal?: AbortSignal): Promise<Outcome<ReadTool>> {
    const { server, tool, hash } = asked
    const listed = await connection.known(signal)
    if (!listed.ok) return listed
    const found = listed.value.tools.find(each => each.tool.name === tool)
    if (!found) return fail('not-found', `${server} has no tool ${tool}.`, 'See its list of tools.')
    const before = await acceptance.one(server, tool)
    if (before?.hash === found.hash && (hash === undefined || hash === found.hash)) return ok(found)
    const why = before ? 'changed after it was accepted' : 'has not been accepted yet'
    return fail('mcp.unaccepted', `The tool ${tool} of ${server} ${why}.`, 'Look at it, then accept it.')
  }

  async function allowed(tool: Pick<ServerTool, 'server' | 'effect'>, isOfRun: boolean): Promise<Outcome<void>> {
    const action = toolAction(await policy(), tool)
    if (action === 'block')
      return fail('policy.blocked', `The policy does not let this tool of ${tool.server} be called.`, 'See the policy.')
    if (action !== 'four-eyes' || isOfRun) return ok(undefined)
    return fail(
      'approval.four-eyes',
      'Somebody else must approve this call.',
      'Call it from a cell, which is reviewed.',
    )
  }

  /** Texts for the record, without private values. */
  const forRecord = async (asked: CallTool, value: unknown): Promise<string> =>
    asked.for
      ? privacy.forRecord(asked.for.conversation, JSON.stringify(value))
      : JSON.stringify(privacy.maskForRecord(value))

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
    async call(who, asked, signal) {
      if (!isOurs(who)) return notYours
      const { server, tool } = asked
      if (deeperThan(asked.arguments, mostLevels))
        return fail(
          'mcp.arguments',
          `The arguments are nested more than ${mostLevels} levels deep.`,
          'Make them flatter.',
        )
      if (JSON.stringify(asked.arguments).length > maxArgumentChars)
        return fail('request.too-large', 'The arguments are longer than 1 MB.', 'Hand over less.')
      const connection = connectionOf(server)
      if (!connection.ok) return connection
      const found = await callable(connection.value, asked, signal)
      if (!found.ok) return found
      const may = await allowed({ server, effect: effectOf(found.value.tool) }, asked.for !== undefined)
      if (!may.ok) return may
      const { checkArguments } = await import('./arguments.ts')
      const fits = checkArguments(found.value.tool, asked.arguments)
      if (!fits.ok) return fits
      return rate.within(`${server}.${tool}`, async () => {
        const journey = {
          to: `MCP server ${server}`,
          conversation: asked.for?.conversation ?? null,
          knowsTokens: asked.for !== undefined,
        }
        const passed = await privacy.egress.pass('model', asked.arguments, journey)
        if (!passed.ok) return passed
        const begun = clock.now()
        const most = asked.for ? maxResultCharsOfRuns : maxResultChars
        const answer = await connection.value.call(tool, passed.value.value, signal, most)
        const { ordinal, cell, ...run } = asked.for ?? {}
        const told = answer.ok ? answer.value : { problem: answer.problem.code }
        const bytes = Buffer.byteLength(JSON.stringify(told))
        const bodies = {
          arguments: await forRecord(asked, asked.arguments),
          // Of a long one the hash is enough: scanning it would take longer than the call.
          ...(bytes > maxBodyChars ? {} : { result: await forRecord(asked, told) }),
        }
        await audit.record({
          action: 'mcp.called',
          tenant,
          actor: who.user,
          ...run,
          ...(cell ? { cell } : {}),
          details: {
            ...{ server, tool, toolHash: found.value.hash, success: answer.ok && !answer.value.isError },
            ...{ argumentsHash: hashOf(asked.arguments), resultHash: hashOf(told), durationMs: clock.now() - begun },
            ...(ordinal === undefined ? {} : { ordinal }),
            bytes,
            ...(answer.ok ? {} : { problem: answer.problem.code }),
          },
          bodies,
        })
        return answer
      })
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

const maxBodyChars = 256 * 1024

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** For the person who added it. */
const addressOf = (config: ServerConfig): string =>
  'url' in config ? config.url : [config.command, ...config.args].join(' ')

/** For the record: without arguments and queries, which may hold keys. */
const placeOf = (config: ServerConfig): string => ('url' in config ? new URL(config.url).origin : config.command)
