import type { Clock } from '../clock.ts'
import { ContextId, type PathId, type TenantId, type UserId } from '../contract/ids.ts'
import { SandboxFacts } from '../contract/placement.ts'
import { type Outcome, ok, type Problem, problemOf } from '../contract/problem.ts'
import type { Limits, SandboxKind } from '../contract/run.ts'
import type { Ids } from '../ids.ts'
import type { Sandbox, SandboxProvider } from '../sandbox/sandbox.ts'
import type { Credentials } from './credentials.ts'
import { lostMessage } from './executing.ts'
import { inTime, late } from './in-time.ts'
import type { Keeping } from './keeping.ts'
import {
  type ContextEvent,
  type ContextRecord,
  differences,
  lossNotice,
  standingLimits,
  transitionContext,
  type Wanted,
  whyReplace,
} from './lifecycle.ts'
import type { ContextLimits } from './limits.ts'
import { openInTime } from './opening.ts'
import type { Owner } from './owner.ts'
import { cannotFork, lost, notAsPlaced, notInstalled } from './problems.ts'
import type { Resting } from './resting.ts'
import type { Ending, Occupant, Seat } from './seats.ts'
import type { ContextStore } from './store.ts'

/** Counts change with every run and are written once for all the runs of such a while. */
const writeSoonMs = 1_000

export interface OccupancyOptions {
  readonly store: ContextStore
  readonly credentials: Credentials
  readonly provider: (kind: SandboxKind) => SandboxProvider | null
  readonly clock: Clock
  readonly ids: Ids
  readonly keeping: Keeping
  readonly resting: Resting
  readonly owner: Owner
  readonly limits: ContextLimits
  readonly changed: (seat: Seat) => void
  /** Ends what only takes up room of a tenant, before it is counted. */
  readonly makeRoom: (tenant: TenantId) => Promise<void>
  /** Told of a sandbox that ended although nobody ended it. */
  readonly lost: (seat: Seat, occupant: Occupant) => void
  /** Told of what goes wrong where nobody waits for an answer. */
  readonly onProblem: (problem: Problem) => void
}

/** Gives seats their sandboxes and takes them away. Its callers are inside the seat's lane. */
export class Occupancy {
  readonly #with: OccupancyOptions

  constructor(options: OccupancyOptions) {
    this.#with = options
  }

  /** The seat's sandbox if it still serves, or else a new one. */
  async place(seat: Seat, wanted: Wanted, actor: UserId | null, signal: AbortSignal): Promise<Outcome<Occupant>> {
    const { store, clock } = this.#with
    const current = seat.occupant
    if (current) {
      // Code must not run on while the store refuses what it should keep of it.
      if (current.unwritten === 'refused') await this.#write(current)
      const ending = current.gone ? lostEnding : await this.#whyReplaceNow(current, wanted)
      if (!ending) return ok(current)
      await this.vacate(seat, ending)
    }
    const woken = await this.#wake(seat, wanted, actor, signal)
    if (woken) {
      const ending = woken.ok ? await this.#whyReplaceNow(woken.value, wanted) : null
      if (!ending) return woken
      await this.vacate(seat, ending)
    }
    const provider = this.#with.provider(wanted.placement.kind)
    if (!provider) return notInstalled(wanted.placement.kind)
    await this.#with.makeRoom(seat.ref.tenant)
    const previous = await store.latestUsed(seat.ref)
    const begun = await store.begin(
      this.#newRecord(seat, SandboxFacts.parse(wanted.placement), wanted.placement.limits, null),
      clock.now(),
    )
    if (!begun.ok) return begun
    const { placement, language } = wanted
    const options = { limits: begun.value.limits, placement, path: seat.ref, ...(language ? { warm: [language] } : {}) }
    const open = (within: AbortSignal) => provider.open(options, within)
    const filled = await this.#fill(seat, begun.value, open, actor, signal, lossNotice(previous))
    if (filled.ok) await this.#handFiles(seat, filled.value)
    return filled
  }

  /** The path's sandbox where it was paused; null where a new one has to be made. */
  async #wake(
    seat: Seat,
    wanted: Wanted,
    actor: UserId | null,
    signal: AbortSignal,
  ): Promise<Outcome<Occupant> | null> {
    const woken = await this.#with.resting.wake(seat.ref, wanted, actor, signal)
    if (!woken?.ok) return woken
    const { record, sandbox, untold } = woken.value
    this.#with.changed(seat)
    return ok(this.#seat(seat, newOccupant(record, sandbox, untold, record.createdAt)))
  }

  /** One that does not say counts as one that has some: what is lost cannot be brought back. */
  /** Never against the person's word while variables are at stake: they are told, and replace it when it suits them. */
  async #whyReplaceNow({ record, sandbox }: Occupant, wanted: Wanted): Promise<Ending | null> {
    const ending = whyReplace(record, wanted, this.#with.clock.now(), this.#with.limits)
    if (!ending || (ending.canWait && (await this.#hasVariables(sandbox)))) return null
    const { reason, message } = ending
    return { reason, message, by: null, ...(reason === 'expired' ? { restful: true } : {}) }
  }

  async #hasVariables(sandbox: Sandbox): Promise<boolean> {
    const { clock, limits } = this.#with
    for (const language of ['python', 'javascript', 'bash'] as const) {
      const told = await inTime(sandbox.variables(language), limits.stopMs, clock).catch(() => null)
      if (told === null || told === late || !told.ok || told.value.length > 0) return true
    }
    return false
  }

  /** A file that cannot be had must not keep the path from working: the person is told which one is missing. */
  async #handFiles(seat: Seat, occupant: Occupant): Promise<void> {
    const missing = await this.#with.keeping.handTo(seat.ref, occupant.sandbox)
    if (missing) occupant.untold = [occupant.untold, missing].filter(Boolean).join(' ')
  }

  /** Gives `to` a copy of the sandbox that `from` has. */
  async fork(from: Occupant, to: Seat, actor: UserId, signal: AbortSignal): Promise<Outcome<Occupant>> {
    const { store, clock } = this.#with
    const { record, sandbox } = from
    const { fork } = sandbox
    if (!fork) return cannotFork(record.kind)
    await this.#with.makeRoom(record.tenant)
    const begun = await store.begin(this.#newRecord(to, record.place, record.limits, record.path), clock.now())
    if (!begun.ok) return begun
    return this.#fill(to, begun.value, () => fork.call(sandbox, to.ref), actor, signal, null)
  }

  /** Notes that a context was used; the store hears of it a little later. */
  use(seat: Seat, occupant: Occupant, event: ContextEvent & { type: 'used' | 'ran' }): void {
    occupant.record = transitionContext(occupant.record, event) ?? occupant.record
    this.#with.changed(seat)
    if (occupant.unwritten !== 'no') return
    occupant.unwritten = 'soon'
    this.#with.clock.after(writeSoonMs, () => {
      if (seat.occupant === occupant && !occupant.ending) void this.#write(occupant).catch(this.#report)
    })
  }

  /** Ends the seat's sandbox, then writes that it ended. Fails only when the store does; another call then goes on. */
  async vacate(seat: Seat, wish: Ending): Promise<void> {
    const { store, clock, changed } = this.#with
    const occupant = seat.occupant
    if (!occupant) return
    occupant.gone = true
    occupant.ending ??= wish
    const { restful, ...ending } = occupant.ending
    const paused = restful && !occupant.taken ? await this.#with.resting.pause(occupant.record, occupant.sandbox) : null
    if (paused) seat.last = paused
    else {
      // One that another process has taken over is its own now: only this hold on it ends.
      await this.#close(occupant.sandbox, occupant.taken ? { reason: 'orphaned' } : ending)
      seat.last = await store.ended(occupant.record, { type: 'ended', at: clock.now(), ...ending })
    }
    seat.occupant = null
    changed(seat)
  }

  /** From a new record to a seat with a sandbox, or to a record that says why there is none. */
  async #fill(
    seat: Seat,
    record: ContextRecord,
    open: (signal: AbortSignal) => Promise<Outcome<Sandbox>>,
    actor: UserId | null,
    signal: AbortSignal,
    untold: string | null,
  ): Promise<Outcome<Occupant>> {
    const { clock, limits, changed } = this.#with
    seat.opening = record
    changed(seat)
    try {
      const opened = await openInTime(open, signal, clock, limits)
      if (!opened.ok) {
        seat.last = await this.#giveUp(record, opened.problem)
        return opened
      }
      const other = differences(record, opened.value.describe())
      if (other.length > 0) {
        await this.#close(opened.value, lostEnding)
        const refused = notAsPlaced(other)
        seat.last = await this.#giveUp(record, refused.problem)
        return refused
      }
      const ready = await this.#register(record, opened.value, actor)
      if (!ready) return lost()
      return ok(this.#seat(seat, newOccupant(ready, opened.value, untold, clock.now())))
    } finally {
      seat.opening = null
      changed(seat)
    }
  }

  /** Puts an open sandbox on the record; where that fails the sandbox is closed again. */
  async #register(record: ContextRecord, sandbox: Sandbox, actor: UserId | null): Promise<ContextRecord | null> {
    const { store, credentials, clock } = this.#with
    try {
      const secret = sandbox.credentials
      const sealed = secret === undefined ? null : await credentials.encrypt(record.id, secret)
      const event = { type: 'opened', at: clock.now(), sandbox: sandbox.id, isolation: sandbox.isolation } as const
      const ready = await store.opened(record, event, sealed, actor)
      if (!ready) await this.#close(sandbox, lostEnding)
      return ready
    } catch (thrown) {
      await this.#close(sandbox, lostEnding)
      await this.#giveUp(record, problemOf(thrown)).catch(this.#report)
      throw thrown
    }
  }

  #giveUp(record: ContextRecord, { code, message }: Problem): Promise<ContextRecord | null> {
    const reason = code === 'request.cancelled' ? 'manual' : 'error'
    return this.#with.store.ended(record, { type: 'ended', at: this.#with.clock.now(), reason, message, by: null })
  }

  #seat(seat: Seat, occupant: Occupant): Occupant {
    seat.occupant = occupant
    const onEnd = () => {
      if (seat.occupant !== occupant || occupant.ending) return
      occupant.gone = true
      this.#with.changed(seat)
      this.#with.lost(seat, occupant)
    }
    occupant.sandbox.ended.then(onEnd, onEnd)
    return occupant
  }

  async #write(occupant: Occupant): Promise<void> {
    occupant.unwritten = 'no'
    try {
      // Ended by another process, which took this one for dead: the record rules, and the sandbox goes too.
      if (!(await this.#with.store.used(occupant.record))) occupant.gone = occupant.taken = true
    } catch (thrown) {
      occupant.unwritten = 'refused'
      throw thrown
    }
  }

  /** A sandbox that does not even close is left to the clean-up of its back end: the path must not wait for it. */
  async #close(sandbox: Sandbox, ending: Pick<Ending, 'reason'>): Promise<void> {
    const { clock, limits } = this.#with
    await inTime(sandbox.close(ending.reason), limits.stopMs, clock).catch(this.#report)
  }

  readonly #report = (thrown: unknown): void => this.#with.onProblem(problemOf(thrown))

  #newRecord(seat: Seat, place: SandboxFacts, limits: Limits, forkedFrom: PathId | null): ContextRecord {
    const { ids, owner, clock } = this.#with
    return {
      ...seat.ref,
      id: ids.make(ContextId),
      kind: place.kind,
      place,
      limits: standingLimits(limits),
      owner: owner.name,
      forkedFrom,
      state: 'creating',
      reason: null,
      message: null,
      sandbox: null,
      isolation: null,
      createdAt: clock.now(),
      lastUsedAt: null,
      pausedAt: null,
      endedAt: null,
      endedBy: null,
      runs: 0,
      runTimeMs: 0,
      cpuTimeMs: 0,
      peakMemoryBytes: 0,
    }
  }
}

const newOccupant = (record: ContextRecord, sandbox: Sandbox, untold: string | null, freshSince: number): Occupant => ({
  record,
  sandbox,
  gone: false,
  taken: false,
  ending: null,
  untold,
  unwritten: 'no',
  freshSince,
})

export const lostEnding: Ending = { reason: 'error', message: lostMessage, by: null }
