import type { Clock } from '../clock.ts'
import type { TenantId } from '../contract/ids.ts'
import { ok, type Problem, problemOf } from '../contract/problem.ts'
import { type SandboxKind, sandboxKinds } from '../contract/run.ts'
import type { SandboxProvider } from '../sandbox/sandbox.ts'
import type { Credentials } from './credentials.ts'
import { expiredMessage, isExpired, isOrphan } from './lifecycle.ts'
import type { ContextLimits } from './limits.ts'
import { lostEnding, type Occupancy } from './occupancy.ts'
import type { Owner } from './owner.ts'
import type { Ending, Seat, Seats } from './seats.ts'
import type { ContextStore, KeptRecord } from './store.ts'

export interface CleaningOptions {
  readonly store: ContextStore
  readonly seats: Seats
  readonly credentials: Credentials
  readonly provider: (kind: SandboxKind) => SandboxProvider | null
  readonly clock: Clock
  readonly owner: Owner
  readonly limits: ContextLimits
  readonly troubled: (problem: Problem) => void
  readonly tidy: () => Promise<unknown>
}

/** Ends what nobody uses any more, and what nobody can use any more because its process is gone. */
export class Cleaning {
  readonly #with: CleaningOptions
  readonly #occupancy: () => Occupancy
  #stopTimer: () => void = () => undefined
  #stopped = false

  constructor(options: CleaningOptions, occupancy: () => Occupancy) {
    this.#with = options
    this.#occupancy = occupancy
    this.#schedule()
  }

  stop(): void {
    this.#stopped = true
    this.#stopTimer()
  }

  /** Ends idle contexts of this process, as many as one batch holds. */
  async sweep(tenant?: TenantId): Promise<number> {
    if (this.#stopped) return 0
    const { seats, limits } = this.#with
    const idle = seats.all().filter(seat => this.#isIdle(seat) && (!tenant || seat.ref.tenant === tenant))
    // A seat that is free now is taken at once, so none of these waits for a run that has just begun.
    const ends = idle.slice(0, limits.sweepBatch).map(seat => this.#expire(seat))
    return (await Promise.all(ends)).filter(Boolean).length
  }

  /** Ends sandboxes and records of processes that are gone. */
  async recoverOrphans(): Promise<number> {
    const { store, clock } = this.#with
    const orphans = (await store.active()).filter(kept => this.#isOrphan(kept))
    await Promise.all(sandboxKinds.map(kind => this.#endSandboxes(kind, orphans)))
    const ended = await Promise.all(
      orphans.map(({ record }) =>
        store.ended(record, { type: 'ended', at: clock.now(), reason: 'orphaned', message: orphanMessage, by: null }),
      ),
    )
    return ended.filter(record => record !== null).length
  }

  /** Before a tenant's contexts are counted: what only takes up room goes first. */
  async makeRoom(tenant: TenantId): Promise<void> {
    await this.sweep(tenant)
    const active = await this.#with.store.active(tenant)
    if (active.some(kept => this.#isOrphan(kept))) await this.recoverOrphans()
  }

  #isIdle({ lane, occupant }: Seat): boolean {
    const { clock, limits } = this.#with
    // One that is gone is here still because its end could not be written: this is the next try.
    return !lane.busy && occupant !== null && (occupant.gone || isExpired(occupant.record, clock.now(), limits))
  }

  #isOrphan({ record }: KeptRecord): boolean {
    const { owner, clock, limits } = this.#with
    return isOrphan(record, owner, clock.now(), limits)
  }

  async #expire(seat: Seat): Promise<boolean> {
    const expired: Ending = { reason: 'expired', message: expiredMessage(this.#with.limits), by: null }
    const ending = seat.occupant?.gone ? lostEnding : expired
    const ended = await this.#with.seats.atAll([seat], async () => ok(await this.#occupancy().vacate(seat, ending)))
    if (!ended.ok) this.#with.troubled(ended.problem)
    return ended.ok
  }

  async #endSandboxes(kind: SandboxKind, orphans: readonly KeptRecord[]): Promise<void> {
    const { provider, credentials, troubled } = this.#with
    try {
      const left = []
      for (const { record, credentials: sealed } of orphans) {
        if (record.kind !== kind || record.sandbox === null) continue
        left.push({ sandbox: record.sandbox, credentials: sealed && (await credentials.decrypt(record.id, sealed)) })
      }
      await provider(kind)?.endOrphans(left)
    } catch (thrown) {
      // The back end may be down; it looks for its own again at the next start.
      troubled(problemOf(thrown))
    }
  }

  #schedule(): void {
    this.#stopTimer = this.#with.clock.after(this.#with.limits.sweepEveryMs, () => {
      this.#schedule()
      void this.#clean()
    })
  }

  async #clean(): Promise<void> {
    try {
      while ((await this.sweep()) === this.#with.limits.sweepBatch);
      const active = await this.#with.store.active()
      if (active.some(kept => this.#isOrphan(kept))) await this.recoverOrphans()
      await this.#with.tidy()
    } catch (thrown) {
      this.#with.troubled(problemOf(thrown))
    }
  }
}

const orphanMessage = 'Countersign stopped without warning, and the sandbox of this path with it.'
