import { z } from 'zod'
import type { Contexts } from '../contexts/contexts.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Manifest } from '../contract/files.ts'
import { PathId, type RunId, type UserId, type WorkflowId } from '../contract/ids.ts'
import { fail, type Outcome, ok, problem } from '../contract/problem.ts'
import type { RunError } from '../contract/run.ts'
import type { RunView } from '../contract/runs.ts'
import type { ToolGrant } from '../contract/tools.ts'
import type { CodeTask, ToolTask } from '../contract/workflow.ts'
import { manifestChanges, manifestOf, type PathFiles, withChanges } from '../files/files.ts'
import type { Runs } from '../runs/runs.ts'
import type { Storage } from '../storage/storage.ts'
import { choose } from './choosing.ts'
import { Slots } from './slots.ts'
import {
  type Attempt,
  type Changes,
  derivedId,
  runsOfAttempt,
  type TaskEnd,
  type TaskRunner,
  type Values,
} from './task.ts'
import { mayHaveActed, notAccepted, programFor } from './tool-task.ts'

/** How a run stands by the record, for one that nobody saw through. */
export type RunStanding = 'waiting' | 'succeeded' | 'failed' | 'refused' | 'unknown'

export interface RunnerParts {
  readonly runs: Pick<Runs, 'start'>
  readonly contexts: Pick<Contexts, 'end' | 'files'>
  readonly files: PathFiles
  readonly storage: Pick<Storage, 'write'>
  readonly standing: (attempt: Pick<Attempt, 'tenant' | 'run' | 'request'>) => Promise<RunStanding>
  /** Withdraws what still waits for a reviewer. */
  readonly withdraw: (ref: PathRef, by: UserId | null) => Promise<void>
  /** Tasks that are no code of the workflow's own. */
  readonly others: {
    analysis(attempt: Attempt): Promise<TaskEnd>
  }
  /** An accepted tool by its names; null where there is none. */
  readonly tool: (
    attempt: Attempt,
    server: string,
    tool: string,
  ) => Promise<Pick<ToolGrant, 'calledAs' | 'effect'> | null>
  /** Whether the code of a run was handed over, by the record. */
  readonly wasBegun: (run: RunId) => Promise<boolean>
}

const inputsFile = 'inputs.json'
const outputsFile = 'outputs.json'
const maxOutputBytes = 1_000_000
/** A conversation may have five sandboxes open; one is left for the path itself. */
const sandboxesAtOnce = 4

/** Carries tasks out through the spine: each is a run beside the path, with a copy of the files and nothing kept. */
export function createRunner(parts: RunnerParts): TaskRunner {
  const lanes = new Map<WorkflowId, Promise<unknown>>()
  const slots = new Slots(sandboxesAtOnce)

  /** Tasks in the shared sandbox go one after the other: each must see the files of its own attempt. */
  function inTurn<T>(workflow: WorkflowId, work: () => Promise<T>): Promise<T> {
    const turn = (lanes.get(workflow) ?? Promise.resolve()).then(work, work)
    lanes.set(workflow, turn)
    return turn
  }

  const one = (attempt: Attempt, task: z.infer<typeof CodeTask>, extra: Values = {}) =>
    slots.with(() => alone(attempt, task, extra))

  async function alone(attempt: Attempt, task: z.infer<typeof CodeTask>, extra: Values): Promise<TaskEnd> {
    const ref = placeOf(attempt, task)
    await lay(parts, ref, attempt, { ...attempt.inputs, ...extra }, task.sandbox === 'shared')
    const { tenant, user, conversation, path, run, signal, placement } = attempt
    const request = {
      path,
      cell: null,
      language: task.language,
      code: task.code,
      timeoutMs: task.timeoutSeconds * 1000,
    }
    const options = { id: run, signal, placement, aside: { conversation, path: ref.path } }
    const started = await parts.runs.start({ tenant, user }, request, options)
    if (!started.ok) return { type: 'failed', problem: started.problem, final: false }
    const end = await endOf(parts.files, attempt, await started.value.rest)
    if (end.type !== 'waiting' && task.sandbox === 'own') await letGo(parts, ref)
    return end
  }

  async function candidates(attempt: Attempt, task: z.infer<typeof CodeTask>): Promise<TaskEnd> {
    const ends = await Promise.all(
      runsOfAttempt(task, attempt.run).map((run, candidate) => one({ ...attempt, run }, task, { candidate })),
    )
    await dropWaiting(attempt, task, ends)
    return choose(task, ends)
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

  /** All of them as the record has them; when one has not come to an end, all are run anew. */
  async function recallCandidates(attempt: Attempt, task: z.infer<typeof CodeTask>): Promise<TaskEnd | null> {
    const ends: TaskEnd[] = []
    for (const run of runsOfAttempt(task, attempt.run)) {
      const one = { ...attempt, run }
      const end = await byStanding(parts.files, one, await parts.standing(one))
      await letGo(parts, ownPlace(one))
      if (end) ends.push(end)
    }
    if (ends.length < (task.candidates ?? 0)) return null
    await dropWaiting(attempt, task, ends)
    return choose(task, ends)
  }

  /** A call that nobody saw the end of is not made again by itself when it may have changed something. */
  async function recallTool(attempt: Attempt, task: z.infer<typeof ToolTask>): Promise<TaskEnd | null> {
    const end = await byStanding(parts.files, attempt, await parts.standing(attempt))
    if (end?.type !== 'waiting') await letGo(parts, ownPlace(attempt))
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
          return slots.with(() => parts.others.analysis(attempt))
        case 'mcp_tool': {
          const tool = await parts.tool(attempt, task.server, task.tool)
          if (!tool) return { type: 'failed', problem: notAccepted(task.server, task.tool), final: true }
          return one(attempt, programFor(task, tool.calledAs))
        }
        case 'code_execution':
          if (task.candidates) return candidates(attempt, task)
          return task.sandbox === 'shared' ? inTurn(attempt.workflow, () => one(attempt, task)) : one(attempt, task)
      }
    },

    async recall(attempt) {
      const { task } = attempt
      if (task.type === 'mcp_tool') return recallTool(attempt, task)
      if (task.type !== 'code_execution') return null
      if (task.candidates) return recallCandidates(attempt, task)
      const standing = await parts.standing(attempt)
      const end = await byStanding(parts.files, attempt, standing)
      if (end && end.type !== 'waiting' && task.sandbox === 'own') await letGo(parts, placeOf(attempt, task))
      return end
    },

    async release({ id, tenant, conversation }, runs, by) {
      lanes.delete(id)
      for (const path of [sharedPath(id), ...runs.map(run => PathId.parse(run))]) {
        const ref = { tenant, conversation, path }
        await letGo(parts, ref)
        await parts.withdraw(ref, by)
      }
    },
  }
}

/** The place of an attempt's files and sandbox: a path that no conversation shows. */
function placeOf(attempt: Attempt, task: z.infer<typeof CodeTask>): PathRef {
  const { tenant, conversation, workflow } = attempt
  return task.sandbox === 'shared' ? { tenant, conversation, path: sharedPath(workflow) } : ownPlace(attempt)
}

const ownPlace = ({ tenant, conversation, run }: Attempt): PathRef => ({
  tenant,
  conversation,
  path: PathId.parse(run),
})

/** The same for every attempt of a workflow, and no path that anybody else has. */
const sharedPath = (workflow: WorkflowId): PathId => PathId.parse(derivedId(`shared sandbox of workflow ${workflow}`))

/** Lays the files of an attempt and its inputs out where its sandbox will find them. */
async function lay(
  parts: RunnerParts,
  ref: PathRef,
  attempt: Attempt,
  inputs: Values,
  isShared: boolean,
): Promise<void> {
  const { files, contexts, storage } = parts
  const given = await files.add(inputsFile, Buffer.from(JSON.stringify(inputs)))
  const wanted = withChanges(attempt.files, { written: [given], removed: [outputsFile] })
  if (!isShared) return storage.write(t => files.put(t, ref, wanted))
  // A sandbox that is already open has its own copy of the files.
  const { written, removed } = manifestChanges(await files.head(ref), wanted)
  const folder = contexts.files(ref)
  for (const path of removed) await folder.remove(path)
  await files.restore(manifestOf(written), folder)
}

async function letGo({ contexts, files, storage }: RunnerParts, ref: PathRef): Promise<void> {
  await contexts.end(ref, 'manual', null)
  await storage.write(t => files.drop(t, ref))
}

async function endOf(files: PathFiles, attempt: Attempt, view: RunView): Promise<TaskEnd> {
  switch (view.state) {
    case 'waiting':
      return { type: 'waiting', request: view.request }
    case 'finished':
      if (view.outcome?.success) return collect(files, attempt)
      return { type: 'failed', problem: failedRun(view), final: false }
    default:
      return { type: 'failed', problem: view.problem ?? failedRun(view), final: view.state === 'refused' }
  }
}

async function byStanding(files: PathFiles, attempt: Attempt, standing: RunStanding): Promise<TaskEnd | null> {
  switch (standing) {
    case 'waiting':
      return { type: 'waiting', request: attempt.request }
    case 'succeeded':
      return collect(files, attempt)
    case 'failed':
      return { type: 'failed', problem: unseen('failed'), final: false }
    case 'refused':
      return { type: 'failed', problem: unseen('was refused'), final: true }
    case 'unknown':
      return null
  }
}

/** What a run left: its outputs, and the files that it changed. */
async function collect(files: PathFiles, attempt: Attempt): Promise<TaskEnd> {
  const between = await files.ofRun(attempt.run)
  const after = between && (await files.manifest(between.after))
  if (!after) return { type: 'failed', problem: unseen('is no longer kept'), final: false }
  const outputs = await readOutputs(files, after)
  if (!outputs.ok) return { type: 'failed', problem: outputs.problem, final: true }
  return { type: 'completed', outputs: outputs.value, changes: changesBetween(attempt.files, after) }
}

function changesBetween(before: Manifest, after: Manifest): Changes {
  const { written, removed } = manifestChanges(before, after)
  const isOurs = (path: string) => path === inputsFile || path === outputsFile
  return { written: written.filter(({ path }) => !isOurs(path)), removed: removed.filter(path => !isOurs(path)) }
}

async function readOutputs(files: PathFiles, after: Manifest): Promise<Outcome<Values>> {
  const file = after.find(({ path }) => path === outputsFile)
  if (!file) return ok({})
  if (file.bytes > maxOutputBytes)
    return fail(
      'workflow.bad-output',
      'outputs.json is larger than 1 MB.',
      'Write large results to files of their own.',
    )
  const parts: Uint8Array[] = []
  for await (const part of files.read(file.sha256)) {
    if (!part.ok) return part
    parts.push(part.value)
  }
  try {
    return ok(z.record(z.string(), z.json()).parse(JSON.parse(Buffer.concat(parts).toString('utf8'))))
  } catch {
    return fail(
      'workflow.bad-output',
      'outputs.json is not a JSON object.',
      'Write one object with a field for each output.',
    )
  }
}

const failedRun = ({ outcome }: RunView) =>
  problem(
    'workflow.task-failed',
    outcome?.error ? errorText(outcome.error) : 'The code did not succeed.',
    'Look at its output, mend the code and start again from there.',
  )

const errorText = ({ name, message, line }: RunError) =>
  `${line === undefined ? '' : `Line ${line}: `}${name}: ${message}`

const unseen = (how: string) => problem('workflow.task-failed', `The run ${how}.`, 'The record has the details.')
