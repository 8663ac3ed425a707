import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { type BadTool, type RemoteTool, ServerConfig, ServerName, ServersFile } from '../contract/mcp.ts'
import { Failure, fail, type Outcome, ok } from '../contract/problem.ts'
import type { Passed } from '../privacy/privacy.ts'
import { type CallAnswer, Connection, type ConnectionOptions } from './connection.ts'

export type { CallAnswer } from './connection.ts'

/** The user's MCP servers: kept in `mcp.json` of the data folder, in the shape that other clients use too. */
export interface McpServers {
  list(): Record<string, ServerConfig>
  add(name: string, config: unknown): Outcome<void>
  /** Adds what is pasted from the configuration of another client. */
  addPasted(text: string): Outcome<string[]>
  remove(name: string): Promise<Outcome<void>>
  /** Connects and reads the tools, with how each stands: accepted, new, or changed since it was accepted. */
  tools(name: string, signal?: AbortSignal): Promise<Outcome<{ tools: RemoteTool[]; bad: BadTool[] }>>
  /** Keeps the hashes of these tools as the ones that a person has seen. */
  accept(name: string, tools: readonly RemoteTool[]): void
  /** Refused unless the tool is what was accepted. */
  call(
    name: string,
    tool: string,
    args: Passed<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Outcome<CallAnswer>>
  log(name: string): string
  close(): Promise<void>
}

export interface McpServersOptions extends Pick<ConnectionOptions, 'connectMs' | 'callMs'> {
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  readonly clock: Clock
}

const Accepted = z.record(z.string(), z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)))

export function createMcpServers({ home, env, clock, ...times }: McpServersOptions): McpServers {
  const files = { servers: join(home, 'mcp.json'), accepted: join(home, 'mcp-accepted.json') }
  const connections = new Map<string, Connection>()
  const servers = () => readJson(files.servers, ServersFile, { mcpServers: {} }).mcpServers
  const accepted = () => readJson(files.accepted, Accepted, {})
  const cwd = join(home, 'mcp')

  function connectionOf(name: string): Outcome<Connection> {
    const known = connections.get(name)
    if (known) return ok(known)
    const all = servers()
    const config = Object.hasOwn(all, name) ? all[name] : undefined
    if (!config) return fail('not-found', `There is no server named ${name}.`, 'See `countersign mcp list`.')
    mkdirSync(cwd, { recursive: true, mode: 0o700 })
    const made = new Connection({ name, config, env, cwd, clock, ...times })
    connections.set(name, made)
    return ok(made)
  }

  function save(name: string, config: ServerConfig | null): void {
    const { [name]: _old, ...rest } = servers()
    writeJson(files.servers, { mcpServers: config ? { ...rest, [name]: config } : rest })
  }

  const tools: McpServers['tools'] = async (name, signal) => {
    const connection = connectionOf(name)
    if (!connection.ok) return connection
    const listed = await connection.value.tools(signal)
    if (!listed.ok) return listed
    const known = accepted()[name] ?? {}
    const standing = (tool: string, hash: string): RemoteTool['standing'] =>
      !Object.hasOwn(known, tool) ? 'new' : known[tool] === hash ? 'accepted' : 'changed'
    const all = listed.value.tools.map(tool => ({ ...tool, standing: standing(tool.name, tool.hash) }))
    return ok({ tools: all, bad: listed.value.bad })
  }

  return {
    list: servers,
    add(name, config) {
      const parsed = z.object({ name: ServerName, config: ServerConfig }).safeParse({ name, config })
      if (!parsed.success) return fail('request.invalid', z.prettifyError(parsed.error), 'Correct it and add it again.')
      if (Object.hasOwn(servers(), name))
        return fail('conflict', `There is a server named ${name} already.`, 'Remove it first.')
      save(parsed.data.name, parsed.data.config)
      return ok(undefined)
    },
    addPasted(text) {
      const parsed = ServersFile.safeParse(parseJson(text))
      if (!parsed.success)
        return fail(
          'request.invalid',
          'This is not a configuration with "mcpServers".',
          z.prettifyError(parsed.error).slice(0, 500),
        )
      const names = Object.keys(parsed.data.mcpServers)
      const taken = names.find(name => Object.hasOwn(servers(), name))
      if (taken) return fail('conflict', `There is a server named ${taken} already.`, 'Remove it first.')
      for (const [name, config] of Object.entries(parsed.data.mcpServers)) save(name, config)
      return ok(names)
    },
    async remove(name) {
      if (!Object.hasOwn(servers(), name))
        return fail('not-found', `There is no server named ${name}.`, 'See `countersign mcp list`.')
      save(name, null)
      const { [name]: _old, ...rest } = accepted()
      writeJson(files.accepted, rest)
      await connections.get(name)?.close()
      connections.delete(name)
      return ok(undefined)
    },
    tools,
    accept(name, seen) {
      const before = accepted()
      const hashes = Object.fromEntries(seen.map(tool => [tool.name, tool.hash]))
      writeJson(files.accepted, { ...before, [name]: { ...before[name], ...hashes } })
    },
    async call(name, tool, args, signal) {
      const listed = await tools(name, signal)
      if (!listed.ok) return listed
      const found = listed.value.tools.find(each => each.name === tool)
      if (!found) return fail('not-found', `${name} has no tool ${tool}.`, 'See `countersign mcp test`.')
      if (found.standing !== 'accepted') {
        const why = found.standing === 'new' ? 'has not been accepted yet' : 'changed after it was accepted'
        return fail(
          'mcp.unaccepted',
          `The tool ${tool} of ${name} ${why}.`,
          'Look at it with `countersign mcp test`, then accept it.',
        )
      }
      const connection = connectionOf(name)
      return connection.ok ? connection.value.call(tool, args.value, signal) : connection
    },
    log: name => connections.get(name)?.log ?? '',
    async close() {
      await Promise.all([...connections.values()].map(each => each.close()))
      connections.clear()
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readJson<T>(file: string, schema: z.ZodType<T>, missing: T): T {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return missing
    throw error
  }
  const parsed = schema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw new Failure(
    'settings.corrupt',
    `${file} cannot be read: ${z.prettifyError(parsed.error).slice(0, 300)}`,
    'Correct it by hand.',
  )
}

/** Whole or not at all, and for nobody else's eyes: headers and environment hold keys. */
function writeJson(file: string, value: unknown): void {
  const next = `${file}.${process.pid}.new`
  writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(next, file)
}
