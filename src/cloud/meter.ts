import type { Clock } from '../clock.ts'
import type { CloudFigures } from '../contract/cloud.ts'
import type { TenantId } from '../contract/ids.ts'
import { type Problem, problemOf } from '../contract/problem.ts'
import type { CloudMeter } from '../sandbox/e2b/e2b.ts'
import type { Storage } from '../storage/storage.ts'
import { allowance, type CloudLimits, monthOf, type Taken } from './allowance.ts'

export interface MeterOptions {
  readonly storage: Storage
  readonly clock: Clock
  readonly makeId: () => string
  /** Whose a sandbox is that belongs to no path. */
  readonly tenant: TenantId
  readonly limits: () => Promise<CloudLimits>
  /** How long the service keeps a machine awake that nobody ends. */
  readonly awakeMs: () => Promise<number>
  readonly onProblem: (problem: Problem) => void
}

/** Counts how long machines of the cloud were awake, and how many there were, for each tenant and month. */
export class Meter implements CloudMeter {
  readonly #with: MeterOptions

  constructor(options: MeterOptions) {
    this.#with = options
  }

  async allowance(path: { tenant: TenantId } | undefined) {
    const tenant = path?.tenant ?? this.#with.tenant
    return allowance(await this.#taken(tenant), await this.#with.limits())
  }

  async figures(tenant: TenantId): Promise<CloudFigures> {
    const taken = await this.#taken(tenant)
    const { hoursPerMonth, sandboxesPerMonth } = await this.#with.limits()
    const allowed = allowance(taken, { hoursPerMonth, sandboxesPerMonth })
    return {
      month: monthOf(this.#with.clock.now()).name,
      ...taken,
      limits: { seconds: hoursPerMonth * 3600, sandboxes: sandboxesPerMonth },
      warnings: allowed.ok ? allowed.value : [allowed.problem.message],
    }
  }

  async begin({ path, sandbox, begun }: Parameters<CloudMeter['begin']>[0]) {
    const { storage, clock, makeId, tenant } = this.#with
    const now = clock.now()
    const id = makeId()
    await storage.write(async t => {
      const of = { tenant: path?.tenant ?? tenant, conversation: path?.conversation ?? null, path: path?.path ?? null }
      const times = { started_at: now, seen_at: now, is_over: 0 }
      await t
        .insertInto('cloud_stretches')
        .values({ id, ...of, sandbox, begun, ...times })
        .execute()
    })
    const note = (at: number, isOver: boolean) =>
      storage.write(async t => {
        // A clock that was set back must not make a machine run backwards.
        const seen = { seen_at: Math.max(now, at), is_over: isOver ? 1 : 0 }
        await t.updateTable('cloud_stretches').set(seen).where('id', '=', id).where('is_over', '=', 0).execute()
      })
    const report = (thrown: unknown) => this.#with.onProblem(problemOf(thrown))
    return {
      seen: (at: number) => void note(at, false).catch(report),
      // A count that cannot be written must not keep a machine from being ended.
      over: (at: number) => note(at, true).catch(report),
    }
  }

  async left(sandboxes: readonly string[]): Promise<void> {
    if (sandboxes.length === 0) return
    const { storage, clock, awakeMs } = this.#with
    const [now, keptMs] = [clock.now(), await awakeMs()]
    await storage.write(async t => {
      const open = await t
        .selectFrom('cloud_stretches')
        .selectAll()
        .where('sandbox', 'in', [...sandboxes])
        .where('is_over', '=', 0)
        .execute()
      for (const { id, seen_at } of open) {
        const until = Math.max(seen_at, Math.min(now, seen_at + keptMs))
        await t.updateTable('cloud_stretches').set({ seen_at: until, is_over: 1 }).where('id', '=', id).execute()
      }
    })
  }

  async #taken(tenant: TenantId): Promise<Taken & { awake: number }> {
    const { storage, clock, awakeMs } = this.#with
    const now = clock.now()
    const { from, to } = monthOf(now)
    const keptMs = await awakeMs()
    const rows = await storage.read
      .selectFrom('cloud_stretches')
      .select(['sandbox', 'started_at', 'seen_at', 'is_over'])
      .where('tenant', '=', tenant)
      .where('started_at', '<', to)
      .where(({ or, eb }) => or([eb('seen_at', '>=', from), eb('is_over', '=', 0)]))
      .execute()
    let ms = 0
    let awake = 0
    for (const { started_at, seen_at, is_over } of rows) {
      // One whose process was killed runs at most until the service pauses it.
      const until = is_over ? seen_at : Math.max(seen_at, Math.min(now, seen_at + keptMs))
      if (!is_over && seen_at + keptMs > now) awake++
      ms += Math.max(0, Math.min(until, to) - Math.max(started_at, from))
    }
    return { seconds: Math.round(ms / 1000), sandboxes: new Set(rows.map(row => row.sandbox)).size, awake }
  }
}
