import { z } from 'zod'
import type { Answering } from '../approval/approval.ts'
import type { Clock } from '../clock.ts'
import type { UserId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Task } from '../contract/workflow.ts'
import type { Storage } from '../storage/storage.ts'
import type { Graph } from './graph.ts'
import type { Stored, TaskChange, WorkflowStore } from './store.ts'
import { Changes, inputsFor, resultsIn } from './task.ts'

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
  who: Answering,
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
  const refusal = whyNot(who, workflow.started_by, decision)
  if (refusal) return refusal
  const change = chooses ? chosen(row.outputs, decision) : answered(name, decision)
  if (!change) return fail('request.invalid', 'There is no such candidate.', 'Choose one of those shown.')
  const decidedAt = clock.now()
  const { approve: approved, comment, candidate = null } = decision
  const signed = who.sign({
    ...{ verdict: approved ? 'approve' : 'deny', workflow: workflow.id, task: name, candidate, comment, decidedAt },
    asked: askedBy(stored, task, name),
  })
  return storage.write(async t => {
    // Asked again here: somebody else may have answered, or aborted it, since it was looked at.
    if (!(await store.isWaiting(t, workflow, name))) return notWaiting(name)
    await store.setTask(t, workflow, name, { ...change, finished_at: decidedAt })
    const details = { task: name, approved, comment, candidate, decidedAt, ...signed }
    await store.record(t, workflow, 'workflow.decided', details, who.user)
    return ok(undefined)
  })
}

/** All that a person answers to: another graph, other figures or other candidates are another question. */
function askedBy({ workflow, tasks }: Stored, task: Task, name: string) {
  const given = inputsFor(task, resultsIn(tasks))
  return {
    graph: workflow.source,
    task: name,
    given: given.ok ? given.value : null,
    candidates: tasks.get(name)?.outputs,
  }
}

/** An identity that anybody could have made, or sign as, is nobody else. */
function whyNot(
  { user, protected: isProtected, vouchedBy }: Answering,
  startedBy: UserId,
  { approve, comment }: Decision,
) {
  if (user === startedBy)
    return fourEyes('Whoever started a workflow does not decide in it.', 'Ask somebody else to look at it.')
  if (!approve) return comment.trim() === '' ? noReason : null
  if (!isProtected)
    return fourEyes(
      'Somebody else decides here, and your identity has no passphrase: anybody at this machine could sign as you.',
      'Sign as an identity with a passphrase that somebody else has vouched for.',
    )
  if (!vouchedBy.some(by => by !== startedBy))
    return fourEyes(
      'Somebody else decides here, and nobody but the person who started the workflow has vouched for you.',
      'Ask somebody else with a passphrase to vouch for you: Settings › People, or "countersign identities vouch".',
    )
  return null
}

const fourEyes = (message: string, hint: string) => fail('approval.four-eyes', message, hint)

const noReason = fail('request.invalid', 'A no needs a reason.', 'Say in a comment what is wrong.')

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
