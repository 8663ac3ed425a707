import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import type { Answer, Answering, Reviewer } from '../approval/approval.ts'
import { temporaryAudit } from '../audit/testing.ts'
import { ConversationId, PathId, TenantId, UserId, type WorkflowId } from '../contract/ids.ts'
import { ok, problem } from '../contract/problem.ts'
import type { Caller } from '../conversations/conversations.ts'
import { createFiles, type PathFiles } from '../files/files.ts'
import { openTableSeals } from '../row-seal.ts'
import { testIds } from '../sandbox/testing.ts'
import type { Attempt, TaskEnd, TaskRunner } from './task.ts'
import { createWorkflows, type WorkflowsOptions } from './workflow.ts'

const tenant = TenantId.parse('01900000-0000-7000-8000-000000000001')
export const ana: Caller = { tenant, user: UserId.parse('01900000-0000-7000-8000-00000000000a') }
/** Stands for somebody who logged in, too. */
export const bea = {
  ...{ tenant, user: UserId.parse('01900000-0000-7000-8000-00000000000b') },
  ...{ protected: true, vouchedBy: [UserId.parse('01900000-0000-7000-8000-00000000000f')] },
  sign: ({ asked, verdict }: Answer) => ({ subject: sha(JSON.stringify(asked)), signature: `bea: ${verdict}` }),
} as unknown as Answering & Reviewer
export const conversation = testIds.make(ConversationId)
export const path = testIds.make(PathId)
export const ref = { tenant, conversation, path }
export const sha = (text: string) => createHash('sha256').update(text).digest('hex')
export const failure = problem('sandbox.failed', 'It did not work.', 'Try again.')

export type Act = (attempt: Attempt, files: PathFiles) => Promise<TaskEnd> | TaskEnd

/** Writes a file named like the task, with its inputs in it. */
export const writes: Act = async ({ name, inputs }, files) => {
  const file = await files.add(`${name}.json`, Buffer.from(JSON.stringify(inputs)))
  return { type: 'completed', outputs: { x: Object.keys(inputs).length }, changes: { written: [file], removed: [] } }
}

/** Workflows on a real database, whose tasks do what a test says instead of running. */
export async function bench(acts: Record<string, Act> = {}, otherwise: Act = writes, file?: string) {
  const made = await temporaryAudit(undefined, file)
  const { storage, audit, clock, ids } = made
  const seals = await openTableSeals(storage, made.keys)
  const files = createFiles({ storage, clock, home: dirname(made.file), limitBytes: () => 1e9 })
  const performed: string[] = []
  const ended = new Map<string, TaskEnd>()
  const runner: TaskRunner = {
    async perform(attempt) {
      performed.push(attempt.name)
      const end = await (acts[attempt.name] ?? otherwise)(attempt, files)
      ended.set(attempt.run, end)
      return end
    },
    recall: async attempt => ended.get(attempt.run) ?? null,
    resuming: (_attempt, go) => go(),
    release: async () => undefined,
  }
  const problems: string[] = []
  const open = (over: Partial<WorkflowsOptions> = {}) =>
    createWorkflows({
      ...{ storage, audit, files, runner, clock, ids, seals },
      wasBegun: async () => true,
      logOf: async (_who, run) => ({ run, view: null, outputs: [] }),
      answering: async who => ok(who as unknown as Answering),
      hasEffects: async () => true,
      obstacles: async () => [],
      locate: async () => ok(conversation),
      changed: () => undefined,
      committed: async () => undefined,
      saved: () => undefined,
      onProblem: each => void problems.push(each.message),
      owner: { name: 'this', isAlive: () => false },
      ...over,
    })
  return { ...made, files, performed, ended, open, problems, runner }
}

export const task = (needs: string[], more = '') =>
  `{ type: code_execution, language: python, code: "1", outputs: { x: number }, needs: [${needs}]${more} }`
export const graph = (tasks: Record<string, string>) =>
  `name: A graph\ntasks:\n${Object.entries(tasks)
    .map(([name, text]) => `  ${name}: ${text}`)
    .join('\n')}\n`
export const diamond = graph({ a: task([]), b: task(['a']), c: task(['a']), d: task(['b', 'c']) })

export const started = async (workflows: ReturnType<typeof createWorkflows>, source: string) => {
  const view = await workflows.start(ana, path, source)
  if (!view.ok) throw new Error(view.problem.message)
  await workflows.rest(view.value.id)
  return view.value.id
}
export const stateOf = async (workflows: ReturnType<typeof createWorkflows>, id: WorkflowId) => {
  const view = await workflows.get(ana, id)
  if (!view.ok) throw new Error(view.problem.message)
  return view.value
}
