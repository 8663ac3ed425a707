import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { Storage } from '../storage/storage.ts'
import type { Graph } from './graph.ts'
import type { Stored, TaskChange, WorkflowStore } from './store.ts'
import { Changes } from './task.ts'

export interface Decision {
  readonly approve: boolean
  readonly comment: string
  /** Which candidate is kept, by the number that it was given, where the task ran several. */
  readonly candidate?: number | undefined
}

/** What a task with candidates keeps while it waits for a reviewer to choose. */
export const Candidates = z.object({
  candidates: z.array(
    // Older rows have no numbers: there a candidate is known by its place.
    z.object({ number: z.number().int().optional(), outputs: z.record(z.string(), z.json()), changes: Changes }),
  ),
})

interface Parts {
  readonly store: WorkflowStore
  readonly storage: Storage
  readonly clock: Clock
}

/** Writes a person's answer to a waiting task, with its entry, in one transaction. */
export async function decideTask(
  { store, storage, clock }: Parts,
  who: Caller,
  stored: Stored | null,
  graph: Graph,
  name: string,
  decision: Decision,
): Promise<Outcome<void>> {
  const row = stored?.tasks.get(name)
  const task = graph.spec.tasks[name]
  if (!stored || !row || !task) return fail('not-found', `There is no task ${name}.`, 'Look at the graph.')
  const chooses = task.type === 'code_execution' && task.choose === 'reviewer'
  if (row.state !== 'waiting' || !(task.type === 'approval' || chooses)) return notWaiting(name)
  const { workflow } = stored
  if (who.user === workflow.started_by)
    return fail(
      'approval.four-eyes',
      'Whoever started a workflow does not decide in it.',
      'Ask somebody else to look at it.',
    )
  const change = chooses ? chosen(row.outputs, decision) : answered(name, decision)
  if (!change) return fail('request.invalid', 'There is no such candidate.', 'Choose one of those shown.')
  return storage.write(async t => {
    // Asked again here: somebody else may have answered, or aborted it, since it was looked at.
    if (!(await store.isWaiting(t, workflow, name))) return notWaiting(name)
    await store.setTask(t, workflow, name, { ...change, finished_at: clock.now() })
    const { approve: approved, comment } = decision
    const candidate = decision.candidate ?? null
    await store.record(t, workflow, 'workflow.decided', { task: name, approved, comment, candidate }, who.user)
    return ok(undefined)
  })
}

const notWaiting = (name: string) =>
  fail('approval.decided', `${name} does not wait for a decision.`, 'Look at the graph again.')

function answered(name: string, { approve, comment }: Decision): TaskChange {
  if (approve)
    return { state: 'completed', outputs: { approved: true, comment }, changes: { written: [], removed: [] } }
  return { state: 'failed', problem: denied(name, comment) }
}

function chosen(outputs: unknown, { approve, comment, candidate }: Decision): TaskChange | null {
  if (!approve) return { state: 'failed', outputs: null, problem: denied('The candidates', comment) }
  const kept = Candidates.safeParse(outputs)
  const one = kept.success ? kept.data.candidates.find(({ number }, at) => (number ?? at) === candidate) : undefined
  return one ? { state: 'completed', outputs: one.outputs, changes: one.changes } : null
}

const denied = (what: string, comment: string) => ({
  code: 'approval.denied' as const,
  message: `${what} was denied${comment ? `: ${comment}` : '.'}`,
  hint: 'Nothing of this workflow was kept. Change it and start it again.',
})
