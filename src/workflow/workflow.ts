import type { z } from 'zod'
import type { Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { ConversationId, PathId, RunId } from '../contract/ids.ts'
import { WorkflowId } from '../contract/ids.ts'
import type { WantedPlace } from '../contract/placement.ts'
import { fail, type Outcome, ok, type Problem, problemOf } from '../contract/problem.ts'
import type { GraphFault, LoggedRun, TaskLog, ToolTask, Undoing, WorkflowView } from '../contract/workflow.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { PathFiles } from '../files/files.ts'
import type { Ids } from '../ids.ts'
import type { Storage } from '../storage/storage.ts'
import { type Decision, decideTask } from './deciding.ts'
import { drive, type ExecutionParts, nextRun, runsOf, stagingOf } from './execution.ts'
import { fromHere, type Graph, parseGraph } from './graph.ts'
import { Graphs } from './graphs.ts'
import { Notices } from './notices.ts'
import { type Owner, type Stored, type TaskRow, WorkflowStore } from './store.ts'
import { runsOfAttempt, type TaskRunner } from './task.ts'
import { undoingOf } from './undoing.ts'
import { viewOf } from './view.ts'

export type { Decision } from './deciding.ts'
export { type CellUse, graphFromCells } from './from-cells.ts'
export { parseGraph } from './graph.ts'
export { createRunner, type RunStanding } from './runner.ts'
export type { Attempt, TaskEnd } from './task.ts'

/** Task graphs that survive a crash. The path's files change when the whole graph has completed, or not at all. */
export interface Workflows {
  /** Starts a graph on a path and answers at once; windows hear of the rest by events. */
  start(who: Caller, path: PathId, source: string): Promise<Outcome<WorkflowView>>
  get(who: Caller, id: WorkflowId): Promise<Outcome<WorkflowView>>
  /** The graph as its author wrote it. */
  source(who: Caller, id: WorkflowId): Promise<Outcome<string>>
  list(who: Caller, path: PathId | null): Promise<WorkflowView[]>
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
  /** Answers a task that waits for a person. */
  decide(who: Caller, id: WorkflowId, task: string, decision: Decision): Promise<Outcome<WorkflowView>>
  /** A run has come to its end: goes on with the workflow that waited for it. */
  runEnded(run: RunId): void
  /** Takes on what an application that was killed left unfinished; call it once at the start. */
  recover(): Promise<number>
  /** Resolves when a workflow has come to rest: completed, failed, aborted or waiting. */
  rest(id: WorkflowId): Promise<void>
  close(): Promise<void>
}

export interface WorkflowsOptions {
  readonly storage: Storage
  readonly audit: Recorder
  readonly files: PathFiles
  readonly runner: TaskRunner
  /** Whether a tool may have changed something elsewhere. */
  readonly hasEffects: (who: Caller, task: z.infer<typeof ToolTask>) => Promise<boolean>
  /** Whether the code of a run was handed over, by the record. */
  readonly wasBegun: (run: RunId) => Promise<boolean>
  readonly logOf: (who: Caller, run: RunId) => Promise<LoggedRun>
  /** Why nothing on this machine is what a task wants of its sandbox; null where something is. */
  readonly unplaceable: (path: PathRef, wanted: readonly WantedPlace[]) => Promise<(Problem | null)[]>
  readonly locate: (who: Caller, path: PathId) => Promise<Outcome<ConversationId>>
  readonly clock: Clock
  readonly ids: Ids
  /** This process among those that share the database. */
  readonly owner: Owner
  readonly changed: (view: WorkflowView, who: Pick<Caller, 'tenant'>) => void
  readonly onProblem: (problem: Problem) => void
  readonly committed: ExecutionParts['committed']
  readonly atOnce?: number
}

export function createWorkflows(options: WorkflowsOptions): Workflows {
  const { storage, files, runner, clock, ids, onProblem } = options
  const store = new WorkflowStore(storage, options.audit, clock, options.owner)
  const underWay = new Map<WorkflowId, { readonly stop: AbortController; readonly done: Promise<void> }>()
  const graphs = new Graphs()
  let closed = false

  const publish = async (id: WorkflowId) => {
    const stored = await store.load(id)
    if (stored) options.changed(viewOf(stored, graphs.of(stored)), stored.workflow)
  }
  const notices = new Notices<WorkflowId>(clock, id => publish(id).catch(error => onProblem(problemOf(error))))
  const parts: ExecutionParts = {
    ...{ store, files, runner, clock, ids, atOnce: options.atOnce ?? 4, committed: options.committed },
    changed: id => notices.changed(id),
  }

  const go = (stored: Stored): void => {
    const { id } = stored.workflow
    if (closed || underWay.has(id)) return
    const stop = new AbortController()
    const done = drive(parts, graphs.of(stored), stored, stop.signal)
      .catch(error => onProblem(problemOf(error)))
      .finally(() => underWay.delete(id))
    underWay.set(id, { stop, done })
  }

  const find = async (who: Caller, id: WorkflowId): Promise<Outcome<Stored>> => {
    const stored = await store.load(id)
    return stored?.workflow.tenant === who.tenant ? ok(stored) : notFound()
  }
  const view = async (who: Caller, id: WorkflowId): Promise<Outcome<WorkflowView>> => {
    const found = await find(who, id)
    return found.ok ? ok(viewOf(found.value, graphs.of(found.value))) : found
  }
  const undoing = (who: Caller, stored: Stored): Promise<Undoing> =>
    undoingOf(stored, graphs.of(stored), {
      hasEffects: task => options.hasEffects(who, task),
      wasBegun: run => options.wasBegun(run),
    })
  const restOf = async (id: WorkflowId) => {
    for (let now = underWay.get(id); now; now = underWay.get(id)) await now.done
  }
  const wake = async (id: WorkflowId) => {
    await restOf(id)
    const stored = await store.load(id)
    if (stored && ['running', 'waiting'].includes(stored.workflow.state)) go(stored)
  }

  /** A task whose placement cannot be had would fail halfway: it is told before anything has run. */
  async function misplaced(path: PathRef, { placements }: Graph): Promise<GraphFault[]> {
    if (placements.size === 0) return []
    const all = [...placements]
    const reasons = await options.unplaceable(
      path,
      all.map(([, { wanted }]) => wanted),
    )
    return all.flatMap(([name, { line }], at) => {
      const why = reasons[at]
      return why ? [{ message: `${name}: ${why.message} ${why.hint}`, line }] : []
    })
  }

  async function begin(
    who: Caller,
    path: PathId,
    source: string,
    graph: Graph,
    kept?: ReadonlyMap<string, TaskRow>,
  ): Promise<Outcome<WorkflowView>> {
    const conversation = await options.locate(who, path)
    if (!conversation.ok) return conversation
    const ref = { tenant: who.tenant, conversation: conversation.value, path }
    const faults = await misplaced(ref, graph)
    if (faults.length > 0)
      return fail('workflow.invalid', faultText(faults), 'Ask for another placement, or add what is missing.')
    const id = ids.make(WorkflowId)
    const { spec } = graph
    const base = await files.head(ref)
    await store.create(
      {
        ...{ id, tenant: who.tenant, conversation: conversation.value, path, name: spec.name, source, base },
        ...{ state: 'running', layers_done: 0, started_by: who.user, created_at: clock.now() },
      },
      Object.keys(spec.tasks),
      kept,
    )
    graphs.keep(id, source, graph)
    const stored = await store.load(id)
    if (!stored) return notFound()
    go(stored)
    return ok(viewOf(stored, graph))
  }

  return {
    async start(who, path, source) {
      const parsed = parseGraph(source)
      if ('faults' in parsed) return fail('workflow.invalid', faultText(parsed.faults), 'Mend the graph and try again.')
      return begin(who, path, source, parsed.graph)
    },

    async again(who, id, task) {
      const found = await find(who, id)
      if (!found.ok) return found
      const { workflow, tasks } = found.value
      const graph = graphs.of(found.value)
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
      return begin(who, workflow.path, workflow.source, graph, kept)
    },

    get: view,

    async source(who, id) {
      const found = await find(who, id)
      return found.ok ? ok(found.value.workflow.source) : found
    },

    async list(who, path) {
      const found = await Promise.all((await store.of(who.tenant, path)).map(id => view(who, id)))
      return found.flatMap(each => (each.ok ? [each.value] : []))
    },

    async resume(who, id) {
      const found = await find(who, id)
      if (!found.ok) return found
      const { workflow, tasks } = found.value
      if (workflow.state === 'completed' || workflow.state === 'aborted') return over(workflow.state)
      if (store.isElsewhere(workflow)) return elsewhere
      await restOf(id)
      await storage.write(async t => {
        for (const row of tasks.values()) {
          if (row.state !== 'failed') continue
          await store.setTask(t, workflow, row.task, {
            ...nextRun(row, null),
            ...{ state: 'pending', attempt: 0, problem: null },
          })
        }
        await store.setWorkflow(t, workflow, { state: 'running', problem: null })
      })
      await wake(id)
      return view(who, id)
    },

    async abort(who, id) {
      const found = await find(who, id)
      if (!found.ok) return found
      if (['completed', 'aborted'].includes(found.value.workflow.state)) return over(found.value.workflow.state)
      underWay.get(id)?.stop.abort()
      await restOf(id)
      const now = await store.load(id)
      if (!now || now.workflow.state === 'completed') return over('completed')
      const { workflow, tasks } = now
      const { dropped, lasting } = await undoing(who, now)
      await storage.write(async t => {
        // Whoever else drives it is fenced off by the new epoch.
        await t
          .updateTable('workflows')
          .set({ epoch: workflow.epoch + 1 })
          .where('id', '=', id)
          .execute()
        for (const row of tasks.values()) {
          if (row.state === 'completed' || row.state === 'failed') continue
          await store.setTask(t, workflow, row.task, { state: 'skipped', finished_at: clock.now() })
        }
        await files.drop(t, stagingOf(workflow))
        await store.setWorkflow(t, workflow, { state: 'aborted', finished_at: clock.now() })
        const details = { name: workflow.name, undone: dropped.slice(0, 100), cannotBeUndone: lasting }
        await store.record(t, workflow, 'workflow.aborted', details, who.user)
      })
      await runner.release(workflow, runsOf(graphs.of(now), tasks), who.user)
      await publish(id)
      return view(who, id)
    },

    async aborting(who, id) {
      const found = await find(who, id)
      return found.ok ? ok(await undoing(who, found.value)) : found
    },

    async log(who, id, task) {
      const found = await find(who, id)
      if (!found.ok) return found
      const row = found.value.tasks.get(task)
      const spec = graphs.of(found.value).spec.tasks[task]
      if (!row || !spec) return noTask(task)
      const runs = row.run ? runsOfAttempt(spec, row.run) : []
      return ok(await Promise.all(runs.map(run => options.logOf(who, run))))
    },

    async decide(who, id, task, decision) {
      const found = await find(who, id)
      if (!found.ok) return found
      if (store.isElsewhere(found.value.workflow)) return elsewhere
      await restOf(id)
      const decided = await decideTask(
        { store, storage, clock },
        who,
        await store.load(id),
        graphs.of(found.value),
        task,
        decision,
      )
      if (!decided.ok) return decided
      await wake(id)
      return view(who, id)
    },

    runEnded(run) {
      void (async () => {
        for (const id of await store.waitingFor(run)) await wake(id)
      })().catch(error => onProblem(problemOf(error)))
    },

    async recover() {
      const left = await store.unfinished()
      for (const id of left) await wake(id)
      return left.length
    },

    rest: restOf,

    async close() {
      closed = true
      for (const { stop } of underWay.values()) stop.abort()
      await Promise.all([...underWay.values()].map(({ done }) => done))
      await notices.close()
    },
  }
}

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
