import type { Clock } from '../clock.ts'
import type { TenantId } from '../contract/ids.ts'
import { ok, type Problem, problemOf } from '../contract/problem.ts'
import { type SandboxKind, sandboxKinds } from '../contract/run.ts'
import type { SandboxProvider } from '../sandbox/sandbox.ts'
import { expiredMessage, isExpired, isOrphan } from './lifecycle.ts'
import type { ContextLimits } from './limits.ts'
import { lostEnding, type Occupancy } from './occupancy.ts'
import type { Owner } from './owner.ts'
import type { Resting } from './resting.ts'
import type { Ending, Seat, Seats } from './seats.ts'
import type { ContextStore, KeptRecord } from './store.ts'

export interface CleaningOptions {
  readonly store: ContextStore
  readonly seats: Seats
  readonly resting: Resting
  readonly provider: (kind: SandboxKind) => SandboxProvider | null
  readonly clock: Clock
  readonly owner: Owner
  readonly limits: ContextLimits
  readonly onProblem: (problem: Problem) => void
  readonly prune: () => Promise<unknown>
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
    const active = await store.active()
    const orphans = active.filter(kept => this.#isOrphan(kept))
    const rested = new Set((await Promise.all(sandboxKinds.map(kind => this.#rest(kind, orphans)))).flat())
    const left = orphans.filter(kept => !rested.has(kept))
    const held = active.filter(kept => !left.includes(kept))
    await Promise.all(sandboxKinds.map(kind => this.#endSandboxes(kind, left, held)))
    const ended = await Promise.all(
      left.map(({ record }) =>
        store.ended(record, { type: 'ended', at: clock.now(), reason: 'orphaned', message: orphanMessage, by: null }),
      ),
    )
    return rested.size + ended.filter(record => record !== null).length
  }

  /** Pauses the orphans of a kind that can be paused, and puts that on the record. */
  async #rest(kind: SandboxKind, orphans: readonly KeptRecord[]): Promise<KeptRecord[]> {
    const { provider, store, clock, resting, onProblem } = this.#with
    const theirs = orphans.filter(({ record }) => record.kind === kind && record.sandbox !== null)
    const pausing = provider(kind)?.pausing
    if (!pausing || theirs.length === 0) return []
    try {
      const left = await Promise.all(theirs.map(kept => resting.leftBehind(kept)))
      const paused = new Set(await pausing.rest(left.filter(each => each !== null)))
      const rested: KeptRecord[] = []
      for (const kept of theirs) {
        const { record, credentials } = kept
        if (!credentials || !record.sandbox || !paused.has(record.sandbox)) continue
        if (await store.paused(record, clock.now(), credentials)) rested.push(kept)
      }
      return rested
    } catch (thrown) {
      onProblem(problemOf(thrown))
      return []
    }
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

  #isRestedOut({ record }: KeptRecord): boolean {
    const { clock, limits } = this.#with
    return record.pausedAt !== null && isExpired(record, clock.now(), limits)
  }

  #livesElsewhere(kind: SandboxKind): boolean {
    return this.#with.provider(kind)?.pausing !== undefined
  }

  async #expire(seat: Seat): Promise<boolean> {
    const { occupant } = seat
    if (!occupant) return false
    const message = expiredMessage(occupant.record, this.#with.limits)
    const ending: Ending = occupant.gone ? lostEnding : { reason: 'expired', message, by: null, restful: true }
    const ended = await this.#with.seats.atAll([seat], async () => ok(await this.#occupancy().vacate(seat, ending)))
    if (!ended.ok) this.#with.onProblem(ended.problem)
    return ended.ok
  }

  async #endSandboxes(kind: SandboxKind, orphans: readonly KeptRecord[], held: readonly KeptRecord[]): Promise<void> {
    const { provider, resting, onProblem } = this.#with
    const ofKind = async (kept: readonly KeptRecord[]) =>
      (
        await Promise.all(kept.filter(({ record }) => record.kind === kind).map(each => resting.leftBehind(each)))
      ).filter(each => each !== null)
    try {
      await provider(kind)?.endOrphans(await ofKind(orphans), await ofKind(held))
    } catch (thrown) {
      // The back end may be down; it looks for its own again at the next start.
      onProblem(problemOf(thrown))
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
      for (const kept of active) if (this.#isRestedOut(kept)) await this.#with.resting.discard(kept, restedOut)
      // Machines elsewhere cost money: they are looked for again, also when no record names one.
      const isOwed = active.some(kept => this.#isOrphan(kept)) || sandboxKinds.some(kind => this.#livesElsewhere(kind))
      if (isOwed) await this.recoverOrphans()
      await this.#with.prune()
    } catch (thrown) {
      this.#with.onProblem(problemOf(thrown))
    }
  }
}

const restedOut = {
  reason: 'expired',
  message: 'The sandbox of this path was paused for too long.',
  by: null,
} as const
const orphanMessage = 'Countersign stopped without warning, and the sandbox of this path with it.'
