import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { type BadTool, Intent, type ListedTool, type ToolSearch } from '../../../contract/mcp-servers.ts'
import type { Problem } from '../../../contract/problem.ts'
import { visible } from '../../../contract/visible.ts'
import type { Caller } from '../../../conversations/conversations.ts'
import type { McpServers } from '../../../mcp/mcp.ts'
import { type Arguments, exit, type Io, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'

export const serverCommands = ['list', 'add', 'remove', 'login', 'logout', 'test', 'call', 'search'] as const
export type ServerCommand = (typeof serverCommands)[number]

/** `countersign mcp list|add|remove|login|logout|test|call|search`: the user's own servers. */
export async function runServerCommand(
  name: ServerCommand,
  { values, positionals }: Arguments,
  io: Io,
): Promise<number> {
  const work = await commands[name]({ given: positionals.slice(1), values, io })
  return withEngine(io, engine => work({ servers: engine.mcp, who: engine.caller }))
}

interface Asked {
  readonly given: readonly string[]
  readonly values: Arguments['values']
  readonly io: Io
}

interface Means {
  readonly servers: McpServers
  readonly who: Caller
}

/** Arguments are read before anything is opened: a slip of the pen starts no engine. */
type Reading = (asked: Asked) => Work | Promise<Work>
type Work = (means: Means) => Promise<number>

const commands: Record<ServerCommand, Reading> = {
  list:
    ({ values, io }) =>
    async ({ servers, who }) => {
      const all = await servers.list(who)
      if (values.json) io.stdout.write(`${JSON.stringify(all)}\n`)
      else if (all.length === 0) io.stdout.write('There are no servers yet. Add one with `countersign mcp add`.\n')
      else
        for (const { name, address, confinement, accepted, login } of all) {
          const logged = login?.state === 'in' ? 'logged in  ' : ''
          io.stdout.write(
            `${name.padEnd(20)} ${confinement.kind.padEnd(9)} ${accepted} accepted  ${logged}${visible(address)}\n`,
          )
        }
      return exit.success
    },

  async add({ given, values, io }) {
    const [name, ...rest] = given
    if (name === undefined) throw new UsageError('name the server, or give - to paste a configuration')
    if (name === '-' || name.endsWith('.json')) {
      const pasted = name === '-' ? await text(io.stdin) : await readFile(resolve(io.cwd, name), 'utf8')
      return async ({ servers, who }) => {
        const added = await servers.addPasted(who, pasted)
        return added.ok ? say(io, `Added ${added.value.join(', ')}.`) : refuse(io, added.problem)
      }
    }
    const url = values.url as string | undefined
    const [command, ...args] = rest
    if ((url === undefined) === (command === undefined)) throw new UsageError('give either --url or a command')
    const config =
      url === undefined
        ? { command, args, env: pairs(values.env, '=') }
        : { url, headers: pairs(values.header, ':'), ...oauthOf(values) }
    return async ({ servers, who }) => {
      const added = await servers.add(who, name, config)
      return added.ok
        ? say(io, `Added ${name}. See its tools with: countersign mcp test ${name}`)
        : refuse(io, added.problem)
    }
  },

  remove({ given, io }) {
    const name = only(given)
    return async ({ servers, who }) => {
      const removed = await servers.remove(who, name)
      return removed.ok ? say(io, `Removed ${name}.`) : refuse(io, removed.problem)
    }
  },

  login({ given, io }) {
    const name = only(given)
    return async ({ servers, who }) => {
      const begun = await servers.login(who, name)
      if (!begun.ok) return refuse(io, begun.problem)
      io.stdout.write(`Log in at this page; this command waits (Ctrl+C cancels):\n${visible(begun.value.url)}\n`)
      const cancel = () => servers.cancelLogin(who, name)
      io.signal.addEventListener('abort', cancel)
      if (io.signal.aborted) cancel()
      const done = await held(begun.value.done)
      io.signal.removeEventListener('abort', cancel)
      return done.ok ? say(io, `You are logged in at ${name}.`) : refuse(io, done.problem)
    }
  },

  logout({ given, io }) {
    const name = only(given)
    return async ({ servers, who }) => {
      const ended = await servers.logout(who, name)
      return ended.ok ? say(io, `You are logged out of ${name}.`) : refuse(io, ended.problem)
    }
  },

  test({ given, values, io }) {
    const name = only(given)
    return async ({ servers, who }) => {
      const found = await servers.tools(who, name, io.signal)
      if (!found.ok) {
        const log = servers.log(who, name)
        if (log.ok && log.value.trim()) io.stderr.write(`It wrote:\n${visible(log.value.trim().slice(-2000))}\n`)
        return refuse(io, found.problem)
      }
      const { tools, bad } = found.value
      if (values.json) io.stdout.write(`${JSON.stringify({ tools, bad })}\n`)
      else showTools(io, tools, bad)
      if (values.accept) {
        const accepted = await servers.accept(who, name, tools)
        if (!accepted.ok) return refuse(io, accepted.problem)
      } else if (tools.some(({ standing }) => standing !== 'accepted'))
        io.stderr.write(`To accept these tools as they are: countersign mcp test ${name} --accept\n`)
      return exit.success
    }
  },

  call({ given, io }) {
    const [server, tool, json = '{}', ...more] = given
    if (server === undefined || tool === undefined || more.length > 0)
      throw new UsageError('name a server, a tool and its arguments as JSON')
    const args = argumentsOf(json)
    return async ({ servers, who }) => {
      const answer = await servers.call(who, { server, tool, arguments: args }, io.signal)
      if (!answer.ok) return refuse(io, answer.problem)
      io.stdout.write(`${JSON.stringify(answer.value)}\n`)
      return answer.value.isError ? exit.failed : exit.success
    }
  },

  search({ given, values, io }) {
    const again = values.again === undefined ? null : Number(values.again)
    if (again !== null && !Number.isSafeInteger(again)) throw new UsageError('--again takes the number of an entry')
    const intent = Intent.safeParse(given.join(' '))
    if (again === null && !intent.success) throw new UsageError('say what the tool is for')
    return async ({ servers, who }) => {
      if (again !== null) {
        const repeated = await servers.searchAgain(who, again)
        if (!repeated.ok) return refuse(io, repeated.problem)
        showFound(io, repeated.value.now, values.json === true)
        return repeated.value.same ? say(io, 'The same as then.') : exit.failed
      }
      const found = await servers.search(who, intent.data ?? '', { patienceMs: 60_000 })
      if (!found.ok) return refuse(io, found.problem)
      showFound(io, found.value, values.json === true)
      return exit.success
    }
  },
}

function showFound(io: Io, search: ToolSearch, json: boolean): void {
  const { found, searched, ranking, model, note } = search
  if (json) {
    io.stdout.write(`${JSON.stringify(search)}\n`)
    return
  }
  for (const { server, name, score, effect, description } of found) {
    const text = visible(description.replace(/\s+/g, ' ').slice(0, 80))
    io.stdout.write(`${score.toFixed(4)} ${`${server}.${name}`.padEnd(36)} ${effect.padEnd(8)} ${text}\n`)
  }
  io.stderr.write(`${searched} accepted tools, ${ranking}, ${model ?? 'no model'}${note ? `. ${note}` : ''}\n`)
}

function showTools(io: Io, tools: readonly ListedTool[], bad: readonly BadTool[]): void {
  for (const { name, description, standing } of tools)
    io.stdout.write(
      `${standing.padEnd(9)} ${name.padEnd(30)} ${visible(description.replace(/\s+/g, ' ').slice(0, 120))}\n`,
    )
  for (const { name, why } of bad)
    io.stdout.write(`bad       ${visible(name).padEnd(30)} ${visible(why.replace(/\s+/g, ' '))}\n`)
}

function argumentsOf(json: string): Record<string, z.core.util.JSONType> {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new UsageError('the arguments are not JSON')
  }
  const read = z.record(z.string(), z.json()).safeParse(value)
  if (!read.success) throw new UsageError('the arguments must be a JSON object')
  return read.data
}

/** A client that somebody registered where the server's people log in. */
function oauthOf(values: Arguments['values']): { oauth?: Record<string, unknown> } {
  const given = { clientId: values['client-id'], clientSecret: values['client-secret'], scope: values.scope }
  const oauth = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return Object.keys(oauth).length > 0 ? { oauth } : {}
}

/** Timers of the engine never keep the process up, and the person may take their time. */
async function held<T>(waiting: Promise<T>): Promise<T> {
  const hold = setInterval(() => undefined, 1 << 30)
  try {
    return await waiting
  } finally {
    clearInterval(hold)
  }
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

function refuse(io: Io, { code, message, hint }: Problem): number {
  io.stderr.write(`countersign mcp: ${visible(message)}\n${hint} (${code})\n`)
  if (code === 'mcp.unreachable') return exit.unavailable
  return code === 'mcp.unaccepted' || code === 'mcp.sign-in' ? exit.refused : exit.failed
}
