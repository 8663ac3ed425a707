import { z } from 'zod'
import { fail, type Outcome, ok } from '../contract/problem.ts'

/**
 * The servers of a text as other clients keep it: Claude Desktop and Cursor (`mcpServers`), VS Code (`servers`, or `mcp`
 * around them, with comments), Zed (`context_servers`), a bare list, a piece of one, or a single server with its name.
 */
export function pastedServers(text: string): Outcome<Record<string, unknown>> {
  const given = Servers.safeParse(parsed(text))
  const servers = Servers.safeParse(given.success ? listIn(given.data) : null)
  if (!servers.success || Object.keys(servers.data).length === 0) return notOne
  const found = new Map<string, unknown>()
  for (const [name, entry] of Object.entries(servers.data)) {
    const ours = nameOf(name)
    const config = configOf(name, entry)
    if (!config.ok) return config
    if (found.has(ours))
      return fail('request.invalid', `Two of these servers would be named ${ours}.`, 'Give one of them another name.')
    found.set(ours, config.value)
  }
  return ok(Object.fromEntries(found))
}

const notOne = fail(
  'request.invalid',
  'This is not a configuration with "mcpServers".',
  'Paste what another client keeps: { "mcpServers": { "name": { "command": … } } }.',
)

const Entry = z.looseObject({})
const Servers = z.record(z.string(), z.unknown())

function listIn(given: Readonly<Record<string, unknown>>): unknown {
  const inner = given.mcpServers ?? given.servers ?? given.context_servers ?? given.mcp
  if (inner !== undefined) {
    const deeper = Servers.safeParse(inner)
    return given.mcp === inner && deeper.success ? listIn(deeper.data) : inner
  }
  const { name, ...rest } = given
  return typeof name === 'string' && ('command' in rest || 'url' in rest) ? { [name]: rest } : given
}

/** Other clients take any name; ours is also a word in code. */
function nameOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 32)
  return plain || name
}

/** What only says how another client shows a server, or when it starts it. */
const foreign =
  'disabled enabled autoApprove alwaysAllow alwaysLoad trust timeout startupTimeout description title icon note gallery version dev source'.split(
    ' ',
  )
const Texts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

function configOf(name: string, entry: unknown): Outcome<unknown> {
  const read = Entry.safeParse(entry)
  if (!read.success) return notOne
  const { serverUrl, httpUrl, transport, transportType, auth, env, oauth, type, ...given } = read.data
  const wanted = foreign.filter(each => Object.hasOwn(given, each))
  const rest = Object.fromEntries(Object.entries(given).filter(([key]) => !wanted.includes(key)))
  const kind = type ?? transport ?? transportType
  if (kind === 'sse')
    return fail(
      'request.invalid',
      `${name} speaks SSE, which streamable HTTP has replaced.`,
      'Give the address at which it speaks streamable HTTP, with "type": "http".',
    )
  const placeholder = /\$\{[^{}]*\}/.exec(JSON.stringify(read.data))?.[0]
  if (placeholder)
    return fail(
      'request.invalid',
      `${name} holds ${placeholder.slice(0, 80)}, which the other client replaces by a value.`,
      'Write the value in its place. Those of environment and headers go to the key store.',
    )
  const texts = Texts.safeParse(env)
  const url = rest.url ?? serverUrl ?? httpUrl
  const login = oauthOf(auth ?? oauth)
  return ok({
    ...rest,
    ...(kind === undefined ? {} : { type: kindNames[String(kind)] ?? kind }),
    ...(url === undefined ? {} : { url }),
    ...(env === undefined ? {} : { env: texts.success ? each(texts.data, String) : env }),
    ...(login === undefined ? {} : { oauth: login }),
  })
}

const kindNames: Readonly<Record<string, string>> = { streamableHttp: 'http', streamable_http: 'http' }

/** The registered client as Cursor and Claude Code write it. */
function oauthOf(given: unknown): unknown {
  const read = Entry.safeParse(given)
  if (!read.success) return given
  const { CLIENT_ID, CLIENT_SECRET, scopes, callbackPort, ...rest } = read.data
  return {
    ...rest,
    ...(CLIENT_ID === undefined ? {} : { clientId: CLIENT_ID }),
    ...(CLIENT_SECRET === undefined ? {} : { clientSecret: CLIENT_SECRET }),
    ...(Array.isArray(scopes) ? { scope: scopes.join(' ') } : {}),
    ...(callbackPort === undefined ? {} : { redirectPort: callbackPort }),
  }
}

const each = (map: Readonly<Record<string, unknown>>, change: (value: unknown) => string) =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]))

/** JSON as people keep it: with comments and a comma too many, and without the braces where it is a piece of a list. */
function parsed(text: string): unknown {
  const plain = text
    .replace(/^\uFEFF/, '')
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)/g, '$1')
    .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, '$1')
    .trim()
    .replace(/,$/, '')
  return parseJson(plain) ?? parseJson(`{${plain}}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
