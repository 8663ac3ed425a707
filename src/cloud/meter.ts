import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { CloudFigures } from '../contract/cloud.ts'
import type { TenantId } from '../contract/ids.ts'
import { type Problem, problemOf } from '../contract/problem.ts'
import type { RowSeal } from '../row-seal.ts'
import type { CloudMeter } from '../sandbox/e2b/e2b.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { CloudStretchesTable } from '../storage/tables/cloud.ts'
import { allowance, type CloudLimits, monthOf, type Taken } from './allowance.ts'
import { recordedSince } from './recorded.ts'

export interface MeterOptions {
  readonly storage: Storage
  readonly audit: Pick<Audit, 'query'>
  readonly seal: RowSeal
  readonly clock: Clock
  readonly makeId: () => string
  /** Whose a sandbox is that belongs to no path. */
  readonly tenant: TenantId
  readonly limits: () => Promise<CloudLimits>
  /** How long the service keeps a machine awake that nobody ends. */
  readonly awakeMs: () => Promise<number>
  readonly onProblem: (problem: Problem) => void
}

/**
 * Counts how long machines of the cloud were awake, and how many there were, for each tenant and month. A row counts with
 * its seal; for a machine of which the record tells more often that it began than rows do, the record's times count.
 */
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
      const row = this.#with.seal.seal<CloudStretchesTable>({ id, ...of, sandbox, begun, ...times })
      await t.insertInto('cloud_stretches').values(row).execute()
    })
    const note = (at: number, isOver: boolean) =>
      storage.write(async t => {
        // A clock that was set back must not make a machine run backwards.
        const seen = { seen_at: Math.max(now, at), is_over: isOver ? 1 : 0 }
        const row = await t.selectFrom('cloud_stretches').selectAll().where('id', '=', id).executeTakeFirst()
        if (row?.is_over === 0) await this.#change(t, row, seen)
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
      for (const row of open) {
        const until = Math.max(row.seen_at, Math.min(now, row.seen_at + keptMs))
        await this.#change(t, row, { seen_at: until, is_over: 1 })
      }
    })
  }

  /** A row that somebody else changed stays without a seal. */
  async #change(
    t: Transaction,
    row: CloudStretchesTable,
    to: Pick<CloudStretchesTable, 'seen_at' | 'is_over'>,
  ): Promise<void> {
    const { seal: before, ...rest } = row
    const { seal } = this.#with.seal.seal<CloudStretchesTable>({ ...rest, ...to })
    const sealed = { ...to, seal: this.#with.seal.holds(row) ? seal : before }
    await t.updateTable('cloud_stretches').set(sealed).where('id', '=', row.id).execute()
  }

  async #taken(tenant: TenantId): Promise<Taken & { awake: number }> {
    const { storage, clock, awakeMs } = this.#with
    const now = clock.now()
    const { from, to } = monthOf(now)
    const keptMs = await awakeMs()
    const found = await storage.read
      .selectFrom('cloud_stretches')
      .selectAll()
      .where('tenant', '=', tenant)
      .where('started_at', '<', to)
      .where(({ or, eb }) => or([eb('seen_at', '>=', from), eb('is_over', '=', 0)]))
      .execute()
    const machines = new Map<string, { begun: number; ms: number }>()
    let awake = 0
    for (const row of found) {
      if (!this.#with.seal.holds(row)) continue
      const { sandbox, started_at, seen_at, is_over } = row
      // One whose process was killed runs at most until the service pauses it.
      const until = is_over ? seen_at : Math.max(seen_at, Math.min(now, seen_at + keptMs))
      if (!is_over && seen_at + keptMs > now) awake++
      const { begun, ms } = machines.get(sandbox) ?? { begun: 0, ms: 0 }
      machines.set(sandbox, {
        begun: begun + 1,
        ms: ms + Math.max(0, Math.min(until, to) - Math.max(started_at, from)),
      })
    }
    for (const [sandbox, told] of await recordedSince(this.#with.audit, tenant, from, now)) {
      const counted = machines.get(sandbox)
      if ((counted?.begun ?? 0) < told.begun)
        machines.set(sandbox, { ...told, ms: Math.max(told.ms, counted?.ms ?? 0) })
    }
    const ms = [...machines.values()].reduce((sum, each) => sum + each.ms, 0)
    return { seconds: Math.round(ms / 1000), sandboxes: machines.size, awake }
  }
}
