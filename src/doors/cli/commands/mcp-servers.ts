import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { systemClock } from '../../../clock.ts'
import type { BadTool, RemoteTool, ServerConfig } from '../../../contract/mcp.ts'
import type { Outcome, Problem } from '../../../contract/problem.ts'
import { visible } from '../../../contract/visible.ts'
import { createMcpServers, type McpServers } from '../../../mcp/mcp.ts'
import { homeFolder } from '../../../places.ts'
import { type Arguments, exit, type Io, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'

export const serverCommands = ['list', 'add', 'remove', 'test', 'call'] as const
export type ServerCommand = (typeof serverCommands)[number]

/** `countersign mcp list|add|remove|test|call`: the user's own servers. */
export async function runServerCommand(
  name: ServerCommand,
  { values, positionals }: Arguments,
  io: Io,
): Promise<number> {
  const servers = createMcpServers({ home: homeFolder(io.env), env: io.env, clock: systemClock })
  const given = positionals.slice(1)
  try {
    return await commands[name]({ servers, given, values, io })
  } finally {
    await servers.close()
  }
}

interface Work {
  readonly servers: McpServers
  readonly given: readonly string[]
  readonly values: Arguments['values']
  readonly io: Io
}

const commands: Record<ServerCommand, (work: Work) => number | Promise<number>> = {
  list({ servers, values, io }) {
    const all = servers.list()
    if (values.json)
      io.stdout.write(
        `${JSON.stringify(Object.fromEntries(Object.entries(all).map(([name, config]) => [name, addressOf(config)])))}\n`,
      )
    else if (Object.keys(all).length === 0)
      io.stdout.write('There are no servers yet. Add one with `countersign mcp add`.\n')
    else
      for (const [name, config] of Object.entries(all))
        io.stdout.write(`${name.padEnd(20)} ${visible(addressOf(config))}\n`)
    return exit.success
  },

  async add({ servers, given, values, io }) {
    const [name, ...rest] = given
    if (name === undefined) throw new UsageError('name the server, or give - to paste a configuration')
    if (name === '-' || name.endsWith('.json')) {
      const pasted = name === '-' ? await text(io.stdin) : await readFile(resolve(io.cwd, name), 'utf8')
      const added = servers.addPasted(pasted)
      return added.ok ? say(io, `Added ${added.value.join(', ')}.`) : refuse(io, added.problem)
    }
    const url = values.url as string | undefined
    const [command, ...args] = rest
    if ((url === undefined) === (command === undefined)) throw new UsageError('give either --url or a command')
    const config =
      url === undefined ? { command, args, env: pairs(values.env, '=') } : { url, headers: pairs(values.header, ':') }
    return report(io, servers.add(name, config), `Added ${name}. See its tools with: countersign mcp test ${name}`)
  },

  async remove({ servers, given, io }) {
    return report(io, await servers.remove(only(given)), `Removed ${given[0]}.`)
  },

  async test({ servers, given, values, io }) {
    const name = only(given)
    const found = await servers.tools(name, io.signal)
    if (!found.ok) {
      const log = servers.log(name).trim()
      if (log) io.stderr.write(`It wrote:\n${visible(log.slice(-2000))}\n`)
      return refuse(io, found.problem)
    }
    const { tools, bad } = found.value
    if (values.json) io.stdout.write(`${JSON.stringify({ tools, bad })}\n`)
    else showTools(io, tools, bad)
    if (values.accept) servers.accept(name, tools)
    else if (tools.some(({ standing }) => standing !== 'accepted'))
      io.stderr.write(`To accept these tools as they are: countersign mcp test ${name} --accept\n`)
    return exit.success
  },

  async call({ servers, given, io }) {
    const [name, tool, json = '{}', ...more] = given
    if (name === undefined || tool === undefined || more.length > 0)
      throw new UsageError('name a server, a tool and its arguments as JSON')
    const args = argumentsOf(json)
    return withEngine(io, async engine => {
      const journey = { to: `MCP server ${name}`, conversation: null }
      const passed = await engine.privacy.egress.pass('model', args, journey)
      if (!passed.ok) return refuse(io, passed.problem)
      const answer = await servers.call(name, tool, passed.value, io.signal)
      if (!answer.ok) return refuse(io, answer.problem)
      io.stdout.write(`${JSON.stringify(answer.value)}\n`)
      return answer.value.isError ? exit.failed : exit.success
    })
  },
}

/** Without arguments, environment and headers: they may hold keys. */
const addressOf = (config: ServerConfig): string => ('url' in config ? new URL(config.url).origin : config.command)

function showTools(io: Io, tools: readonly RemoteTool[], bad: readonly BadTool[]): void {
  for (const { name, description, standing } of tools)
    io.stdout.write(
      `${standing.padEnd(9)} ${name.padEnd(30)} ${visible(description.replace(/\s+/g, ' ').slice(0, 120))}\n`,
    )
  for (const { name, why } of bad)
    io.stdout.write(`bad       ${visible(name).padEnd(30)} ${visible(why.replace(/\s+/g, ' '))}\n`)
}

function argumentsOf(json: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new UsageError('the arguments are not JSON')
  }
  const read = z.record(z.string(), z.unknown()).safeParse(value)
  if (!read.success) throw new UsageError('the arguments must be a JSON object')
  return read.data
}

function pairs(given: unknown, separator: '=' | ':'): Record<string, string> {
  const all: Record<string, string> = {}
  for (const each of (given ?? []) as string[]) {
    const at = each.indexOf(separator)
    if (at < 1) throw new UsageError(`'${each}' must read NAME${separator}VALUE`)
    all[each.slice(0, at)] = each.slice(at + 1).trim()
  }
  return all
}

function only(given: readonly string[]): string {
  const [name, ...more] = given
  if (name === undefined || more.length > 0) throw new UsageError('name one server')
  return name
}

function say(io: Io, sentence: string): number {
  io.stdout.write(`${sentence}\n`)
  return exit.success
}

const report = (io: Io, done: Outcome<void>, sentence: string): number =>
  done.ok ? say(io, sentence) : refuse(io, done.problem)

function refuse(io: Io, { code, message, hint }: Problem): number {
  io.stderr.write(`countersign mcp: ${visible(message)}\n${hint} (${code})\n`)
  return code === 'mcp.unreachable' ? exit.unavailable : code === 'mcp.unaccepted' ? exit.refused : exit.failed
}
