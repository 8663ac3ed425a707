import { createHash } from 'node:crypto'
import type { Approval } from '../approval/approval.ts'
import type { Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Contexts } from '../contexts/contexts.ts'
import type { AnalysisMark } from '../contract/analyses.ts'
import type { ApprovalRequest } from '../contract/approval.ts'
import type { PathRef } from '../contract/contexts.ts'
import { missingModule } from '../contract/environments.ts'
import { type ConversationId, PathId, type RequestId, RunId, type TenantId } from '../contract/ids.ts'
import type { Inspection, SyntaxRejection } from '../contract/inspection.ts'
import type { Placement, SandboxFacts, WantedPlace } from '../contract/placement.ts'
import { fail, type Outcome, ok, type Problem, type ProblemCode, problem, problemOf } from '../contract/problem.ts'
import type { Language, Limits, RunOutcome } from '../contract/run.ts'
import type { LiveRun, RunRequest, RunView, WayOn } from '../contract/runs.ts'
import type { ToolGrant } from '../contract/tools.ts'
import type { Caller, Conversations } from '../conversations/conversations.ts'
import type { Events } from '../events.ts'
import type { PathFiles } from '../files/files.ts'
import type { Ids } from '../ids.ts'
import type { Log } from '../log.ts'
import { canonicalGrants, withPolicy } from '../network/network.ts'
import type { OutputSink } from '../sandbox/sandbox.ts'
import type { Storage } from '../storage/storage.ts'
import { type Tools, withTools } from '../tools/tools.ts'
import { departed } from './following.ts'
import type { KeptResults } from './kept.ts'
import { LiveRuns } from './live.ts'
import { Order, type Place } from './order.ts'
import { isOtherEnvironment, type Placed, place, type Surroundings, type Wishes } from './place.ts'
import { type Program, programIn, unique } from './program.ts'
import { finished, intended, refused } from './record.ts'
import type { ClearedRun, DraftRun, InspectedRun, PlacedRun } from './run.ts'
import { type RunEvent, transitionRun, viewOf } from './transition.ts'

export { voidWhatChanged } from './following.ts'
export { createKeptResults, type KeptResults } from './kept.ts'
export { pruneOutputs } from './outputs.ts'
export { environmentIn, placeForFiles, type Surroundings, unplaceable } from './place.ts'
export { replayPath } from './replay.ts'
export { resumeApproved } from './resume.ts'
export { type CellSeries, createSeries } from './series.ts'
export { tracesOf } from './traces.ts'

/** One run from draft to record. Read `carryOut` top to bottom and you have read the product. */
export interface Runs {
  /** Starts a run and answers at once; windows hear of the rest by events. */
  start(who: Caller, request: RunRequest, options?: RunOptions): Promise<Outcome<StartedRun>>
  /** Goes on with a run that a reviewer approved. Called by the engine when the decision is durable. */
  resume(request: ApprovalRequest, options?: RunOptions): Promise<Outcome<StartedRun>>
  /** Ends a run whose request will never be approved: it goes on the record, and windows no longer show it waiting. */
  giveUp(request: ApprovalRequest, why: Problem): Promise<void>
  /** Stops a run that is queued or under way. */
  cancel(who: Caller, run: RunId): void
  /** Takes from the run under way on a path what it may reach, all but these rules; also in the middle of a transfer. */
  narrow(path: PathRef, keep: readonly string[]): Promise<void>
  live(who: Caller, path: PathId): LiveRun[]
  /** One run under way, wherever it is; null when it is over. */
  liveRun(who: Pick<Caller, 'tenant'>, run: RunId): LiveRun | null
  /** Waits for what is under way. */
  idle(): Promise<void>
}

export interface RunOptions {
  /** Also receives what windows are shown: for a terminal. */
  readonly sink?: OutputSink
  readonly signal?: AbortSignal
  /** Chosen ahead by a caller that must find the run again after a crash. */
  readonly id?: RunId
  /**
   * Runs beside the conversation, in a sandbox of its own: for a replay, which must not find the path's variables. Where
   * `mayMove` is false, one that is too weak is not replaced: the run is refused.
   */
  readonly aside?: {
    readonly conversation: ConversationId
    readonly path: PathId
    readonly mayMove?: boolean | undefined
  }
  /** What the sandbox must be beyond what the policy wants. */
  readonly placement?: WantedPlace | undefined
  /**
   * Replays this run, or one that had none: nothing is reached, whatever policy and path were granted, and calls of tools
   * are answered with what that run was answered, or not at all.
   */
  readonly replayOf?: RunId | null
}

export interface StartedRun {
  readonly view: RunView
  /** Resolves when the run has come to rest: finished, refused, failed, or waiting for a reviewer. */
  readonly rest: Promise<RunView>
}

export interface RunsOptions {
  readonly storage: Storage
  readonly audit: Recorder
  readonly files: Pick<PathFiles, 'noteRun' | 'branch' | 'drop'>
  readonly guard: { inspect(code: string, language: Language, signal?: AbortSignal): Promise<Inspection> }
  readonly approval: Pick<Approval, 'decide' | 'clear' | 'verifyAtHandover'>
  readonly contexts: Pick<Contexts, 'run' | 'move' | 'end' | 'narrow'>
  readonly conversations: Pick<Conversations, 'locate' | 'cellNow' | 'recordRun' | 'announce'>
  /** What the place of a run on this path depends on, as it is now. */
  readonly surroundings: (path: PathRef) => Promise<Surroundings>
  /** Tools of the user's servers that code may be given. */
  readonly tools?: Pick<Tools, 'grantsFor' | 'session'>
  readonly limits: () => Limits
  /** Text as it may stand on the record. */
  readonly redact: (conversation: ConversationId, text: string) => Promise<string>
  /** The analysis that made this code, where one did: found by comparing it with the catalogue. */
  readonly analysisOf?: (code: string) => Promise<AnalysisMark | null>
  /** Results of cells that are shown again instead of running. */
  readonly kept: Pick<KeptResults, 'turnOf'>
  /** What helps where a run failed for want of a module: a sentence that names where it is. */
  readonly whereIs: (tenant: TenantId, module: string) => Promise<string | null>
  readonly keepCode: () => 'always' | 'on_error' | 'never'
  readonly events: Events
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
}

export function createRuns(deps: RunsOptions): Runs {
  const { storage, audit, guard, approval, contexts, conversations, clock, ids, log } = deps
  const live = new LiveRuns(deps.events, clock)
  const stops = new Map<RunId, { readonly tenant: TenantId; readonly stop: AbortController }>()
  const underWay = new Set<Promise<RunView>>()
  const order = new Order()

  /** draft → inspect → place → decide → execute → redact → record */
  async function carryOut(draft: DraftRun, asked: Asked, options: RunOptions, under: Under) {
    const who = { tenant: draft.tenant, user: draft.requester }
    const tools = (await deps.tools?.grantsFor(who, draft.code)) ?? []
    const inspection = withTools(await guard.inspect(draft.code, draft.language, under.signal), tools)
    const inspected: InspectedRun = { ...draft, inspection }
    live.move(draft.id, { type: 'inspected', inspection })

    // What the compiler rejects cannot run: it is recorded as such, and nobody is asked about it.
    if (inspection.syntaxError) return refuse(inspected, mistyped(inspection.syntaxError), null)

    return placeAndRun(inspected, tools, asked, options, under, null)
  }

  /** place → decide → execute. `before`: how that ended the first time, when nothing ran. */
  async function placeAndRun(
    inspected: InspectedRun,
    tools: readonly ToolGrant[],
    asked: Asked,
    options: RunOptions,
    under: Under,
    before: Misplaced | null,
  ): Promise<RunView> {
    const { inspection } = inspected
    const surroundings = await deps.surroundings(inspected)
    const isReplay = options.replayOf !== undefined
    const network = isReplay ? [] : withPolicy([...asked.network, ...surroundings.granted], surroundings.policy.network)
    const placed = place({ ...asked, network, tools, risk: inspection.risk }, surroundings)
    if (placed.kind === 'refused') return refuse(inspected, placed.problem, null)
    if (before && !isOtherEnvironment(before.run.placement, placed.placement))
      return refuse(before.run, before.why, null)
    const settled = placed.kind === 'short' ? await goOn(inspected, placed, asked.wayOn, under) : ok(placed.placement)
    if (!settled.ok) return refuse(inspected, settled.problem, null)
    if (before) live.move(inspected.id, { type: 'returned' })
    if (placed.kind === 'short' && settled.value === null) {
      const { current, placement: needed, why } = placed
      return rest(inspected.id, { type: 'held', held: { current, needed, why } })
    }
    const run: PlacedRun = { ...inspected, placement: settled.value ?? placed.placement }
    live.move(run.id, { type: 'placed', network })

    const analysis = await deps.analysisOf?.(run.code)
    const catalogue = analysis?.origin === 'catalogue' && analysis.untouched
    const verdict = await approval.decide(run, { force: asked.force, catalogue })
    if (verdict.kind === 'refused') return refuse(run, verdict.problem, null)
    if (verdict.kind === 'waiting') return rest(run.id, { type: 'asked', request: verdict.request.id })
    const ended = await execute(verdict.run, options, under, asked.anew)
    if (ended.ok) return ended.value
    // A package that is installed just now changes what was placed. Nothing has run: it is placed and decided on once
    // more, unless a person has signed for the place that it was to have.
    const { request } = verdict.run.decision
    const mayReturn = before === null && request === null && !under.signal.aborted && misplaced.has(ended.problem.code)
    if (!mayReturn) return refuse(verdict.run, ended.problem, request)
    return placeAndRun(inspected, tools, asked, options, under, { run: verdict.run, why: ended.problem })
  }

  /** The placement with which a run goes on that its path's sandbox is too weak for; null: the person is asked. */
  async function goOn(
    draft: DraftRun,
    { placement, why }: Extract<Placed, { kind: 'short' }>,
    way: Asked['wayOn'],
    { signal, place: ordered }: Under,
  ): Promise<Outcome<Placement | null>> {
    if (way === 'ask') return ok(null)
    if (way === 'refuse') return fail('sandbox.too-weak', why, 'Another sandbox would not have its variables.')
    if (way === 'aside') return ok({ ...placement, aside: true, reasons: [...placement.reasons, asideReason] })
    await ordered.turn(signal)
    const moved = await contexts.move(draft, placement, draft.requester, signal)
    return moved.ok ? ok(placement) : moved
  }

  /** In its path's sandbox, or once in one of its own that has a copy of the path's files and is ended after it. */
  async function inItsSandbox<T>(run: ClearedRun, work: (at: ClearedRun) => Promise<T>): Promise<T> {
    if (!run.placement.aside) return work(run)
    const { tenant, conversation } = run
    const ref = { tenant, conversation, path: ids.make(PathId) }
    await storage.write(t => deps.files.branch(t, run, ref))
    try {
      return await work({ ...run, path: ref.path })
    } finally {
      await contexts.end(ref, 'manual', run.requester)
      await storage.write(t => deps.files.drop(t, ref))
    }
  }

  /** Its end, or why it never began: then nobody has been told yet. */
  async function execute(run: ClearedRun, options: RunOptions, under: Under, anew: boolean): Promise<Outcome<RunView>> {
    const { warnings } = run.placement
    const keep = deps.keepCode()
    const code = await deps.redact(run.conversation, run.code)
    // A run whose intent cannot be written does not start: a failure here ends up as `failed`, with nothing run.
    const analysis = (await deps.analysisOf?.(run.code)) ?? null
    const kept = keep === 'always' ? code : null
    await storage.write(t => audit.append(t, intended(run, hashOf(run.code), kept, analysis)))

    live.move(run.id, { type: 'cleared' })
    const sink: OutputSink = output => {
      live.show(run.id, output)
      return options.sink?.(output)
    }
    const begun = () => {
      // Not before: one that is placed once more keeps its turn.
      under.place.leave()
      // A calculation may be silent for an hour: that it runs must not depend on what it says.
      live.move(run.id, { type: 'begun', at: clock.now() })
      for (const text of warnings) sink({ type: 'notice', text })
    }
    const handover = (place: SandboxFacts) => approval.verifyAtHandover(run, place)
    const tools = run.placement.tools?.length ? deps.tools?.session(run, options.replayOf) : undefined
    const recalling = await deps.kept.turnOf(run, anew)
    const turn = { begun, handover, ...recalling, ...(tools ? { tools } : {}) }
    await under.place.turn(under.signal)
    const done = await inItsSandbox(run, at => contexts.run(at, sink, under.signal, turn))
    const calls = (await tools?.taken()) ?? []
    if (!done.ok) return done
    if (done.value.kept) for (const output of done.value.outputs) await sink(output)

    const missing = missingModule(done.value.error)
    const advice = missing === null ? null : await deps.whereIs(run.tenant, missing)
    if (advice !== null) sink({ type: 'notice', text: advice })
    const said = advice === null ? [] : [advice]
    const outcome: RunOutcome = {
      ...done.value,
      ...(calls.length > 0 ? { tools: calls } : {}),
      warnings: [...warnings, ...done.value.warnings, ...said],
    }
    await record(run, outcome, keep === 'always' || (keep === 'on_error' && !outcome.success) ? code : null)
    return ok(rest(run.id, { type: 'finished', outcome, at: clock.now() }))
  }

  async function record(run: ClearedRun, outcome: RunOutcome, code: string | null): Promise<void> {
    const stdout = await deps.redact(run.conversation, outcome.stdout)
    const stderr = await deps.redact(run.conversation, outcome.stderr)
    const change = await storage.write(async t => {
      await audit.append(t, finished(run, outcome, hashOf(run.code), { code, stdout, stderr }))
      if (outcome.manifests && !run.placement.aside) await deps.files.noteRun(t, run, run.id, outcome.manifests)
      if (!run.cell) return null
      return conversations.recordRun(t, {
        run: run.id,
        path: run.path,
        cell: run.cell,
        code: run.code,
        language: run.language,
        success: outcome.success,
        risk: run.inspection.risk,
        finishedAt: clock.now(),
        durationMs: outcome.executionTimeMs,
        outputs: outcome.outputs,
        keptFrom: outcome.kept?.at ?? null,
      })
    })
    if (change) conversations.announce(run.tenant, change)
  }

  async function refuse(run: InspectedRun, why: Problem, request: RequestId | null): Promise<RunView> {
    await recordRefusal(run, why, request)
    return rest(run.id, { type: 'refused', problem: why, at: clock.now() })
  }

  async function recordRefusal(run: InspectedRun, why: Problem, request: RequestId | null): Promise<void> {
    const code = deps.keepCode() === 'never' ? null : await deps.redact(run.conversation, run.code)
    await storage.write(t => audit.append(t, refused(run, hashOf(run.code), why, code, request)))
  }

  function rest(run: RunId, event: RunEvent): RunView {
    const view = live.move(run, event)
    if (!view) throw new Error(`run ${run} cannot be ${event.type} as it stands`)
    return view
  }

  /** What would run, as it stands in its cell now, and who wrote it. */
  async function programOf(who: Caller, request: RunRequest): Promise<Outcome<Program>> {
    if (request.cell === null) {
      const { language, code } = request
      return ok({ cell: null, revision: null, language, code, authors: [who.user] })
    }
    const now = await conversations.cellNow(who, request.path, request.cell)
    return programIn(now, request.cell, request.revision, who.user)
  }

  /** Makes a run visible, then carries it out; whatever is thrown on the way ends it as `failed`, never in silence. */
  function begin(draft: DraftRun, options: RunOptions, work: (under: Under) => Promise<RunView>): StartedRun {
    const view = viewOf(draft)
    const stop = new AbortController()
    stops.set(draft.id, { tenant: draft.tenant, stop })
    live.begin(draft.tenant, view)
    const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
    const place = order.take(draft.path)
    const done = work({ signal, place })
      .catch(error => {
        log.error({ run: draft.id, error: error instanceof Error ? error.stack : String(error) }, 'a run failed')
        return rest(draft.id, { type: 'failed', problem: problemOf(error), at: clock.now() })
      })
      .finally(() => {
        place.leave()
        stops.delete(draft.id)
        underWay.delete(done)
      })
    underWay.add(done)
    return { view, rest: done }
  }

  return {
    async start(who, request, options = {}) {
      const located = options.aside ? ok(options.aside.conversation) : await conversations.locate(who, request.path)
      if (!located.ok) return located
      const program = await programOf(who, request)
      if (!program.ok) return program
      const granted = canonicalGrants(request.network ?? [])
      if (!granted.ok) return granted
      const draft: DraftRun = {
        id: options.id ?? ids.make(RunId),
        tenant: who.tenant,
        conversation: located.value,
        path: options.aside?.path ?? request.path,
        requester: who.user,
        ...program.value,
        args: [],
        env: {},
        createdAt: clock.now(),
      }
      const asked: Asked = {
        limits: { ...deps.limits(), ...(request.timeoutMs ? { timeoutMs: request.timeoutMs } : {}) },
        network: granted.value,
        placement: options.placement,
        force: request.forceApproval ?? false,
        anew: request.anew ?? false,
        wayOn: options.aside ? wayAside(options.aside) : (request.wayOn ?? 'ask'),
      }
      return ok(begin(draft, options, under => carryOut(draft, asked, options, under)))
    },

    async resume(request, options = {}) {
      if (request.state !== 'approved') {
        return {
          ok: false,
          problem: problem('approval.undecided', 'This request is not approved.', 'Nothing was run.'),
        }
      }
      const run = runOf(request)
      return ok(
        begin(run, options, async under => {
          for (const event of backTo(request)) live.move(run.id, event)
          const who = { tenant: run.tenant, user: run.requester }
          const now = await conversations.cellNow(who, run.path, run.cell)
          const stale = departed(request, now)
          if (stale) return refuse(run, stale, request.id)
          // Whoever wrote it is counted again: the approval speaks of those who were known when it was asked for.
          const authors = now.kind === 'cell' ? unique([...run.authors, ...now.authors]) : run.authors
          const cleared = await approval.clear(request.id, { ...run, authors })
          const ended = cleared.ok ? await execute(cleared.value, options, under, true) : cleared
          return ended.ok ? ended.value : refuse(cleared.ok ? cleared.value : run, ended.problem, request.id)
        }),
      )
    },

    async giveUp(request, why) {
      const run = runOf(request)
      await recordRefusal(run, why, request.id)
      const events: RunEvent[] = [...backTo(request), { type: 'refused', problem: why, at: clock.now() }]
      const over = events.reduce<RunView>((view, event) => transitionRun(view, event) ?? view, viewOf(run))
      deps.events.publish(run.tenant, { type: 'run', run: over })
    },

    cancel(who, run) {
      const known = stops.get(run)
      // A run of another tenant is answered like one that is over: that it exists is not told.
      if (known?.tenant === who.tenant) known.stop.abort()
    },
    async narrow(path, keep) {
      await contexts.narrow(path, keep)
      for (const { view } of live.on(path.tenant, path.path))
        live.move(view.run, { type: 'narrowed', network: (view.network ?? []).filter(rule => keep.includes(rule)) })
    },
    live: (who, path) => live.on(who.tenant, path),
    liveRun: (who, run) => live.one(who.tenant, run),
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

/** What stops a run that is under way, and its place among those of its path. */
interface Under {
  readonly signal: AbortSignal
  readonly place: Place
}

/** What a run asks for beside its code; what it is given is in its placement. */
interface Asked extends Omit<Wishes, 'risk'> {
  readonly force: boolean
  readonly anew: boolean
  readonly wayOn: WayOn | 'refuse'
}

const wayAside = ({ mayMove = true }: NonNullable<RunOptions['aside']>) => (mayMove ? 'move' : 'refuse')

/** A run that was cleared for a sandbox which is not what it was to be. */
interface Misplaced {
  readonly run: ClearedRun
  readonly why: Problem
}

const misplaced: ReadonlySet<ProblemCode> = new Set(['sandbox.mismatch', 'approval.mismatch'])

const mistyped = ({ message, line }: SyntaxRejection): Problem =>
  problem('run.syntax', `Line ${line ?? 1}: ${message}`, 'Nothing was run. Correct the line and run it again.')

/** What had happened to a run when it began to wait for the answer to this request. */
const backTo = ({ id, inspection, placement: { network } }: ApprovalRequest): RunEvent[] => [
  { type: 'inspected', inspection },
  { type: 'placed', network },
  { type: 'resumed', request: id },
]

const hashOf = (code: string) => createHash('sha256').update(code, 'utf8').digest('hex')

/** The run that a request asks about, as it stands in the request now. */
const runOf = (request: ApprovalRequest): PlacedRun => ({
  id: request.run,
  tenant: request.tenant,
  conversation: request.conversation,
  path: request.path,
  cell: request.cell,
  revision: null,
  authors: request.authors.map(author => author.id),
  requester: request.requester.id,
  language: request.language,
  code: request.code,
  args: request.args,
  env: request.env,
  createdAt: request.createdAt,
  inspection: request.inspection,
  placement: request.placement,
})

const asideReason =
  'It runs once in a sandbox of its own: with a copy of the files, and neither files nor variables are kept.'
