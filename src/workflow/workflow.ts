import type { z } from 'zod'
import type { Answering, Reviewer } from '../approval/approval.ts'
import type { Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { ApprovalRequest } from '../contract/approval.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { ConversationId, PathId, RunId } from '../contract/ids.ts'
import { WorkflowId } from '../contract/ids.ts'
import { fail, type Outcome, ok, type Problem, problemOf } from '../contract/problem.ts'
import type {
  GraphFault,
  LoggedRun,
  TaskLog,
  ToolTask,
  Undoing,
  WorkflowSummary,
  WorkflowView,
} from '../contract/workflow.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { PathFiles } from '../files/files.ts'
import type { Ids } from '../ids.ts'
import type { StartedRun } from '../runs/runs.ts'
import type { Storage } from '../storage/storage.ts'
import { ApprovedRuns } from './approved.ts'
import { Busy } from './busy.ts'
import { type Decision, decideTask } from './deciding.ts'
import { attemptsAt, drive, type ExecutionParts, filesNow, nextRun, runsOf } from './execution.ts'
import { foreseen, type Obstacles } from './foreseen.ts'
import { fromHere, type Graph, noGraph, parseGraph } from './graph.ts'
import { Graphs } from './graphs.ts'
import { contentsOf, heldAt, lostOf } from './holding.ts'
import { Notices } from './notices.ts'
import { createOwnership, type Hold, type Owner, Superseded } from './owning.ts'
import { Edited, type Loaded, type Stored, type TaskRow, type WorkflowSeals, WorkflowStore } from './store.ts'
import { placeOfRun, runsOfAttempt, sharedPath, type TaskRunner } from './task.ts'
import { undoingOf } from './undoing.ts'
import { viewOf } from './view.ts'

export type { Decision } from './deciding.ts'
export type { Obstacle, PlannedTask } from './foreseen.ts'
export { type CellUse, graphFromCells } from './from-cells.ts'
export { outputFault, outputsOf, parseGraph } from './graph.ts'
export type { Calculation, RunStanding } from './left.ts'
export { createRunner } from './runner.ts'
export { type Attempt, placeOfRun, type TaskEnd } from './task.ts'
export { notAccepted, programFor } from './tool-task.ts'

/** Task graphs that survive a crash. The path's files change when the whole graph has completed, or not at all. */
export interface Workflows {
  /** What is wrong with a graph, also what would be refused halfway if it were started on this path. Starts nothing. */
  faults(who: Caller, path: PathId, source: string): Promise<Outcome<readonly GraphFault[]>>
  /** Starts a graph on a path and answers at once; windows hear of the rest by events. */
  start(who: Caller, path: PathId, source: string): Promise<Outcome<WorkflowView>>
  get(who: Caller, id: WorkflowId): Promise<Outcome<WorkflowView>>
  /** The graph as its author wrote it. */
  source(who: Caller, id: WorkflowId): Promise<Outcome<string>>
  /** Newest first; of one path, or of all. */
  list(who: Caller, path: PathId | null): Promise<WorkflowSummary[]>
  /** Goes on with one that failed: what is over stays, the rest is tried again. */
  resume(who: Caller, id: WorkflowId): Promise<Outcome<WorkflowView>>
  /** Starts the same graph anew from a task: it and what waits for it run again, the rest keeps its results. */
  again(who: Caller, id: WorkflowId, task: string): Promise<Outcome<WorkflowView>>
  /** Stops it and drops all that it staged. */
  abort(who: Caller, id: WorkflowId): Promise<Outcome<WorkflowView>>
  /** What an abort would drop, and what it could not take back. */
  aborting(who: Caller, id: WorkflowId): Promise<Outcome<Undoing>>
  /** What the last attempt at a task has shown so far, or printed as the record has it. */
  log(who: Caller, id: WorkflowId, task: string): Promise<Outcome<TaskLog>>
  /** Answers a task that waits for a person, by the signature of whoever logged in. */
  decide(reviewer: Reviewer, id: WorkflowId, task: string, decision: Decision): Promise<Outcome<WorkflowView>>
  /**
   * Goes on with a run that a reviewer approved; in a sandbox that tasks share, when it is its turn there. Not where its
   * workflow is over by now.
   */
  resuming(
    request: Pick<ApprovalRequest, 'id' | 'run' | 'tenant' | 'path'>,
    go: (signal?: AbortSignal) => Promise<Outcome<StartedRun>>,
  ): Promise<Outcome<StartedRun>>
  /** A reviewer has approved a run, which goes on in a moment. */
  approved(run: RunId): void
  /** A run has come to its end: goes on with the workflow that waited for it. */
  runEnded(run: RunId): void
  /** Takes on what an application that was killed left unfinished, and looks for more of it from then on. */
  recover(): Promise<number>
  /** The path whose files a task works on, by the hidden one that its sandbox has; null for every other path. */
  behind(ref: PathRef): Promise<PathRef | null>
  /** Where tasks that are under way for a path have their sandboxes. */
  places(ref: PathRef): Promise<PathRef[]>
  /** Resolves when a workflow has come to rest: completed, failed, aborted or waiting. */
  rest(id: WorkflowId): Promise<void>
  close(): Promise<void>
}

export interface WorkflowsOptions {
  readonly storage: Storage
  readonly seals: WorkflowSeals
  readonly audit: Recorder
  readonly files: PathFiles
  readonly runner: TaskRunner
  /** Whether a tool may have changed something elsewhere. */
  readonly hasEffects: (who: Caller, task: z.infer<typeof ToolTask>) => Promise<boolean>
  /** Whether the code of a run was handed over, by the record. */
  readonly wasBegun: (run: RunId) => Promise<boolean>
  /** Whoever logged in, as somebody who answers. */
  readonly answering: (reviewer: Reviewer) => Promise<Outcome<Answering>>
  readonly logOf: (who: Caller, run: RunId) => Promise<LoggedRun>
  readonly obstacles: Obstacles
  readonly locate: (who: Caller, path: PathId) => Promise<Outcome<ConversationId>>
  readonly clock: Clock
  readonly ids: Ids
  /** This process among those that share the database. */
  readonly owner: Owner
  readonly changed: (view: WorkflowView, who: Pick<Caller, 'tenant'>) => void
  readonly onProblem: (problem: Problem) => void
  readonly committed: ExecutionParts['committed']
  readonly saved: ExecutionParts['saved']
  readonly atOnce?: number
}

export function createWorkflows(options: WorkflowsOptions): Workflows {
  const { storage, files, runner, clock, ids, onProblem } = options
  const store = new WorkflowStore(storage, options.audit, clock, options.seals)
  const ownership = createOwnership(storage, options.owner)
  const underWay = new Map<WorkflowId, { readonly stop: AbortController; readonly done: Promise<void> }>()
  const aborts = new Map<WorkflowId, Promise<unknown>>()
  const approved = new ApprovedRuns()
  /** Those that were edited in the database: told of once. */
  const refused = new Set<WorkflowId>()
  const graphs = new Graphs(id => store.graph(id))
  let closed = false

  /** With its graph. Where a row is missing, or the graph cannot be read any more, it is not as it was written. */
  const load = async (id: WorkflowId): Promise<Loaded | null> => {
    const stored = await store.load(id)
    const graph = stored && (await graphs.of(stored))
    if (!stored || !graph) return stored && { ...stored, intact: false, graph: noGraph }
    const isWhole = Object.keys(graph.spec.tasks).every(name => stored.tasks.has(name))
    return { ...stored, intact: stored.intact && isWhole, graph }
  }
  const publish = async (id: WorkflowId) => {
    const stored = await load(id)
    if (stored) options.changed(viewOf(stored), stored.workflow)
  }
  const notices = new Notices<WorkflowId>(clock, id => publish(id).catch(error => onProblem(problemOf(error))))
  const parts: ExecutionParts = {
    ...{ store, files, runner, clock, ids, atOnce: options.atOnce ?? 4 },
    ...{ committed: options.committed, saved: options.saved },
    ...{ busy: new Busy(), goesOn: run => approved.has(run), changed: id => notices.changed(id) },
  }

  /**
   * Carries a workflow out unless another process does; `prepare` changes first what it goes on from. Answers when that is
   * done, and not when the workflow has come to rest.
   */
  const go = (id: WorkflowId, prepare: Prepare = async stored => ok(stored)): Promise<Outcome<void>> => {
    if (closed || underWay.has(id) || aborts.has(id)) return Promise.resolve(ok(undefined))
    const stop = new AbortController()
    const begun = Promise.withResolvers<Outcome<void>>()
    const carryOut = async () => {
      const hold = await ownership.take(id)
      // Read after it was taken: what another process did before that is not done once more.
      const stored = hold && (await load(id))
      if (!stored) return begun.resolve(elsewhere)
      const ready = stored.intact ? await prepare(stored, hold) : edited(id)
      begun.resolve(ready.ok ? ok(undefined) : ready)
      if (ready.ok && goesOn(ready.value)) {
        await drive(parts, stored.graph, ready.value, hold, stop.signal)
        return (await hold.isHeld()) ? undefined : leave(id)
      }
      await hold.letGo()
      if (stored.intact || !goesOn(stored)) return
      refused.add(id)
      onProblem(new Edited(id).problem)
    }
    const done = carryOut()
      .catch(error => {
        if (error instanceof Superseded) return begun.resolve(elsewhere)
        const problem = problemOf(error)
        begun.resolve({ ok: false, problem })
        onProblem(problem)
      })
      .finally(() => underWay.delete(id))
    underWay.set(id, { stop, done })
    return begun.promise
  }

  /** One that was aborted elsewhere while it ran here: what its tasks asked or opened until they heard of it goes too. */
  const leave = async (id: WorkflowId) => {
    const now = await load(id)
    if (now && isOver(now)) await runner.release(now.workflow, runsOf(now.graph, now.tasks), now.workflow.started_by)
  }

  const find = async (who: Caller, id: WorkflowId): Promise<Outcome<Loaded>> => {
    try {
      const stored = await load(id)
      return stored?.workflow.tenant === who.tenant ? ok(stored) : notFound()
    } catch (error) {
      if (error instanceof Edited) return edited(id)
      throw error
    }
  }
  /** One that goes on must be as it was written: a forged yes or result would be carried further. */
  const findIntact = async (who: Caller, id: WorkflowId): Promise<Outcome<Loaded>> => {
    const found = await find(who, id)
    return found.ok && !found.value.intact ? edited(id) : found
  }
  const view = async (who: Caller, id: WorkflowId): Promise<Outcome<WorkflowView>> => {
    const found = await find(who, id)
    return found.ok ? ok(viewOf(found.value)) : found
  }
  const undoing = (who: Caller, stored: Loaded): Promise<Undoing> =>
    undoingOf(stored, stored.graph, {
      hasEffects: task => options.hasEffects(who, task),
      wasBegun: run => options.wasBegun(run),
    })
  const restOf = async (id: WorkflowId) => {
    const now = () => underWay.get(id)?.done ?? aborts.get(id)
    for (let done = now(); done; done = now()) await done
  }
  const wake = async (id: WorkflowId) => {
    await restOf(id)
    await go(id)
  }

  const refOf = async (who: Caller, path: PathId): Promise<Outcome<PathRef>> => {
    const conversation = await options.locate(who, path)
    return conversation.ok ? ok({ tenant: who.tenant, conversation: conversation.value, path }) : conversation
  }

  /** The workflows of a conversation that are not over, each with the places of its tasks. */
  async function underWayIn({ tenant, conversation }: Pick<PathRef, 'tenant' | 'conversation'>) {
    const found = await store.begunIn(tenant, conversation)
    return Promise.all(
      found.map(async ({ workflow, tasks }) => {
        const runs = runsOf((await graphs.of({ workflow })) ?? noGraph, tasks)
        return { path: workflow.path, places: [sharedPath(workflow.id), ...runs.map(placeOfRun)] }
      }),
    )
  }

  async function begin(
    who: Caller,
    path: PathId,
    source: string,
    graph: Graph,
    kept: ReadonlyMap<string, TaskRow> = new Map(),
  ): Promise<Outcome<WorkflowView>> {
    const at = await refOf(who, path)
    if (!at.ok) return at
    const ref = at.value
    const faults = await foreseen(options.obstacles, { who, path: ref }, graph, new Set(kept.keys()))
    if (faults.length > 0) return fail('workflow.invalid', faultText(faults), 'Nothing was run.')
    const id = ids.make(WorkflowId)
    const { spec } = graph
    const base = await files.head(ref)
    const state = 'running' as const
    const row = {
      ...{ ...ref, id, name: spec.name, source, base, layers_done: 0 },
      ...{ state, started_by: who.user, created_at: clock.now() },
    }
    await storage.write(async t => {
      await store.create(t, row, graph, kept)
      await files.put(t, heldAt(row), contentsOf(base, kept))
    })
    graphs.keep(id, graph)
    const stored = await load(id)
    if (!stored) return notFound()
    void go(id)
    return ok(viewOf(stored))
  }

  /** What failed is to be tried again, what is over stays. */
  const anew: Prepare = async (stored, hold) => {
    const { workflow, tasks } = stored
    if (isOver(stored)) return over(workflow.state)
    await hold.change(async t => {
      for (const row of tasks.values()) {
        if (row.state !== 'failed') continue
        const again = { state: 'pending', attempt: 0, problem: null } as const
        await store.setTask(t, workflow, row.task, { ...nextRun(row, null), ...again })
      }
      await store.setWorkflow(t, workflow, { state: 'running', problem: null })
    })
    const now = await store.load(workflow.id)
    return now ? ok(now) : notFound()
  }

  /** Stops what runs of it, here or elsewhere, and drops what it staged. */
  async function end(who: Caller, id: WorkflowId): Promise<Outcome<WorkflowView>> {
    const found = await find(who, id)
    if (!found.ok) return found
    if (isOver(found.value)) return over(found.value.workflow.state)
    for (let drive = underWay.get(id); drive; drive = underWay.get(id)) {
      drive.stop.abort()
      await drive.done
    }
    await approved.stop(id)
    const now = await load(id)
    if (!now || now.workflow.state === 'completed') return over('completed')
    const { workflow, intact } = now
    const { dropped, lasting } = await undoing(who, now)
    await storage.write(async t => {
      await ownership.revoke(t, id)
      await files.drop(t, heldAt(workflow))
      if (intact) await store.abort(t, workflow)
      else await store.abandon(t, workflow)
      const details = { name: workflow.name, undone: dropped.slice(0, 100), cannotBeUndone: lasting }
      await store.record(t, workflow, 'workflow.aborted', details, who.user)
    })
    // With what was begun up to the moment of that.
    const left = (await load(id)) ?? now
    await runner.release(workflow, runsOf(left.graph, left.tasks), who.user)
    await publish(id)
    return view(who, id)
  }

  /** Looks again and again for those that nobody carries out: their process was killed, or its disk was full. */
  const lookForLeft = () =>
    void clock.after(lookEveryMs, async () => {
      if (closed) return
      try {
        for (const { id, state, owner } of await store.unfinished())
          if (state === 'running' && !refused.has(id) && !(await ownership.isElsewhere({ owner }))) await go(id)
      } catch (error) {
        onProblem(problemOf(error))
      }
      lookForLeft()
    })

  return {
    async faults(who, path, source) {
      const parsed = parseGraph(source)
      if ('faults' in parsed) return ok(parsed.faults)
      const ref = await refOf(who, path)
      return ref.ok ? ok(await foreseen(options.obstacles, { who, path: ref.value }, parsed.graph)) : ref
    },

    async start(who, path, source) {
      const parsed = parseGraph(source)
      if ('faults' in parsed) return fail('workflow.invalid', faultText(parsed.faults), 'Mend the graph and try again.')
      return begin(who, path, source, parsed.graph)
    },

    async again(who, id, task) {
      const found = await findIntact(who, id)
      if (!found.ok) return found
      const { workflow, tasks } = found.value
      const { graph } = found.value
      if (!tasks.has(task)) return noTask(task)
      if (workflow.state === 'running' || workflow.state === 'waiting')
        return fail('conflict', 'This workflow is not over yet.', 'Wait for it, or abort it first.')
      const rerun = fromHere(graph, task)
      const missing = [...rerun]
        .flatMap(name => graph.needs.get(name) ?? [])
        .find(name => !rerun.has(name) && tasks.get(name)?.state !== 'completed')
      if (missing)
        return fail('conflict', `${missing} comes before it and has not completed.`, `Run again from ${missing}.`)
      const kept = new Map([...tasks].filter(([name, row]) => !rerun.has(name) && row.state === 'completed'))
      for (const { task: name, changes } of kept.values()) {
        const lost = await lostOf(files, changes?.written ?? [])
        if (lost) return fail('files.missing', `${lost.path} of ${name} is no longer kept.`, `Run again from ${name}.`)
      }
      return begin(who, workflow.path, workflow.source, graph, kept)
    },

    get: view,

    async source(who, id) {
      const found = await find(who, id)
      return found.ok ? ok(found.value.workflow.source) : found
    },

    list: (who, path) => store.of(who.tenant, path),

    async resume(who, id) {
      const found = await findIntact(who, id)
      if (!found.ok) return found
      if (isOver(found.value)) return over(found.value.workflow.state)
      if (await ownership.isElsewhere(found.value.workflow)) return elsewhere
      await restOf(id)
      const begun = await go(id, anew)
      return begun.ok ? view(who, id) : begun
    },

    abort(who, id) {
      const before = aborts.get(id)
      const ended = Promise.resolve(before).then(() => end(who, id))
      const settled = ended.then(nothing, nothing).then(() => {
        if (aborts.get(id) === settled) aborts.delete(id)
      })
      // Known at once: whoever waits for its rest, or closes the application, waits for its end.
      aborts.set(id, settled)
      return ended
    },

    async aborting(who, id) {
      const found = await find(who, id)
      return found.ok ? ok(await undoing(who, found.value)) : found
    },

    async log(who, id, task) {
      const found = await find(who, id)
      if (!found.ok) return found
      const row = found.value.tasks.get(task)
      const spec = found.value.graph.spec.tasks[task]
      if (!row || !spec) return noTask(task)
      const runs = row.run ? runsOfAttempt(spec, row.run) : []
      return ok(await Promise.all(runs.map(run => options.logOf(who, run))))
    },

    async decide(reviewer, id, task, decision) {
      const answering = await options.answering(reviewer)
      if (!answering.ok) return answering
      const who = answering.value
      const found = await findIntact(who, id)
      if (!found.ok) return found
      if (await ownership.isElsewhere(found.value.workflow)) return elsewhere
      await restOf(id)
      const decided = await decideTask(
        { store, storage, clock },
        who,
        await store.load(id),
        found.value.graph,
        task,
        decision,
      )
      if (!decided.ok) return decided
      await wake(id)
      return view(who, id)
    },

    async resuming(request, carryOn) {
      const id = await store.ofRun(request.tenant, request.run)
      const stored = id && (await load(id))
      if (!stored) return carryOn()
      const { workflow, graph } = stored
      // An answer that comes during an abort, or after it.
      if (isOver(stored) || aborts.has(workflow.id)) return over(isOver(stored) ? workflow.state : 'aborted')
      if (!stored.intact) return edited(workflow.id)
      return approved.carryOn(workflow.id, async signal => {
        const row = [...stored.tasks.values()].find(({ run }) => run === request.run)
        if (!row || sharedPath(workflow.id) !== request.path) return carryOn(signal)
        const attempts = attemptsAt(graph, stored, row.task, filesNow(graph, stored), signal)
        return attempts.ok ? runner.resuming(attempts.value(request.run, request.id), () => carryOn(signal)) : attempts
      })
    },

    approved: run => approved.add(run),

    runEnded(run) {
      approved.ended(run)
      void (async () => {
        for (const id of await store.waitingFor(run)) await wake(id)
      })().catch(error => onProblem(problemOf(error)))
    },

    async recover() {
      const left = await store.unfinished()
      for (const { id } of left) await wake(id)
      lookForLeft()
      return left.length
    },

    async behind(ref) {
      const found = (await underWayIn(ref)).find(({ places }) => places.includes(ref.path))
      return found ? { ...ref, path: found.path } : null
    },

    async places(ref) {
      const found = (await underWayIn(ref)).filter(({ path }) => path === ref.path)
      return found.flatMap(({ places }) => places.map(path => ({ ...ref, path })))
    },

    rest: restOf,

    async close() {
      closed = true
      for (const { stop } of underWay.values()) stop.abort()
      await Promise.all([...[...underWay.values()].map(({ done }) => done), ...aborts.values()])
      await notices.close()
    },
  }
}

type Prepare = (stored: Stored, hold: Hold) => Promise<Outcome<Stored>>

const lookEveryMs = 30_000
const nothing = () => undefined

const goesOn = ({ workflow: { state } }: Stored) => state === 'running' || state === 'waiting'
const isOver = ({ workflow: { state } }: Stored) => state === 'completed' || state === 'aborted'
const edited = (id: WorkflowId): Outcome<never> => ({ ok: false, problem: new Edited(id).problem })
const faultText = (faults: readonly GraphFault[]) =>
  faults.map(({ message, line }) => (line === null ? message : `Line ${line}: ${message}`)).join('\n')

const noTask = (task: string) => fail('not-found', `There is no task ${task}.`, 'Look at the graph.')
const notFound = () => fail('not-found', 'There is no such workflow.', 'Open the list of workflows.')
const elsewhere = fail(
  'conflict',
  'Another window or terminal of Countersign is carrying this workflow out.',
  'Wait until it has come to rest there.',
)
const over = (state: string) => fail('workflow.over', `This workflow is ${state}.`, 'Start it again to run it anew.')
