import { z } from 'zod'
import type { AuditEntry } from '../../contract/audit.ts'
import type { Report } from '../../contract/report.ts'

const OfContext = z.object({
  context: z.string(),
  sandbox: z.object({ id: z.string().nullable(), isolation: z.string().nullable() }),
})

/** How long sandboxes at a service were awake, as the record tells it. The service may have paused one sooner by itself. */
export class CloudTime {
  readonly #awake = new Map<string, number>()
  readonly #sandboxes = new Set<string>()
  #ms = 0
  #allowed = 0
  #revoked = 0

  take({ action, at, details }: AuditEntry): void {
    if (action === 'cloud.allowed') this.#allowed++
    if (action === 'cloud.revoked') this.#revoked++
    if (!action.startsWith('context.')) return
    const told = OfContext.safeParse(details)
    if (!told.success || told.data.sandbox.isolation !== 'cloud' || !told.data.sandbox.id) return
    const { context, sandbox } = told.data
    if (action === 'context.created' || action === 'context.resumed') {
      this.#sandboxes.add(sandbox.id ?? '')
      this.#awake.set(context, at)
      return
    }
    this.#ms += Math.max(0, at - (this.#awake.get(context) ?? at))
    this.#awake.delete(context)
  }

  figures(now: number): Report['cloud'] {
    const still = [...this.#awake.values()].reduce((sum, at) => sum + Math.max(0, now - at), 0)
    return {
      sandboxes: this.#sandboxes.size,
      seconds: Math.round((this.#ms + still) / 1000),
      allowed: this.#allowed,
      revoked: this.#revoked,
    }
  }
}
