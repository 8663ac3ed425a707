import type { Clock } from '../clock.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Manifest } from '../contract/files.ts'
import { RunId } from '../contract/ids.ts'
import { type Outcome, ok, type Problem, problem, problemOf } from '../contract/problem.ts'
import type { Task, TaskState } from '../contract/workflow.ts'
import { type ManifestChanges, manifestChanges, type PathFiles, withChanges } from '../files/files.ts'
import type { Ids } from '../ids.ts'
import { sharedBefore } from './before.ts'
import type { Busy } from './busy.ts'
import type { Graph } from './graph.ts'
import { contentsOf, heldAt } from './holding.ts'
import { type Hold, Superseded } from './owning.ts'
import { Edited, type Stored, type TaskChange, type TaskRow, type WorkflowRow, type WorkflowStore } from './store.ts'
import {
  type Attempt,
  type Changes,
  checkOutputs,
  inputsFor,
  isWithoutRoom,
  joinChanges,
  resultsIn,
  runsOfAttempt,
  type TaskEnd,
  type TaskRunner,
} from './task.ts'

export interface ExecutionParts {
  readonly store: WorkflowStore
  readonly files: PathFiles
  readonly runner: TaskRunner
  readonly clock: Clock
  readonly ids: Ids
  /** Tasks of one layer that run at the same time. */
  readonly atOnce: number
  /** The tasks under way here, of all workflows. */
  readonly busy: Busy
  /** Whether a reviewer has approved a run that has not ended yet. */
  readonly goesOn: (run: RunId) => boolean
  readonly changed: (workflow: WorkflowRow['id']) => void
  /** How long a checkpoint took to be saved. */
  readonly saved: (ms: number) => void
  /** Told when the path has new files, for the sandbox that it may have open. */
  readonly committed: (path: PathRef, changes: ManifestChanges) => Promise<void>
}

/**
 * Drives a workflow from its last checkpoint until it completes, fails or waits for a person. It holds nothing that the
 * store does not have: killed at any moment, another drive goes on from the store alone.
 */
export async function drive(
  parts: ExecutionParts,
  graph: Graph,
  { workflow, tasks: rows }: Stored,
  hold: Hold,
  stopped: AbortSignal,
): Promise<void> {
  const { store, files } = parts
  const tasks = new Map(rows)
  // A task may run for minutes before it writes: an abort elsewhere must not wait for that.
  const lost = new AbortController()
  const signal = AbortSignal.any([stopped, lost.signal])
  const unwatch = watch(
    parts.clock,
    () => hold.isHeld(),
    () => lost.abort(),
  )
  const write: Hold['change'] = work => hold.change(work)

  const setTask = async (name: string, change: TaskChange) => {
    await write(t => store.setTask(t, workflow, name, change))
    tasks.set(name, { ...(tasks.get(name) as TaskRow), ...change })
    parts.changed(workflow.id)
  }
  // Tasks are run again for their variables in the order in which they ended, whatever the clock of the machine does.
  let lastEnd = Math.max(0, ...[...rows.values()].map(({ finished_at }) => finished_at ?? 0))
  const timeOfEnd = (begun: number | null) => (lastEnd = Math.max(lastEnd + 1, parts.clock.now(), begun ?? 0))
  const stop = async (why: Problem): Promise<null> => {
    const details = { name: workflow.name, code: why.code, message: why.message }
    await write(async t => {
      await files.put(t, heldAt(workflow), contentsOf(workflow.base, tasks))
      await store.setWorkflow(t, workflow, { state: 'failed', problem: why })
      await store.record(t, workflow, 'workflow.failed', details, null)
    })
    parts.changed(workflow.id)
    return null
  }

  /** Layer by layer; answers what it changed when all are done, and null when it came to rest before that. */
  const through = async (): Promise<ManifestChanges | null> => {
    if (workflow.state !== 'running')
      await write(t => store.setWorkflow(t, workflow, { state: 'running', problem: null }))
    let base = filesNow(graph, { workflow, tasks })
    for (let at = workflow.layers_done; at < graph.layers.length; at++) {
      const layer = graph.layers[at] as readonly string[]
      const given = base
      const work = (name: string) =>
        carryOut(parts, graph, { workflow, tasks }, name, given, { setTask, timeOfEnd, signal })
      await inParallel(layer, parts.atOnce, work, () => lost.abort())
      if (signal.aborted) return null
      const failed = layer.map(name => tasks.get(name)).find(row => row?.state === 'failed')
      if (failed) return stop(failed.problem ?? internal(`${failed.task} failed without a reason`))
      if (layer.some(name => tasks.get(name)?.state === 'waiting')) {
        await write(async t => {
          await files.put(t, heldAt(workflow), contentsOf(workflow.base, tasks))
          await store.setWorkflow(t, workflow, { state: 'waiting' })
        })
        parts.changed(workflow.id)
        return null
      }
      const joined = joinChanges(new Map(layer.map(name => [name, changesOf(tasks.get(name))])))
      if (!joined.ok) return stop(joined.problem)
      const before = parts.clock.now()
      await write(async t => {
        await files.put(t, heldAt(workflow), contentsOf(workflow.base, tasks))
        await store.setWorkflow(t, workflow, { layers_done: at + 1 })
        await store.record(t, workflow, 'workflow.checkpoint', { layer: at, tasks: [...layer] }, null)
      })
      parts.saved(parts.clock.now() - before)
      base = withChanges(base, joined.value)
      parts.changed(workflow.id)
    }
    const changes = manifestChanges(workflow.base, base)
    const clash = await write(async t => {
      // Read in the transaction that changes them: nobody comes between.
      const found = conflictOf(workflow.base, await files.head(workflow, t), changes)
      if (found) return found
      await files.commit(t, workflow, changes)
      await files.drop(t, heldAt(workflow))
      await store.setWorkflow(t, workflow, { state: 'completed', finished_at: timeOfEnd(workflow.created_at) })
      const details = { name: workflow.name, written: changes.written.length, removed: changes.removed.length }
      await store.record(t, workflow, 'workflow.completed', details, null)
      return null
    })
    if (clash) return stop(clash)
    parts.changed(workflow.id)
    return changes
  }

  let changes: ManifestChanges | null
  try {
    changes = await through()
  } catch (error) {
    // Another process has it now; what this one still held must not be written.
    if (error instanceof Superseded) return
    // A full disk among them. Where even this cannot be written, it is taken on again later.
    await stop(problemOf(error))
    throw error
  } finally {
    unwatch()
  }
  if (!changes) return
  try {
    await parts.committed(workflow, changes)
  } finally {
    await parts.runner.release(workflow, runsOf(graph, tasks), null)
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

/** What an attempt at a task is given, whichever run it is. */
export function attemptsAt(
  graph: Graph,
  { workflow, tasks }: Pick<Stored, 'workflow' | 'tasks'>,
  name: string,
  files: Manifest,
  signal: AbortSignal,
): Outcome<(run: RunId, request: Attempt['request']) => Attempt> {
  const task = graph.spec.tasks[name] as Task
  const inputs = inputsFor(task, resultsIn(tasks))
  if (!inputs.ok) return inputs
  const { tenant, conversation, path, started_by: user, id } = workflow
  return ok((run, request) => ({
    ...{ workflow: id, tenant, conversation, path, user, name, task },
    ...{ inputs: inputs.value, placement: graph.placements.get(name)?.wanted },
    ...{ files, run, request, signal },
    before: () => sharedBefore(graph, tasks, workflow.base),
  }))
}

/** The files from which the next layer of a workflow starts, by what its tasks left: their rows are sealed. */
export function filesNow(graph: Graph, { workflow, tasks }: Pick<Stored, 'workflow' | 'tasks'>): Manifest {
  let files: Manifest = workflow.base
  for (const layer of graph.layers.slice(0, workflow.layers_done)) {
    const joined = joinChanges(new Map(layer.map(name => [name, changesOf(tasks.get(name))])))
    // They were joined before the layer was written as done.
    if (!joined.ok) throw new Edited(workflow.id)
    files = withChanges(files, joined.value)
  }
  return files
}

interface Telling {
  readonly setTask: (name: string, change: TaskChange) => Promise<void>
  /** When a task that began then ended: never before it began, nor when another ended. */
  readonly timeOfEnd: (begun: number | null) => number
  readonly signal: AbortSignal
}

/** One task until it completes, waits or has no attempt left. A task that is over already is left as it is. */
async function carryOut(
  { runner, clock, ids, busy, goesOn }: ExecutionParts,
  graph: Graph,
  { workflow, tasks }: Pick<Stored, 'workflow' | 'tasks'>,
  name: string,
  base: Manifest,
  { setTask, timeOfEnd, signal }: Telling,
): Promise<void> {
  const task = graph.spec.tasks[name]
  const row = tasks.get(name)
  // Without its row, a question would be taken for one that nobody has to answer.
  if (!task || !row) throw new Edited(workflow.id)
  if (signal.aborted) return
  // A person's no among them: carried out again, it would be asked again until somebody says yes.
  if (row.state === 'completed' || row.state === 'failed') return
  if (row.state === 'waiting' && row.request === null) return // for a person, who answers by `decide`
  // It would be run a second time beside itself; its end wakes the workflow.
  if (row.state === 'waiting' && row.run && goesOn(row.run)) return
  const setEnd = (state: TaskState, more: TaskChange) =>
    setTask(name, { state, finished_at: timeOfEnd(tasks.get(name)?.started_at ?? null), ...more })
  const attempts = attemptsAt(graph, { workflow, tasks }, name, base, signal)
  if (!attempts.ok) return setEnd('failed', { problem: attempts.problem })
  const attempt = attempts.value

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
        // Of an attempt before: it would end before it began.
        finished_at: null,
      })
      end = await busy
        .with(() => runner.perform(attempt(run, null)))
        .catch((error): TaskEnd => ({ type: 'failed', problem: problemOf(error), final: false }))
    }
    // Also when it is told to stop: asked again after a restart, a reviewer would find the question twice.
    if (end.type === 'waiting')
      return setTask(name, {
        state: 'waiting',
        request: end.request,
        outputs: (end.outputs as TaskRow['outputs']) ?? null,
      })
    if (signal.aborted) return
    if (end.type === 'completed') {
      const outputs = checkOutputs(task, end.outputs)
      if (outputs.ok) return setEnd('completed', { outputs: outputs.value as TaskRow['outputs'], changes: end.changes })
      end = { type: 'failed', problem: outputs.problem, final: true }
    }
    const room = isWithoutRoom(end) ? busy.nextEnd() : null
    if (room) {
      // It has not run: that counts as no attempt.
      number--
      await room
      if (signal.aborted) return
    } else if (end.final || task.type === 'approval' || number >= task.retry.attempts)
      return setEnd('failed', { problem: end.problem })
    else await pause(clock, task.retry.delaySeconds * 1000, signal)
    end = null
  }
}

/** A file that the workflow changes and that somebody changed beside it meanwhile. */
function conflictOf(before: Manifest, now: Manifest, ours: ManifestChanges): Problem | null {
  const theirs = manifestChanges(before, now)
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

/** Ends when all have ended, also where one of them throws: then `stop` tells the others. */
async function inParallel(
  names: readonly string[],
  atOnce: number,
  work: (name: string) => Promise<void>,
  stop: () => void,
): Promise<void> {
  const waiting = [...names]
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next)
  }
  const lanes = Array.from({ length: Math.min(atOnce, names.length) }, () =>
    lane().catch(error => {
      stop()
      throw error
    }),
  )
  const thrown = (await Promise.allSettled(lanes)).find(end => end.status === 'rejected')
  if (thrown) throw thrown.reason
}
