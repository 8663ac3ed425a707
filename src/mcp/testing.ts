import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { ana, temporaryAudit, tenant } from '../audit/testing.ts'
import { systemClock } from '../clock.ts'
import type { CallTool } from '../contract/mcp-servers.ts'
import { Policy } from '../contract/policy.ts'
import type { Outcome } from '../contract/problem.ts'
import { Settings } from '../contract/settings.ts'
import { createPrivacy } from '../privacy/privacy.ts'
import { createMcpServers, type McpServersOptions } from './mcp.ts'

export const who = { tenant, user: ana }
const hostile = join(import.meta.dirname, 'hostile.testing.ts')

/** The user's servers on a real record, with what is found out about them. */
export async function openServers(options: Partial<McpServersOptions> = {}) {
  const { audit, storage, keys, ids, clock, folder: home } = await temporaryAudit()
  const settings = () => Settings.parse({}).privacy
  const privacy = await createPrivacy({ storage, audit, keys, clock, ids, tenant, settings })
  const given = {
    ...{ home, env: { PATH: process.env.PATH, SECRET: 'of the parent' }, clock: systemClock },
    ...{ storage, audit, keys, privacy, tenant, searchModel: () => '' },
    policy: async () => Policy.parse({}),
    ...options,
  }
  const again = async () => {
    const opened = await createMcpServers(given)
    onTestFinished(() => opened.close())
    return opened
  }
  const servers = await again()
  const call = (server: string, tool: string, args: CallTool['arguments'] = {}) =>
    servers.call(who, { server, tool, arguments: args })
  const acceptAll = async (server: string) => {
    const listed = must(await servers.tools(who, server))
    must(await servers.accept(who, server, listed.tools))
    return listed
  }
  const entries = async (...actions: ('mcp.called' | 'mcp.added' | 'mcp.accepted' | 'mcp.searched')[]) =>
    (await audit.query({ filter: { actions } })).items.map(({ entry }) => entry)
  return { home, servers, call, acceptAll, again, audit, storage, keys, ids, privacy, entries }
}

/** How a hostile server is started. */
export const hostileConfig = (how: string, extra = '') => ({
  command: process.execPath,
  args: [hostile, how, extra],
  // In a jail the numbers of its processes would be others than ours.
  ...(how === 'grandchild' ? { confined: false as const } : {}),
})

/** A hostile server named `it`, with its tools accepted where it lists any. */
export async function openHostile(how: string, options: Partial<McpServersOptions> = {}) {
  const opened = await openServers(options)
  expect(await opened.servers.add(who, 'it', hostileConfig(how))).toMatchObject({ ok: true })
  const listed = await opened.servers.tools(who, 'it')
  if (listed.ok) must(await opened.servers.accept(who, 'it', listed.value.tools))
  return { ...opened, listed }
}

/** The program of a server from npm. */
export function program(name: string): string {
  const file = createRequire(import.meta.url).resolve(`${name}/package.json`)
  const { bin } = JSON.parse(readFileSync(file, 'utf8')) as { bin: Record<string, string> }
  return join(dirname(file), Object.values(bin)[0] ?? '')
}

export function must<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  throw new Error(`${outcome.problem.code}: ${outcome.problem.message}`)
}
