import type { z } from 'zod'
import type { PathRef } from '../contract/contexts.ts'
import type { ConversationId, RunId, UserId } from '../contract/ids.ts'
import type { Outcome } from '../contract/problem.ts'
import type { ToolGrant } from '../contract/tools.ts'
import type { AnalysisTask, CodeTask, ToolTask } from '../contract/workflow.ts'
import { choose } from './choosing.ts'
import { byStanding, type Calculation, endOf, type RunStanding } from './left.ts'
import { lay, layIntoOpen, letGo, ownPlace, type PlaceParts, type Program, startAt } from './places.ts'
import { SharedSandboxes } from './shared.ts'
import { SlotsOfEach } from './slots.ts'
import {
  type Attempt,
  isWithoutRoom,
  placeOfRun,
  runsOfAttempt,
  sharedPath,
  type TaskEnd,
  type TaskRunner,
  type Values,
} from './task.ts'
import { mayHaveActed, notAccepted, programFor } from './tool-task.ts'

export interface RunnerParts extends PlaceParts {
  readonly standing: (attempt: Pick<Attempt, 'tenant' | 'run' | 'request'>) => Promise<RunStanding>
  /** Withdraws what still waits for a reviewer. */
  readonly withdraw: (ref: PathRef, by: UserId | null) => Promise<void>
  /** What an analysis task computes, by its inputs. */
  readonly calculation: (attempt: Attempt) => Promise<Outcome<Calculation>>
  /** An accepted tool by its names; null where there is none. */
  readonly tool: (
    attempt: Attempt,
    server: string,
    tool: string,
  ) => Promise<Pick<ToolGrant, 'calledAs' | 'effect'> | null>
  /** Whether the code of a run was handed over, by the record. */
  readonly wasBegun: (run: RunId) => Promise<boolean>
}

/** A conversation may have five sandboxes open; one is left for the path itself, and one that tasks share. */
const ofConversation = 3
/** Of the ten that may be open in all; some are left for people who work in notebooks meanwhile. */
const ofAll = 6

/** Carries tasks out through the spine: each is a run beside the path, with a copy of the files and nothing kept. */
export function createRunner(parts: RunnerParts): TaskRunner {
  const slots = new SlotsOfEach<ConversationId>(ofConversation, ofAll)
  const shared = new SharedSandboxes(parts)

  const one = (attempt: Attempt, task: Program, extra: Values = {}) =>
    slots.with(attempt.conversation, async () => {
      await lay(parts, ownPlace(attempt), attempt.files, { ...attempt.inputs, ...extra })
      return alone(attempt, task)
    })

  async function analysis(attempt: Attempt, task: z.infer<typeof AnalysisTask>): Promise<TaskEnd> {
    const made = await parts.calculation(attempt)
    if (!made.ok) return { type: 'failed', problem: made.problem, final: true }
    const { code, given } = made.value
    const { timeoutSeconds } = task
    return slots.with(attempt.conversation, async () => {
      const file = await parts.files.add(given.name, given.bytes)
      await parts.storage.write(t => parts.files.put(t, ownPlace(attempt), [file]))
      return alone(attempt, { language: 'python', code, timeoutSeconds }, made.value)
    })
  }

  /** The run of an attempt in a sandbox of its own, whose place has its files. */
  async function alone(attempt: Attempt, task: Program, of?: Calculation): Promise<TaskEnd> {
    const ref = ownPlace(attempt)
    const started = await startAt(parts, ref, attempt, task)
    if (!started.ok) return { type: 'failed', problem: started.problem, final: false }
    const end = await endOf(parts.files, attempt, await started.value.rest, of)
    if (end.type !== 'waiting') await letGo(parts, ref)
    return end
  }

  const together = (attempt: Attempt, task: Program) =>
    shared.inTurn(attempt.workflow, () => slots.with(attempt.conversation, () => shared.perform(attempt, task)))

  async function candidates(attempt: Attempt, task: z.infer<typeof CodeTask>): Promise<TaskEnd> {
    const each = (work: typeof one) =>
      Promise.all(
        runsOfAttempt(task, attempt.run).map((run, candidate) => work({ ...attempt, run }, task, { candidate })),
      )
    if (task.sandbox === 'own') return chosen(attempt, task, await each(one))
    return shared.inTurn(attempt.workflow, async () => {
      const lost = await slots.with(attempt.conversation, () => shared.ready(attempt))
      if (lost) return { type: 'failed', problem: lost, final: true }
      // Before the first task that shares it, there are no variables to start from.
      return chosen(attempt, task, await each(shared.isOpen(attempt) ? inFork : one))
    })
  }

  /** A candidate that starts from the variables of the shared sandbox. */
  const inFork = (attempt: Attempt, task: Program, extra: Values = {}) =>
    slots.with(attempt.conversation, async (): Promise<TaskEnd> => {
      const ref = ownPlace(attempt)
      const forked = await shared.fork(attempt, ref)
      if (!forked.ok) return { type: 'failed', problem: forked.problem, final: true }
      await layIntoOpen(parts, ref, attempt.files, { ...attempt.inputs, ...extra })
      return alone({ ...attempt, mayMove: false }, task)
    })

  async function chosen(attempt: Attempt, task: z.infer<typeof CodeTask>, ends: readonly TaskEnd[]): Promise<TaskEnd> {
    await dropWaiting(attempt, task, ends)
    // Not chosen from fewer unseen: all are run again when there is room.
    return ends.find(isWithoutRoom) ?? choose(task, ends)
  }

  /** What asked a reviewer does not run as a candidate: nobody is to be asked about it any more. */
  async function dropWaiting(attempt: Attempt, task: z.infer<typeof CodeTask>, ends: readonly TaskEnd[]) {
    for (const [at, run] of runsOfAttempt(task, attempt.run).entries()) {
      if (ends[at]?.type !== 'waiting') continue
      const ref = ownPlace({ ...attempt, run })
      await letGo(parts, ref)
      await parts.withdraw(ref, attempt.user)
    }
  }

  /** Lets go of the place of a run that is over. One that never came to an end is run anew: what it asked is not answered any more. */
  async function settle(attempt: Attempt, end: TaskEnd | null): Promise<TaskEnd | null> {
    if (end?.type !== 'waiting') await letGo(parts, ownPlace(attempt))
    if (!end) await parts.withdraw(ownPlace(attempt), attempt.user)
    return end
  }

  /** All of them as the record has them; when one has not come to an end, all are run anew. */
  async function recallCandidates(attempt: Attempt, task: z.infer<typeof CodeTask>): Promise<TaskEnd | null> {
    const ends: TaskEnd[] = []
    for (const run of runsOfAttempt(task, attempt.run)) {
      const one = { ...attempt, run }
      const end = await settle(one, await byStanding(parts.files, one, await parts.standing(one)))
      if (end) ends.push(end)
    }
    if (ends.length < (task.candidates ?? 0)) return null
    await dropWaiting(attempt, task, ends)
    return choose(task, ends)
  }

  /** A call that nobody saw the end of is not made again by itself when it may have changed something. */
  async function recallTool(attempt: Attempt, task: z.infer<typeof ToolTask>): Promise<TaskEnd | null> {
    const end = await settle(attempt, await byStanding(parts.files, attempt, await parts.standing(attempt)))
    if (end || !(await parts.wasBegun(attempt.run))) return end
    const tool = await parts.tool(attempt, task.server, task.tool)
    return tool?.effect === 'reads' ? null : { type: 'failed', problem: mayHaveActed(task), final: true }
  }

  return {
    async perform(attempt) {
      const { task } = attempt
      switch (task.type) {
        case 'approval':
          return { type: 'waiting', request: null }
        case 'analysis':
          return analysis(attempt, task)
        case 'mcp_tool': {
          const tool = await parts.tool(attempt, task.server, task.tool)
          if (!tool) return { type: 'failed', problem: notAccepted(task.server, task.tool), final: true }
          return one(attempt, programFor(task, tool.calledAs))
        }
        case 'code_execution':
          if (task.candidates) return candidates(attempt, task)
          return task.sandbox === 'shared' ? together(attempt, task) : one(attempt, task)
      }
    },

    async recall(attempt) {
      const { task } = attempt
      if (task.type === 'mcp_tool') return recallTool(attempt, task)
      if (task.type === 'approval') return null
      if (task.type === 'code_execution' && task.candidates) return recallCandidates(attempt, task)
      const made = task.type === 'analysis' ? await parts.calculation(attempt) : null
      if (made && !made.ok) return null
      const end = await byStanding(parts.files, attempt, await parts.standing(attempt), made?.value)
      const isOwn = task.type === 'analysis' || task.sandbox === 'own'
      return isOwn ? settle(attempt, end) : end
    },

    resuming: (attempt, go) =>
      shared.inTurn(attempt.workflow, () => slots.with(attempt.conversation, () => shared.resuming(attempt, go))),

    async release({ id, tenant, conversation }, runs, by) {
      shared.forget(id)
      for (const path of [sharedPath(id), ...runs.map(placeOfRun)]) {
        const ref = { tenant, conversation, path }
        await letGo(parts, ref)
        await parts.withdraw(ref, by)
      }
    },
  }
}
