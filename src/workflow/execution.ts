import type { Clock } from '../clock.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Manifest } from '../contract/files.ts'
import { PathId, RunId } from '../contract/ids.ts'
import { type Problem, problem, problemOf } from '../contract/problem.ts'
import type { TaskState } from '../contract/workflow.ts'
import { type ManifestChanges, manifestChanges, type PathFiles, withChanges } from '../files/files.ts'
import type { Ids } from '../ids.ts'
import type { Graph } from './graph.ts'
import {
  type Stored,
  Superseded,
  type TaskChange,
  type TaskRow,
  type WorkflowRow,
  type WorkflowStore,
} from './store.ts'
import {
  type Attempt,
  type Changes,
  checkOutputs,
  inputsFor,
  joinChanges,
  runsOfAttempt,
  type TaskEnd,
  type TaskRunner,
  type Values,
} from './task.ts'

export interface ExecutionParts {
  readonly store: WorkflowStore
  readonly files: PathFiles
  readonly runner: TaskRunner
  readonly clock: Clock
  readonly ids: Ids
  /** Tasks of one layer that run at the same time. */
  readonly atOnce: number
  readonly changed: (workflow: WorkflowRow['id']) => void
  /** Told when the path has new files, for the sandbox that it may have open. */
  readonly committed: (path: PathRef, changes: ManifestChanges) => Promise<void>
}

/** Where a workflow keeps the files of the layers that are over, until it is completed or aborted. */
export const stagingOf = ({
  tenant,
  conversation,
  id,
}: Pick<WorkflowRow, 'tenant' | 'conversation' | 'id'>): PathRef => ({
  tenant,
  conversation,
  path: PathId.parse(id),
})

/**
 * Drives a workflow from its last checkpoint until it completes, fails or waits for a person. It holds nothing that the
 * store does not have: killed at any moment, another drive goes on from the store alone.
 */
export async function drive(parts: ExecutionParts, graph: Graph, stored: Stored, stopped: AbortSignal): Promise<void> {
  const { store, files } = parts
  const { workflow } = stored
  const tasks = new Map(stored.tasks)
  const epoch = await store.take(workflow.id)
  // A task may run for minutes before it writes: an abort elsewhere must not wait for that.
  const lost = new AbortController()
  const signal = AbortSignal.any([stopped, lost.signal])
  const unwatch = watch(
    parts.clock,
    () => store.isHeld(workflow, epoch),
    () => lost.abort(),
  )
  const write = <T>(work: Parameters<typeof store.change<T>>[2]) => store.change(workflow, epoch, work)

  const setTask = async (name: string, change: TaskChange) => {
    await write(t => store.setTask(t, workflow, name, change))
    tasks.set(name, { ...(tasks.get(name) as TaskRow), ...change })
    parts.changed(workflow.id)
  }
  const stop = async (why: Problem) => {
    const details = { name: workflow.name, code: why.code, message: why.message }
    await write(async t => {
      await store.setWorkflow(t, workflow, { state: 'failed', problem: why })
      await store.record(t, workflow, 'workflow.failed', details, null)
    })
    parts.changed(workflow.id)
  }

  try {
    if (workflow.state !== 'running')
      await write(t => store.setWorkflow(t, workflow, { state: 'running', problem: null }))
    let base = workflow.layers_done === 0 ? workflow.base : await files.head(stagingOf(workflow))
    for (let at = workflow.layers_done; at < graph.layers.length; at++) {
      const layer = graph.layers[at] as readonly string[]
      const given = base
      await inParallel(layer, parts.atOnce, name =>
        carryOut(parts, graph, workflow, tasks, name, given, setTask, signal),
      )
      if (signal.aborted) return
      const failed = layer.map(name => tasks.get(name)).find(row => row?.state === 'failed')
      if (failed) return await stop(failed.problem ?? internal(`${failed.task} failed without a reason`))
      if (layer.some(name => tasks.get(name)?.state === 'waiting')) {
        await write(t => store.setWorkflow(t, workflow, { state: 'waiting' }))
        return parts.changed(workflow.id)
      }
      const joined = joinChanges(new Map(layer.map(name => [name, changesOf(tasks.get(name))])))
      if (!joined.ok) return await stop(joined.problem)
      const staged = withChanges(base, joined.value)
      await write(async t => {
        await files.put(t, stagingOf(workflow), staged)
        await store.setWorkflow(t, workflow, { layers_done: at + 1 })
        await store.record(t, workflow, 'workflow.checkpoint', { layer: at, tasks: [...layer] }, null)
      })
      base = staged
      parts.changed(workflow.id)
    }
    const changes = manifestChanges(workflow.base, base)
    const clash = await conflictWith(files, workflow, changes)
    if (clash) return await stop(clash)
    const now = parts.clock.now()
    await write(async t => {
      await files.commit(t, workflow, changes)
      await files.drop(t, stagingOf(workflow))
      await store.setWorkflow(t, workflow, { state: 'completed', finished_at: now })
      const details = { name: workflow.name, written: changes.written.length, removed: changes.removed.length }
      await store.record(t, workflow, 'workflow.completed', details, null)
    })
    parts.changed(workflow.id)
    await parts.committed(workflow, changes)
    await parts.runner.release(workflow, runsOf(graph, tasks), null)
  } catch (error) {
    // Another process has it now; what this one still held must not be written.
    if (error instanceof Superseded) return
    throw error
  } finally {
    unwatch()
  }
}

const lookEveryMs = 1000

/** Looks again and again whether a workflow is still held, until it is not or nobody wants to know. */
function watch(clock: Clock, isHeld: () => Promise<boolean>, onLost: () => void): () => void {
  let cancel: () => void
  let isOver = false
  const look = async () => {
    // A database that does not answer now is asked again; what is written meanwhile is fenced in any case.
    const held = await isHeld().catch(() => true)
    if (isOver) return
    if (held) next()
    else onLost()
  }
  const next = () => {
    cancel = clock.after(lookEveryMs, () => void look())
  }
  next()
  return () => {
    isOver = true
    cancel()
  }
}

/** One task until it completes, waits or has no attempt left. A task that is over already is left as it is. */
async function carryOut(
  parts: ExecutionParts,
  graph: Graph,
  workflow: WorkflowRow,
  tasks: ReadonlyMap<string, TaskRow>,
  name: string,
  base: Manifest,
  setTask: (name: string, change: TaskChange) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { runner, clock, ids } = parts
  const task = graph.spec.tasks[name]
  const row = tasks.get(name)
  // A person's no among them: carried out again, it would be asked again until somebody says yes.
  if (!task || !row || row.state === 'completed' || row.state === 'failed') return
  if (row.state === 'waiting' && row.request === null) return // for a person, who answers by `decide`
  const inputs = inputsFor(task, other => (tasks.get(other)?.outputs as Values | null | undefined) ?? null)
  if (!inputs.ok) return setTask(name, ended('failed', clock, { problem: inputs.problem }))
  const { tenant, conversation, path, started_by: user, id } = workflow
  const attempt = (run: RunId, request: Attempt['request']): Attempt => ({
    ...{ workflow: id, tenant, conversation, path, user, name, task },
    ...{ inputs: inputs.value, placement: graph.placements.get(name)?.wanted },
    ...{ files: base, run, request, signal },
  })

  // A run that this process did not see through may have ended all the same: the record knows.
  let end = row.run && row.state !== 'pending' ? await runner.recall(attempt(row.run, row.request)) : null
  let number = end ? row.attempt : row.state === 'pending' ? 0 : Math.max(0, row.attempt - 1)
  for (;;) {
    if (!end) {
      const run = ids.make(RunId)
      number++
      await setTask(name, {
        state: 'running',
        attempt: number,
        ...nextRun(tasks.get(name) ?? row, run),
        request: null,
        problem: null,
        started_at: clock.now(),
      })
      end = await runner
        .perform(attempt(run, null))
        .catch((error): TaskEnd => ({ type: 'failed', problem: problemOf(error), final: false }))
    }
    if (signal.aborted) return
    if (end.type === 'waiting')
      return setTask(name, {
        state: 'waiting',
        request: end.request,
        outputs: (end.outputs as TaskRow['outputs']) ?? null,
      })
    if (end.type === 'completed') {
      const outputs = checkOutputs(task, end.outputs)
      if (outputs.ok)
        return setTask(
          name,
          ended('completed', clock, { outputs: outputs.value as TaskRow['outputs'], changes: end.changes }),
        )
      end = { type: 'failed', problem: outputs.problem, final: true }
    }
    if (end.final || number >= task.retry.attempts)
      return setTask(name, ended('failed', clock, { problem: end.problem }))
    await pause(clock, task.retry.delaySeconds * 1000, signal)
    end = null
  }
}

/** A file that the workflow changes and that somebody changed beside it meanwhile. */
async function conflictWith(files: PathFiles, workflow: WorkflowRow, ours: ManifestChanges): Promise<Problem | null> {
  const theirs = manifestChanges(workflow.base, await files.head(workflow))
  const touched = new Set([...ours.written.map(({ path }) => path), ...ours.removed])
  const both = [...theirs.written.map(({ path }) => path), ...theirs.removed].find(path => touched.has(path))
  return both
    ? problem(
        'workflow.conflict',
        `${both} was changed on the path while the workflow ran; nothing of the workflow was kept.`,
        'Run the workflow again: it starts from the files as they are now.',
      )
    : null
}

/** Another run in the place of the one that a task had, which is not forgotten. */
export const nextRun = ({ run, earlier }: Pick<TaskRow, 'run' | 'earlier'>, next: RunId | null) => ({
  run: next,
  earlier: run ? [...earlier, run] : earlier,
})

/** Of every attempt at every task. */
export const runsOf = ({ spec }: Graph, tasks: ReadonlyMap<string, TaskRow>): RunId[] =>
  [...tasks.values()].flatMap(({ task: name, run, earlier }) => {
    const task = spec.tasks[name]
    return task ? [...earlier, ...(run ? [run] : [])].flatMap(each => runsOfAttempt(task, each)) : []
  })

const changesOf = (row: TaskRow | undefined): Changes => row?.changes ?? { written: [], removed: [] }
const internal = (message: string) => problem('internal.bug', message, 'The log has the details.')
const ended = (state: TaskState, clock: Clock, more: TaskChange): TaskChange => ({
  state,
  finished_at: clock.now(),
  ...more,
})

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted || ms === 0) return resolve()
    const done = () => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal.addEventListener('abort', done, { once: true })
  })
}

async function inParallel(
  names: readonly string[],
  atOnce: number,
  work: (name: string) => Promise<void>,
): Promise<void> {
  const waiting = [...names]
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, names.length) }, lane))
}
