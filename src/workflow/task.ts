import { createHash } from 'node:crypto'
import { z } from 'zod'
import { KeptFile, type Manifest } from '../contract/files.ts'
import {
  type ConversationId,
  PathId,
  type RequestId,
  RunId,
  type TenantId,
  type UserId,
  type WorkflowId,
} from '../contract/ids.ts'
import type { WantedPlace } from '../contract/placement.ts'
import { fail, type Outcome, ok, type Problem } from '../contract/problem.ts'
import type { CodeTask, Task, ValueType } from '../contract/workflow.ts'
import type { StartedRun } from '../runs/runs.ts'
import { outputsOf } from './graph.ts'

export type Values = Readonly<Record<string, z.core.util.JSONType>>

export const Changes = z.object({ written: z.array(KeptFile), removed: z.array(z.string()) })
export type Changes = z.infer<typeof Changes>

/** One attempt at one task. */
export interface Attempt {
  readonly workflow: WorkflowId
  readonly tenant: TenantId
  readonly conversation: ConversationId
  readonly path: PathId
  readonly user: UserId
  readonly name: string
  readonly task: Task
  readonly inputs: Values
  /** What it wants of its sandbox beyond the policy. */
  readonly placement: WantedPlace | undefined
  /** The files that it starts from. */
  readonly files: Manifest
  /** Chosen before it starts, so that after a crash the record tells whether it ended. */
  readonly run: RunId
  /** The request that it waits for; null for a new attempt. */
  readonly request: RequestId | null
  /** The tasks over by now whose variables it finds, where it shares its sandbox. */
  readonly before: () => readonly Before[]
  /** False where its sandbox has variables that a stronger one in its place would not have. */
  readonly mayMove?: boolean
  readonly signal: AbortSignal
}

/** A task that is over: what it ran, from what, and what it left. */
export interface Before {
  readonly name: string
  readonly task: z.infer<typeof CodeTask>
  /** Null where its results were taken over from another workflow. */
  readonly run: RunId | null
  readonly inputs: Values
  readonly files: Manifest
  readonly outputs: Values
  readonly changes: Changes
}

/** How an attempt came to rest. */
export type TaskEnd =
  | { readonly type: 'completed'; readonly outputs: Values; readonly changes: Changes }
  /** For a reviewer of its code, or, without a request, for somebody who decides in the workflow itself. */
  | { readonly type: 'waiting'; readonly request: RequestId | null; readonly outputs?: Values }
  /** `final`: another attempt would come to the same. */
  | { readonly type: 'failed'; readonly problem: Problem; readonly final: boolean }

/** It found no room for its sandbox, and has not run. */
export const isWithoutRoom = (end: TaskEnd): boolean => end.type === 'failed' && end.problem.code === 'context.too-many'

export interface WorkflowOwner {
  readonly id: WorkflowId
  readonly tenant: TenantId
  readonly conversation: ConversationId
}

/** Carries tasks out. It keeps nothing of its own: what it did is in its answer and on the record. */
export interface TaskRunner {
  perform(attempt: Attempt): Promise<TaskEnd>
  /** Goes on with the run of an attempt that a reviewer approved, in its turn and with what it would have found. */
  resuming(attempt: Attempt, go: () => Promise<Outcome<StartedRun>>): Promise<Outcome<StartedRun>>
  /** The end of an attempt whose run this process did not see through; null when it never came to one. */
  recall(attempt: Attempt): Promise<TaskEnd | null>
  /** Lets go of whatever the attempts of a workflow that is over still hold: sandboxes, files, open requests. */
  release(workflow: WorkflowOwner, runs: readonly RunId[], by: UserId | null): Promise<void>
}

/** The runs of one attempt: its own, or one for each candidate. Derived, so that they are found again after a crash. */
export function runsOfAttempt(task: Task, run: RunId): RunId[] {
  if (task.type !== 'code_execution' || !task.candidates) return [run]
  return Array.from({ length: task.candidates }, (_, at) => RunId.parse(derivedId(`candidate ${at} of run ${run}`)))
}

/** A task's sandbox and files have a path that no conversation shows: the same for every look at its run. */
export const placeOfRun = (run: RunId): PathId => PathId.parse(run)

/** The same for every attempt of a workflow, and no path that anybody else has. */
export const sharedPath = (workflow: WorkflowId): PathId =>
  PathId.parse(derivedId(`shared sandbox of workflow ${workflow}`))

/** The same id for the same words, and one that nobody else has. */
export function derivedId(words: string): string {
  const hex = createHash('sha256').update(words).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Holds what a task left against what it promised. */
export function checkOutputs(task: Task, outputs: Values): Outcome<Values> {
  const promised = outputsOf(task)
  if (!promised) return ok(outputs)
  for (const [name, type] of Object.entries(promised)) {
    const value = Object.hasOwn(outputs, name) ? outputs[name] : undefined
    if (value === undefined)
      return fail('workflow.bad-output', `The task left no output ${name}.`, 'Write it to outputs.json.')
    if (!isOfType(value, type))
      return fail('workflow.bad-output', `The output ${name} is not ${type}.`, 'Change the code, or its declaration.')
  }
  return ok(Object.fromEntries(Object.keys(promised).map(name => [name, outputs[name] ?? null])))
}

export function isOfType(value: unknown, type: ValueType): boolean {
  switch (type) {
    case 'any':
      return true
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'text':
      return typeof value === 'string'
    case 'boolean':
      return typeof value === 'boolean'
    case 'list':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
  }
}

/** The values that a task is given: its own, and what earlier tasks left. */
export function inputsFor(task: Task, resultsOf: (task: string) => Values | null): Outcome<Values> {
  const inputs: Record<string, z.core.util.JSONType> = {}
  for (const [name, given] of Object.entries(task.inputs)) {
    if ('value' in given) {
      inputs[name] = given.value as z.core.util.JSONType
      continue
    }
    const [source, output] = given.from.split('.') as [string, string]
    const results = resultsOf(source) ?? {}
    const value = Object.hasOwn(results, output) ? results[output] : undefined
    if (value === undefined)
      return fail('workflow.bad-input', `${given.from} was not computed.`, `Look at what ${source} left.`)
    if (!isOfType(value, given.type))
      return fail('workflow.bad-input', `${given.from} is not ${given.type}.`, `Look at what ${source} left.`)
    inputs[name] = value
  }
  return ok(inputs)
}

/** What tasks left, for those that are given it. */
export const resultsIn =
  (tasks: ReadonlyMap<string, { readonly outputs: Values | null }>) =>
  (task: string): Values | null =>
    tasks.get(task)?.outputs ?? null

/** The changes of tasks that ran side by side, as one; two that write one file differently cannot both be kept. */
export function joinChanges(all: ReadonlyMap<string, Changes>): Outcome<Changes> {
  const written = new Map<string, { file: KeptFile; by: string }>()
  const removed = new Map<string, string>()
  for (const [task, changes] of all) {
    for (const file of changes.written) {
      const other = written.get(file.path)
      const remover = removed.get(file.path)
      if (remover || (other && other.file.sha256 !== file.sha256))
        return clash(file.path, remover ?? other?.by ?? '', task)
      written.set(file.path, { file, by: task })
    }
    for (const path of changes.removed) {
      const other = written.get(path)
      if (other) return clash(path, other.by, task)
      removed.set(path, task)
    }
  }
  return ok({ written: [...written.values()].map(({ file }) => file), removed: [...removed.keys()] })
}

const clash = (path: string, a: string, b: string) =>
  fail('workflow.conflict', `${a} and ${b} both change ${path}.`, 'Let one need the other, or write two files.')
