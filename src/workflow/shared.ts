import { isDeepStrictEqual } from 'node:util'
import type { PathRef } from '../contract/contexts.ts'
import type { ContextId, UserId, WorkflowId } from '../contract/ids.ts'
import { type Outcome, ok, type Problem, problem, problemOf } from '../contract/problem.ts'
import type { StartedRun } from '../runs/runs.ts'
import { endOf } from './left.ts'
import { lay, layIntoOpen, letGo, type PlaceParts, type Program, sharedPlace, startAt } from './places.ts'
import type { Attempt, Before, TaskEnd } from './task.ts'

/** Whose variables an open sandbox has, and which sandbox that is. */
interface Held {
  readonly context: ContextId | null
  readonly tasks: ReadonlySet<string>
}

interface Parts extends PlaceParts {
  readonly withdraw: (ref: PathRef, by: UserId | null) => Promise<void>
}

/**
 * The sandboxes that the tasks of a workflow share. In each, one task goes after the other, and finds the files of its
 * own attempt and the variables of all that ended before it; where the sandbox is gone, they are run again for that.
 */
export class SharedSandboxes {
  readonly #parts: Parts
  readonly #lanes = new Map<WorkflowId, Promise<unknown>>()
  readonly #held = new Map<WorkflowId, Held>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  inTurn<T>(workflow: WorkflowId, work: () => Promise<T>): Promise<T> {
    const turn = (this.#lanes.get(workflow) ?? Promise.resolve()).then(work, work)
    this.#lanes.set(workflow, turn)
    return turn
  }

  forget(workflow: WorkflowId): void {
    this.#lanes.delete(workflow)
    this.#held.delete(workflow)
  }

  async perform(attempt: Attempt, task: Program): Promise<TaskEnd> {
    const lost = await this.ready(attempt)
    if (lost) return { type: 'failed', problem: lost, final: true }
    const end = await this.#run(attempt, task, attempt)
    // Another attempt starts from the variables as they were, too.
    if (end.type === 'failed') await this.#drop(attempt)
    return end
  }

  /** Lets a run go on that waited for a reviewer, while others used the sandbox. It keeps its turn until it is over. */
  async resuming(attempt: Attempt, go: () => Promise<Outcome<StartedRun>>): Promise<Outcome<StartedRun>> {
    const lost = await this.ready(attempt)
    if (lost) return { ok: false, problem: lost }
    const unlaid = await this.#lay(attempt, attempt).then(() => null, problemOf)
    if (unlaid) return { ok: false, problem: unlaid }
    const started = await go()
    const view = started.ok ? await started.value.rest : null
    if (view?.outcome?.success) await this.#note(attempt, attempt.name)
    else await this.#drop(attempt)
    return started
  }

  /** Brings back the variables of the tasks before it. Null when they are there, else why they cannot be had. */
  async ready(attempt: Attempt): Promise<Problem | null> {
    const before = attempt.before()
    const held = this.#held.get(attempt.workflow)
    const { context, state } = await this.#parts.contexts.status(sharedPlace(attempt))
    const isOpen = state === 'ready' || state === 'paused'
    if (!isOpen && before.length === 0) return null
    if (isOpen && held?.context === context && before.every(({ name }) => held.tasks.has(name))) return null
    await this.#drop(attempt)
    for (const each of before) {
      const why = await this.#again(attempt, each)
      if (!why) continue
      await this.#drop(attempt)
      return why
    }
    return null
  }

  isOpen(attempt: Attempt): boolean {
    return this.#parts.contexts.facts(sharedPlace(attempt)) !== null
  }

  /** A copy of the sandbox as it stands, with its files, for a place of its own. */
  async fork(attempt: Attempt, to: PathRef): Promise<Outcome<void>> {
    const { contexts, files, storage } = this.#parts
    const from = sharedPlace(attempt)
    await storage.write(t => files.branch(t, from, to))
    const forked = await contexts.fork({ from, to, actor: attempt.user })
    if (forked.ok) return ok(undefined)
    await letGo(this.#parts, to)
    const isUnable = forked.problem.code === 'context.cannot-fork' || forked.problem.code === 'sandbox.cannot-fork'
    return isUnable ? { ok: false, problem: cannotFork(attempt.name, forked.problem) } : forked
  }

  /** Runs a task that is over once more, for its variables alone: it reaches nothing, and its results stay what they are. */
  async #again(attempt: Attempt, before: Before): Promise<Problem | null> {
    const { task, run, outputs, changes } = before
    const end = await this.#run(attempt, task, before, { replayOf: run })
    if (end.type === 'waiting') {
      await this.#parts.withdraw(sharedPlace(attempt), attempt.user)
      return notBack(before.name, 'its code would have to be reviewed once more')
    }
    if (end.type === 'failed') return notBack(before.name, `run again, it failed: ${end.problem.message}`)
    // Variables that do not belong to the results would be carried on unseen.
    const isSame =
      isDeepStrictEqual(end.changes, changes) &&
      Object.entries(outputs).every(([name, value]) => isDeepStrictEqual(end.outputs[name], value))
    return isSame ? null : notBack(before.name, 'run again, it came to something else')
  }

  async #run(
    attempt: Attempt,
    task: Program,
    { name, files, inputs }: Pick<Before, 'name' | 'files' | 'inputs'>,
    more?: Parameters<typeof startAt>[4],
  ): Promise<TaskEnd> {
    await this.#lay(attempt, { files, inputs })
    const holds = this.#held.has(attempt.workflow)
    const started = await startAt(this.#parts, sharedPlace(attempt), { ...attempt, mayMove: !holds }, task, more)
    if (!started.ok) return { type: 'failed', problem: started.problem, final: false }
    const view = await started.value.rest
    const end = await endOf(this.#parts.files, { run: view.run, files }, view)
    if (end.type === 'completed') await this.#note(attempt, name)
    const isWeak = end.type === 'failed' && end.problem.code === 'sandbox.too-weak'
    return isWeak ? { ...end, problem: tooWeak(name, end.problem) } : end
  }

  #lay(attempt: Attempt, { files, inputs }: Pick<Before, 'files' | 'inputs'>): Promise<void> {
    return (this.isOpen(attempt) ? layIntoOpen : lay)(this.#parts, sharedPlace(attempt), files, inputs)
  }

  async #note(attempt: Attempt, name: string): Promise<void> {
    const { context } = await this.#parts.contexts.status(sharedPlace(attempt))
    const held = this.#held.get(attempt.workflow)
    const known = held?.context === context ? held.tasks : []
    this.#held.set(attempt.workflow, { context, tasks: new Set([...known, name]) })
  }

  async #drop(attempt: Attempt): Promise<void> {
    this.#held.delete(attempt.workflow)
    await letGo(this.#parts, sharedPlace(attempt))
  }
}

const notBack = (name: string, why: string) =>
  problem(
    'workflow.task-failed',
    `The sandbox that tasks share is gone, and the variables of ${name} could not be brought back: ${why}.`,
    `Run again from ${name}.`,
  )

const tooWeak = (name: string, { message }: Problem) =>
  problem(
    'sandbox.too-weak',
    `${name} cannot run in the sandbox that it shares, and another would not have its variables: ${message}`,
    'Let the tasks that share it ask for a stronger one by their `placement`, or give this one a sandbox of its own.',
  )

const cannotFork = (name: string, { message }: Problem) =>
  problem(
    'workflow.unsupported',
    `The candidates of ${name} cannot start from the variables of the shared sandbox: ${message}`,
    'Give it a sandbox of its own (sandbox: own): its candidates then start from the files alone.',
  )
