import type { Clock } from '../clock.ts'
import type { ContextReason, ContextStatus, PathRef } from '../contract/contexts.ts'
import type { ConversationId, TenantId, UserId } from '../contract/ids.ts'
import { type Placement, SandboxFacts } from '../contract/placement.ts'
import { Failure, type Outcome, ok, type Problem, problemOf } from '../contract/problem.ts'
import type { Language, RunOutcome } from '../contract/run.ts'
import type { Completion, Hover, TablePiece, Usage, Variable } from '../contract/sandbox.ts'
import type { ManifestChanges } from '../files/files.ts'
import type { ClearedRun } from '../runs/run.ts'
import type { CutPlace, OutputSink, Sandbox, ToolCalls, WorkFolder } from '../sandbox/sandbox.ts'
import { Cleaning } from './cleaning.ts'
import type { Contexts, ContextsOptions, Turn } from './contexts.ts'
import { sealedCredentials } from './credentials.ts'
import { execute } from './executing.ts'
import { inTime, late } from './in-time.ts'
import { Keeping } from './keeping.ts'
import { type ContextRecord, isExpired, mustRotate } from './lifecycle.ts'
import { type ContextLimits, defaultLimits } from './limits.ts'
import { lostEnding, Occupancy } from './occupancy.ts'
import { thisProcess } from './owner.ts'
import { alreadyHasOne, lost, noSandbox, notAnotherPath, refuseRun, stopped } from './problems.ts'
import { Resting } from './resting.ts'
import { type Ending, type Occupant, type Seat, Seats } from './seats.ts'
import { notHere, statusOf } from './status.ts'
import { ContextStore } from './store.ts'

/** The contexts of this process: a line per path, and whoever is inside it may give the path a sandbox or take it. */
export class LiveContexts implements Contexts {
  readonly #placeForFiles: ContextsOptions['placeForFiles']
  readonly #clock: Clock
  readonly #limits: ContextLimits
  readonly #cutPlace: CutPlace
  readonly #store: ContextStore
  readonly #seats: Seats
  readonly #occupancy: Occupancy
  readonly #cleaning: Cleaning
  readonly #keeping: Keeping
  readonly #resting: Resting
  readonly #listeners = new Set<(status: ContextStatus) => void>()
  readonly #report: (thrown: unknown) => void

  constructor(options: ContextsOptions) {
    const { clock, storage, audit, keys, provider, ids, onProblem = () => undefined, prune = async () => 0 } = options
    const limits = { ...defaultLimits, ...options.limits }
    const store = new ContextStore(storage, audit, limits)
    const changed = (seat: Seat) => this.#publish(seat)
    const seats = new Seats(changed)
    const owner = options.owner ?? thisProcess()
    const shared = { store, credentials: sealedCredentials(keys), provider, clock, owner, limits, onProblem }
    this.#keeping = new Keeping(options.files)
    this.#resting = new Resting({ ...shared, keeping: this.#keeping })
    this.#cleaning = new Cleaning({ ...shared, seats, prune, resting: this.#resting }, () => this.#occupancy)
    this.#occupancy = new Occupancy({
      ...shared,
      ids,
      keeping: this.#keeping,
      resting: this.#resting,
      changed,
      makeRoom: tenant => this.#cleaning.makeRoom(tenant),
      lost: (seat, occupant) => void this.#settleLoss(seat, occupant),
    })
    this.#placeForFiles = options.placeForFiles
    this.#clock = clock
    this.#limits = limits
    this.#cutPlace = options.cutPlace ?? (async (_, at) => at)
    this.#store = store
    this.#seats = seats
    this.#report = thrown => onProblem(problemOf(thrown))
  }

  async run(run: ClearedRun, sink: OutputSink, signal: AbortSignal, turn: Turn = {}): Promise<Outcome<RunOutcome>> {
    const refused = refuseRun(run)
    if (refused) return { ok: false, problem: refused }
    const seat = this.#seats.at(run)
    return this.#seats.inTurn(seat, signal, async stop => {
      const placed = await this.#occupancy.place(seat, run, run.requester, stop)
      if (!placed.ok) return placed
      if (stop.aborted) return stopped()
      const recalled = (await turn.recall?.(placed.value.sandbox)) ?? null
      if (recalled) {
        turn.begun?.()
        this.#use(seat, placed.value)
        return ok(recalled)
      }
      const handed = turn.handover ? await turn.handover(placed.value.sandbox.describe()) : ok(run)
      if (!handed.ok) return handed
      if (stop.aborted) return stopped()
      turn.begun?.()
      const outcome = await this.#execute(seat, placed.value, handed.value, sink, stop, turn.tools)
      if (seat.occupant === placed.value) await turn.remember?.(placed.value.sandbox, outcome)
      return ok(outcome)
    })
  }

  async #execute(
    seat: Seat,
    occupant: Occupant,
    run: ClearedRun,
    sink: OutputSink,
    signal: AbortSignal,
    tools: ToolCalls | undefined,
  ) {
    const notice = occupant.untold
    occupant.untold = null
    seat.running = true
    this.#use(seat, occupant)
    try {
      const terms = { clock: this.#clock, limits: this.#limits, cutPlace: this.#cutPlace }
      const executed = await execute(occupant.sandbox, run, notice, sink, signal, terms, tools)
      const { executionTimeMs: timeMs, cpuTimeMs: cpuMs, peakMemoryBytes: bytes } = executed.outcome
      this.#occupancy.use(seat, occupant, { type: 'ran', at: this.#clock.now(), timeMs, cpuMs, bytes })
      // The store may refuse the end of a lost sandbox; that must not cost the person the outcome of the run.
      if (!executed.lost) return await this.#keeping.afterRun(seat.ref, occupant.sandbox, executed.outcome)
      await this.#occupancy.vacate(seat, lostEnding).catch(this.#report)
      return executed.outcome
    } finally {
      seat.running = false
    }
  }

  async interrupt(ref: PathRef): Promise<void> {
    const seat = this.#seats.find(ref)
    if (seat?.running) await seat.occupant?.sandbox.interrupt().catch(this.#report)
    else seat?.stop?.abort()
  }

  async narrow(ref: PathRef, keep: readonly string[]): Promise<void> {
    const seat = this.#seats.find(ref)
    if (seat?.running) await seat.occupant?.sandbox.narrow?.(keep).catch(this.#report)
  }

  async restart(ref: PathRef): Promise<Outcome<void>> {
    const seat = this.#seats.at(ref)
    return this.#seats.atOnce(seat, async () => {
      const { occupant } = seat
      if (!occupant || occupant.gone) {
        await this.#resting.end(ref, { reason: 'manual', message: endMessages.manual, by: null })
        return ok(undefined)
      }
      const restarted = await inTime(occupant.sandbox.restart(), this.#limits.creationMs, this.#clock).catch(thrown => {
        this.#report(thrown)
        return late
      })
      if (restarted === late) {
        await this.#occupancy.vacate(seat, lostEnding)
        return lost()
      }
      occupant.freshSince = this.#clock.now()
      this.#use(seat, occupant)
      return ok(undefined)
    })
  }

  async end(ref: PathRef, reason: ContextReason, by: UserId | null): Promise<void> {
    await this.#endSeat(this.#seats.at(ref), { reason, message: endMessages[reason], by })
  }

  async endConversation(tenant: TenantId, conversation: ConversationId, reason: ContextReason, by: UserId | null) {
    const active = (await this.#store.active(tenant)).filter(({ record }) => record.conversation === conversation)
    const seats = new Set([
      ...this.#seats.all().filter(({ ref }) => ref.tenant === tenant && ref.conversation === conversation),
      ...active.filter(({ record }) => record.pausedAt !== null).map(({ record }) => this.#seats.at(record)),
    ])
    await Promise.all([...seats].map(seat => this.#endSeat(seat, { reason, message: endMessages[reason], by })))
  }

  move(ref: PathRef, placement: Placement, by: UserId, signal?: AbortSignal): Promise<Outcome<ContextStatus>> {
    const seat = this.#seats.at(ref)
    return this.#seats.inTurn(seat, signal ?? new AbortController().signal, async stop => {
      await this.#occupancy.vacate(seat, { reason: 'moved', message: endMessages.moved, by })
      const placed = await this.#occupancy.place(seat, { placement }, by, stop)
      return placed.ok ? ok(this.#statusAt(seat, placed.value.record)) : placed
    })
  }

  async fork({ from, to, actor }: { from: PathRef; to: PathRef; actor: UserId }): Promise<Outcome<ContextStatus>> {
    // Variables may hold anything: they stay in the conversation, and with the tenant, that they belong to.
    if (from.tenant !== to.tenant || from.conversation !== to.conversation || from.path === to.path) {
      return notAnotherPath()
    }
    const [source, target] = [this.#seats.at(from), this.#seats.at(to)]
    return this.#seats.atAll([source, target], async stop => {
      const original = this.#usable(source)
      if (!original) return noSandbox()
      if (target.occupant) return alreadyHasOne()
      const forked = await this.#occupancy.fork(original, target, actor, stop)
      if (!forked.ok) return forked
      this.#use(source, original)
      return ok(this.#statusAt(target, forked.value.record))
    })
  }

  handsOnFilesOnly(ref: PathRef): boolean {
    const occupant = this.#usable(this.#seats.find(ref))
    return occupant !== null && occupant.sandbox.fork === undefined
  }

  variables(ref: PathRef, language: Language): Promise<Outcome<Variable[]>> {
    return this.#ask(ref, sandbox => sandbox.variables(language))
  }

  complete(ref: PathRef, language: Language, code: string, offset: number): Promise<Outcome<Completion[]>> {
    return this.#ask(ref, sandbox => sandbox.complete(language, code, offset))
  }

  hover(ref: PathRef, language: Language, code: string, offset: number): Promise<Outcome<Hover | null>> {
    return this.#ask(ref, sandbox => sandbox.hover(language, code, offset))
  }

  table(ref: PathRef, language: Language, name: string, from: number): Promise<Outcome<TablePiece>> {
    return this.#ask(ref, sandbox => sandbox.table(language, name, from))
  }

  usage(ref: PathRef): Promise<Outcome<Usage>> {
    return this.#ask(ref, async sandbox => ok(await sandbox.usage()))
  }

  files(ref: PathRef, actor: UserId | null = null): WorkFolder {
    const now = () => this.#usable(this.#seats.find(ref))?.sandbox ?? null
    return this.#keeping.folderOf(ref, now, () => this.#sandboxToFill(ref, actor))
  }

  /** A sandbox that the next run will still find, so that a file that is put in it is not lost by then. */
  async #sandboxToFill(ref: PathRef, actor: UserId | null): Promise<Outcome<Sandbox>> {
    const seat = this.#seats.at(ref)
    const occupant = this.#usable(seat)
    if (occupant && !mustRotate(occupant.record, this.#limits)) {
      this.#use(seat, occupant)
      return ok(occupant.sandbox)
    }
    return this.#seats.inTurn(seat, new AbortController().signal, async stop => {
      const placement = await this.#placeForFiles(seat.ref)
      if (!placement.ok) return placement
      const placed = await this.#occupancy.place(seat, { placement: placement.value }, actor, stop)
      if (!placed.ok) return placed
      this.#use(seat, placed.value)
      return ok(placed.value.sandbox)
    })
  }

  async bring(ref: PathRef, changes: ManifestChanges): Promise<void> {
    const seat = this.#seats.find(ref)
    if (!seat) return
    const brought = await this.#seats.atAll([seat], async () => {
      const { occupant } = seat
      if (!occupant || occupant.gone) return ok(undefined)
      const untold = await this.#keeping.bring(occupant.sandbox, changes)
      if (untold) occupant.untold = [occupant.untold, untold].filter(Boolean).join(' ')
      return ok(undefined)
    })
    if (!brought.ok && brought.problem.code !== 'context.closed') this.#report(failure(brought.problem))
  }

  facts(ref: PathRef): SandboxFacts | null {
    const sandbox = this.#usable(this.#seats.find(ref))?.sandbox
    return sandbox ? SandboxFacts.parse(sandbox.describe()) : null
  }

  async last(ref: PathRef): Promise<SandboxFacts | null> {
    return (await this.#store.latestUsed(ref))?.place ?? null
  }

  async imageUsed({ tenant, conversation }: PathRef): Promise<string | null> {
    const records = await this.#store.latestOfAll(tenant, conversation)
    return records.findLast(({ place }) => place.image !== null)?.place.image ?? null
  }

  async status(ref: PathRef): Promise<ContextStatus> {
    const seat = this.#seats.find(ref)
    const record = recordAt(seat) ?? (await this.#store.latest(ref))
    return seat ? this.#statusAt(seat, record) : statusOf(ref, record, notHere, this.#clock.now(), this.#limits)
  }

  async statuses(tenant: TenantId, conversation: ConversationId): Promise<ContextStatus[]> {
    const records = await this.#store.latestOfAll(tenant, conversation)
    return Promise.all(records.map(record => this.status(record)))
  }

  async active(tenant: TenantId): Promise<ContextStatus[]> {
    const records = await this.#store.active(tenant)
    return Promise.all(records.map(({ record }) => this.status(record)))
  }

  subscribe(listener: (status: ContextStatus) => void): () => void {
    const own = (status: ContextStatus) => listener(status)
    this.#listeners.add(own)
    return () => this.#listeners.delete(own)
  }

  recoverOrphans(): Promise<number> {
    return this.#cleaning.recoverOrphans()
  }

  sweep(): Promise<number> {
    return this.#cleaning.sweep()
  }

  async close(): Promise<void> {
    this.#cleaning.stop()
    this.#seats.close()
    const message = 'Countersign was closed, and the sandbox of this path with it.'
    // What cannot be written now is found at the next start.
    await Promise.all(
      this.#seats
        .all()
        .map(seat => this.#endSeat(seat, { reason: 'manual', message, by: null, restful: true }).catch(this.#report)),
    )
  }

  async #endSeat(seat: Seat, ending: Ending): Promise<void> {
    const ended = await this.#seats.atOnce(seat, async () => {
      await this.#occupancy.vacate(seat, ending)
      if (!ending.restful) await this.#resting.end(seat.ref, ending)
      return ok(undefined)
    })
    if (!ended.ok) throw failure(ended.problem)
  }

  /** A sandbox that ended by itself is put on the record, once whatever runs in it has been answered. */
  async #settleLoss(seat: Seat, occupant: Occupant): Promise<void> {
    const settled = await this.#seats.atAll([seat], async () => {
      if (seat.occupant === occupant) await this.#occupancy.vacate(seat, lostEnding)
      return ok(undefined)
    })
    if (!settled.ok && settled.problem.code !== 'context.closed') this.#report(failure(settled.problem))
  }

  async #ask<T>(ref: PathRef, question: (sandbox: Sandbox) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const occupant = this.#usable(this.#seats.find(ref))
    if (!occupant) return noSandbox()
    try {
      return await question(occupant.sandbox)
    } catch (thrown) {
      this.#report(thrown)
      return lost()
    }
  }

  #usable(seat: Seat | null): Occupant | null {
    if (!seat?.occupant || seat.occupant.gone) return null
    const expired = !seat.running && isExpired(seat.occupant.record, this.#clock.now(), this.#limits)
    return expired ? null : seat.occupant
  }

  #use(seat: Seat, occupant: Occupant): void {
    this.#occupancy.use(seat, occupant, { type: 'used', at: this.#clock.now() })
  }

  #publish(seat: Seat): void {
    if (this.#listeners.size === 0) return
    const record = recordAt(seat) ?? seat.last
    // Before the first record of a path nothing is known of it that would be worth a word.
    if (!record) return
    const status = this.#statusAt(seat, record)
    for (const listener of this.#listeners) {
      try {
        listener(status)
      } catch (thrown) {
        // One broken view must not stop a run, nor keep the others from hearing of it.
        this.#report(thrown)
      }
    }
  }

  #statusAt(seat: Seat, record: ContextRecord | null): ContextStatus {
    // One that is being ended for another reason has not failed: until its record says so it is as it was.
    const gone = seat.occupant?.gone === true && (seat.occupant.ending ?? lostEnding).reason === 'error'
    const freshSince = seat.occupant?.freshSince ?? null
    const live = { running: seat.running, gone, queued: seat.lane.waiting, freshSince }
    return statusOf(seat.ref, record, live, this.#clock.now(), this.#limits)
  }
}

const recordAt = (seat: Seat | null) => seat?.occupant?.record ?? seat?.opening ?? null

const failure = ({ code, message, hint }: Problem) => new Failure(code, message, hint)

const endMessages: Readonly<Record<ContextReason, string>> = {
  expired: 'The sandbox of this path expired.',
  error: 'The sandbox of this path was ended because it did not work.',
  manual: 'The sandbox of this path was ended.',
  merged: 'The sandbox of this path was ended when the path was merged.',
  rotated: 'The sandbox of this path was replaced.',
  moved: 'The path was moved to another sandbox.',
  orphaned: 'The sandbox of this path was left behind.',
}
