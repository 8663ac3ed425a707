import { join } from 'node:path'
import { z } from 'zod'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Caller } from '../contract/caller.ts'
import type { TenantId } from '../contract/ids.ts'
import { type FoundTool, type ServerTool, ToolEffect, type ToolSearch } from '../contract/mcp-servers.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Privacy } from '../privacy/privacy.ts'
import { createSearch, type SearchableTool } from './search/search.ts'

/** Searching for tools by intent, with each search on the record. */
export interface Finding {
  /** `patienceMs`: how long it waits for the sentence model before words alone decide. */
  search(who: Caller, intent: string, options?: { readonly patienceMs?: number }): Promise<Outcome<ToolSearch>>
  searchAgain(who: Caller, entry: number): Promise<Outcome<{ now: ToolSearch; same: boolean }>>
  prepare(tools: readonly ServerTool[]): void
  close(): Promise<void>
}

export interface FindingOptions {
  readonly home: string
  readonly clock: Clock
  readonly audit: Audit
  readonly privacy: Pick<Privacy, 'maskForRecord'>
  readonly tenant: TenantId
  readonly searchModel: () => string
  readonly accepted: (who: Caller) => Promise<readonly ServerTool[]>
}

const patience = 150
const modelPatience = 60_000
const mostKept = 10_000

/** The tools of a search as the record keeps them. */
const Kept = z.array(
  z.object({
    server: z.string(),
    name: z.string(),
    description: z.string(),
    parameters: z.array(z.string()),
    effect: ToolEffect,
    hash: z.string(),
  }),
)
const Told = z.object({ found: z.record(z.string(), z.number()), model: z.string().nullable(), ranking: z.string() })

export function createFinding(options: FindingOptions): Finding {
  const { home, clock, audit, privacy, tenant, searchModel, accepted } = options
  const search = createSearch({ folder: join(home, 'mcp-vectors'), clock, model: searchModel })
  const notYours = fail('access.denied', 'These tools belong to somebody else.', 'Sign in as their owner.')

  return {
    async search(who, asked, { patienceMs = patience } = {}) {
      if (who.tenant !== tenant) return notYours
      // What is recorded is what was searched for: with a private value in it nobody could find the same again.
      const intent = privacy.maskForRecord(asked)
      const tools = (await accepted(who)).slice(0, mostKept).map(searchable)
      const result = await search.find(intent, tools, patienceMs)
      const { corpus, ranking, model, searched, durationMs } = result
      await audit.record({
        action: 'mcp.searched',
        tenant,
        actor: who.user,
        details: { found: scoresOf(result.found), corpus, ranking, model, searched, durationMs },
        bodies: { intent, tools: JSON.stringify(tools) },
      })
      return ok(result)
    },

    async searchAgain(who, entry) {
      if (who.tenant !== tenant) return notYours
      const read = await audit.entry(entry)
      if (!read.ok) return read
      const { intent, tools } = read.value.bodies
      const told = Told.safeParse(read.value.item.entry.details)
      const kept = Kept.safeParse(parsed(tools))
      if (read.value.item.entry.action !== 'mcp.searched' || !told.success || !kept.success || !intent)
        return fail('not-found', `Entry ${entry} is not a search for tools.`, 'Name an entry that does.')
      const now = await search.find(intent, kept.data, told.data.model === null ? 0 : modelPatience)
      const same =
        now.ranking === told.data.ranking &&
        now.model === told.data.model &&
        JSON.stringify(scoresOf(now.found)) === JSON.stringify(told.data.found)
      return ok({ now, same })
    },

    prepare: tools => search.prepare(tools.slice(0, mostKept).map(searchable)),
    close: () => search.close(),
  }
}

const scoresOf = (found: readonly FoundTool[]): Record<string, number> =>
  Object.fromEntries(found.map(({ server, name, score }) => [`${server}.${name}`, score]))

export const searchable = ({ server, name, description, inputSchema, effect, hash }: ServerTool): SearchableTool => ({
  server,
  name,
  description,
  parameters: isObject(inputSchema.properties) ? Object.keys(inputSchema.properties).slice(0, 100) : [],
  effect,
  hash,
})

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function parsed(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return null
  }
}
