import type { z } from 'zod'
import type { Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { ConversationId, PathId, RunId } from '../contract/ids.ts'
import { WorkflowId } from '../contract/ids.ts'
import { fail, type Outcome, ok, type Problem, problemOf } from '../contract/problem.ts'
import type { GraphFault, ToolTask, WorkflowView } from '../contract/workflow.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { PathFiles } from '../files/files.ts'
import type { Ids } from '../ids.ts'
import type { Storage } from '../storage/storage.ts'
import { type Decision, decideTask } from './deciding.ts'
import { drive, type ExecutionParts, runsOf, stagingOf } from './execution.ts'
import { fromHere, type Graph, parseGraph } from './graph.ts'
import { type Stored, type TaskRow, WorkflowStore } from './store.ts'
import type { TaskRunner } from './task.ts'
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
  readonly locate: (who: Caller, path: PathId) => Promise<Outcome<ConversationId>>
  readonly clock: Clock
  readonly ids: Ids
  readonly changed: (view: WorkflowView, who: Pick<Caller, 'tenant'>) => void
  readonly onProblem: (problem: Problem) => void
  readonly committed: ExecutionParts['committed']
  readonly atOnce?: number
}

export function createWorkflows(options: WorkflowsOptions): Workflows {
  const { storage, files, runner, clock, ids, onProblem } = options
  const store = new WorkflowStore(storage, options.audit, clock)
  const underWay = new Map<WorkflowId, { readonly stop: AbortController; readonly done: Promise<void> }>()
  let closed = false

  const publish = async (id: WorkflowId) => {
    const stored = await store.load(id)
    if (stored) options.changed(viewOf(stored, graphOf(stored)), stored.workflow)
  }
  const parts: ExecutionParts = {
    ...{ store, files, runner, clock, ids, atOnce: options.atOnce ?? 4, committed: options.committed },
    changed: id => void publish(id).catch(error => onProblem(problemOf(error))),
  }

  const go = (stored: Stored): void => {
    const { id } = stored.workflow
    if (closed || underWay.has(id)) return
    const stop = new AbortController()
    const done = drive(parts, graphOf(stored), stored, stop.signal)
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
    return found.ok ? ok(viewOf(found.value, graphOf(found.value))) : found
  }
  const restOf = async (id: WorkflowId) => {
    for (let now = underWay.get(id); now; now = underWay.get(id)) await now.done
  }
  const wake = async (id: WorkflowId) => {
    await restOf(id)
    const stored = await store.load(id)
    if (stored && ['running', 'waiting'].includes(stored.workflow.state)) go(stored)
  }

  async function begin(
    who: Caller,
    path: PathId,
    source: string,
    { spec }: Graph,
    kept?: ReadonlyMap<string, TaskRow>,
  ): Promise<Outcome<WorkflowView>> {
    const conversation = await options.locate(who, path)
    if (!conversation.ok) return conversation
    const id = ids.make(WorkflowId)
    const base = await files.head({ tenant: who.tenant, conversation: conversation.value, path })
    await store.create(
      {
        ...{ id, tenant: who.tenant, conversation: conversation.value, path, name: spec.name, source, base },
        ...{ state: 'running', layers_done: 0, started_by: who.user, created_at: clock.now() },
      },
      Object.keys(spec.tasks),
      kept,
    )
    const stored = await store.load(id)
    if (stored) go(stored)
    return view(who, id)
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
      const graph = graphOf(found.value)
      if (!tasks.has(task)) return fail('not-found', `There is no task ${task}.`, 'Look at the graph.')
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
      await restOf(id)
      await storage.write(async t => {
        for (const row of tasks.values()) {
          if (row.state !== 'failed') continue
          await store.setTask(t, workflow, row.task, { state: 'pending', attempt: 0, run: null, problem: null })
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
      const undone = [...tasks.values()].flatMap(({ changes }) => changes?.written.map(({ path }) => path) ?? [])
      const lasting = await lastingEffects(now, task => options.hasEffects(who, task))
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
        const details = { name: workflow.name, undone: undone.slice(0, 100), cannotBeUndone: lasting }
        await store.record(t, workflow, 'workflow.aborted', details, who.user)
      })
      await runner.release(workflow, runsOf(tasks), who.user)
      await publish(id)
      return view(who, id)
    },

    async decide(who, id, task, decision) {
      const found = await find(who, id)
      if (!found.ok) return found
      await restOf(id)
      const decided = await decideTask(
        { store, storage, clock },
        who,
        await store.load(id),
        graphOf(found.value),
        task,
        decision,
      )
      if (!decided.ok) return decided
      await wake(id)
      return view(who, id)
    },

    runEnded(run) {
      void (async () => {
        for (const id of await store.unfinished()) {
          const stored = await store.load(id)
          if ([...(stored?.tasks.values() ?? [])].some(row => row.run === run && row.state === 'waiting'))
            await wake(id)
        }
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
    },
  }
}

/** A row that was edited into something that is no graph any more is refused, not guessed at. */
function graphOf({ workflow }: Stored): Graph {
  const parsed = parseGraph(workflow.source)
  if ('faults' in parsed) throw new Error(`the graph of workflow ${workflow.id} cannot be read any more`)
  return parsed.graph
}

/** Tools that acted outside of this machine; a roll-back names them. */
async function lastingEffects(
  stored: Stored,
  hasEffects: (task: z.infer<typeof ToolTask>) => Promise<boolean>,
): Promise<string[]> {
  const { spec } = graphOf(stored)
  const lasting: string[] = []
  for (const { task: name, state, problem } of stored.tasks.values()) {
    const task = spec.tasks[name]
    const mayHave = state === 'completed' || problem?.code === 'workflow.uncertain'
    if (task?.type === 'mcp_tool' && mayHave && (await hasEffects(task))) lasting.push(name)
  }
  return lasting
}

const faultText = (faults: readonly GraphFault[]) =>
  faults.map(({ message, line }) => (line === null ? message : `Line ${line}: ${message}`)).join('\n')

const notFound = () => fail('not-found', 'There is no such workflow.', 'Open the list of workflows.')
const over = (state: string) => fail('workflow.over', `This workflow is ${state}.`, 'Start it again to run it anew.')
