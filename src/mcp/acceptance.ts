import type { Caller } from '../contract/caller.ts'
import type { TenantId } from '../contract/ids.ts'
import { RemoteTool } from '../contract/mcp-servers.ts'
import type { KeyStore } from '../keystore.ts'
import { openRowSeal } from '../row-seal.ts'
import { prepared } from '../storage/prepared.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { McpToolsTable } from '../storage/tables/mcp.ts'
import { type ReadTool, readTool } from './tools.ts'

export interface AcceptedTool extends ReadTool {
  readonly server: string
}

/** The tools that a person has seen and accepted, each sealed: whoever edits the database accepts nothing with it. */
export interface Acceptance {
  all(): Promise<AcceptedTool[]>
  of(server: string): Promise<Map<string, AcceptedTool>>
  one(server: string, tool: string): Promise<AcceptedTool | undefined>
  accept(t: Transaction, who: Caller, server: string, tools: readonly ReadTool[], at: number): Promise<void>
  forget(t: Transaction, server: string): Promise<void>
}

const mostRemembered = 20_000
const keyName = 'mcp-acceptance'

const rowOf = prepared((db, tenant: TenantId, server: string, tool: string) =>
  db
    .selectFrom('mcp_tools')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('server', '=', server)
    .where('tool', '=', tool),
)

export async function openAcceptance(storage: Storage, keys: KeyStore, tenant: TenantId): Promise<Acceptance> {
  const seal = await openRowSeal(keys, keyName)
  /** By all that stands in a row, seal included: a row is read each time, but only one that is new is checked and parsed. */
  const readBefore = new Map<string, AcceptedTool>()
  const read = (row: McpToolsTable): AcceptedTool[] => {
    const whole = JSON.stringify(Object.values(row))
    const known = readBefore.get(whole)
    if (known) return [known]
    if (!seal.holds(row)) return []
    const tool = RemoteTool.safeParse(JSON.parse(row.definition))
    if (!tool.success) return []
    const made = { server: row.server, ...readTool(tool.data) }
    if (readBefore.size >= mostRemembered) readBefore.clear()
    readBefore.set(whole, made)
    return [made]
  }
  const rows = () =>
    storage.read.selectFrom('mcp_tools').selectAll().where('tenant', '=', tenant).orderBy('server').orderBy('tool')

  return {
    all: async () => (await rows().execute()).flatMap(read),
    async of(server) {
      const found = (await rows().where('server', '=', server).execute()).flatMap(read)
      return new Map(found.map(each => [each.tool.name, each]))
    },
    one: async (server, tool) => (await rowOf(storage.read, tenant, server, tool)).flatMap(read)[0],
    async accept(t, who, server, tools, at) {
      for (const { tool, definition } of tools) {
        const about = { tenant, server, tool: tool.name, definition, accepted_by: who.user, accepted_at: at }
        const row = seal.seal<McpToolsTable>(about)
        await t
          .insertInto('mcp_tools')
          .values(row)
          .onConflict(conflict => conflict.columns(['tenant', 'server', 'tool']).doUpdateSet(row))
          .execute()
      }
    },
    async forget(t, server) {
      await t.deleteFrom('mcp_tools').where('tenant', '=', tenant).where('server', '=', server).execute()
    },
  }
}
