import { z } from 'zod'
import type { Audit } from '../audit/audit.ts'
import type { AuditCursor, AuditEntry } from '../contract/audit.ts'
import type { TenantId } from '../contract/ids.ts'

/** What the record tells of a machine: how often it began to be awake, and how long it was before it was paused or ended. */
export interface Recorded {
  begun: number
  ms: number
}

const OfContext = z.object({
  context: z.string(),
  sandbox: z.object({ id: z.string(), isolation: z.literal('cloud') }),
})

/** Machines of paths that began to be awake since a moment, as the record tells it. */
export async function recordedSince(
  audit: Pick<Audit, 'query'>,
  tenant: TenantId,
  from: number,
  now: number,
): Promise<Map<string, Recorded>> {
  const machines = new Map<string, Recorded>()
  const awake = new Map<string, { at: number; machine: Recorded }>()
  for (const { action, at, details } of await entriesSince(audit, tenant, from)) {
    const told = OfContext.safeParse(details).data
    if (told === undefined) continue
    const { context, sandbox } = told
    if (action === 'context.created' || action === 'context.resumed') {
      const machine = machines.get(sandbox.id) ?? { begun: 0, ms: 0 }
      machine.begun++
      machines.set(sandbox.id, machine)
      awake.set(context, { at, machine })
    } else {
      const began = awake.get(context)
      if (began) began.machine.ms += Math.max(0, at - began.at)
      awake.delete(context)
    }
  }
  for (const { at, machine } of awake.values()) machine.ms += Math.max(0, now - at)
  return machines
}

async function entriesSince(audit: Pick<Audit, 'query'>, tenant: TenantId, from: number): Promise<AuditEntry[]> {
  const filter = {
    from,
    sandboxes: ['e2b' as const],
    actions: [
      'context.created' as const,
      'context.resumed' as const,
      'context.paused' as const,
      'context.ended' as const,
    ],
  }
  const entries: AuditEntry[] = []
  for (let after: AuditCursor | null | undefined; after !== null; ) {
    const page = await audit.query({ filter, limit: 500, ...(after && { after }) })
    for (const { entry } of page.items) if (entry.tenant === tenant) entries.push(entry)
    after = page.next
  }
  return entries.sort((a, b) => a.seq - b.seq)
}
