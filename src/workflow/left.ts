import { z } from 'zod'
import type { Manifest } from '../contract/files.ts'
import { fail, type Outcome, ok, problem } from '../contract/problem.ts'
import type { RunError } from '../contract/run.ts'
import type { RunView } from '../contract/runs.ts'
import { manifestChanges, type PathFiles } from '../files/files.ts'
import type { Attempt, Changes, TaskEnd, Values } from './task.ts'

/** How a run stands by the record, for one that nobody saw through. */
export type RunStanding = 'waiting' | 'succeeded' | 'failed' | 'refused' | 'unknown'

/** A program that is no code of the workflow's author, with the file of its inputs and the one that it leaves. */
export interface Calculation {
  readonly code: string
  readonly given: { readonly name: string; readonly bytes: Uint8Array }
  readonly left: string
  read(text: string): Outcome<Values>
}

export const inputsFile = 'inputs.json'
export const outputsFile = 'outputs.json'
const maxOutputBytes = 1_000_000

/** How an attempt ended whose run came to rest here. */
export async function endOf(
  files: PathFiles,
  attempt: Pick<Attempt, 'run' | 'files'>,
  view: RunView,
  of?: Calculation,
): Promise<TaskEnd> {
  switch (view.state) {
    case 'waiting':
      return { type: 'waiting', request: view.request }
    case 'finished':
      if (view.outcome?.success) return collect(files, attempt, of)
      return { type: 'failed', problem: failedRun(view), final: false }
    default:
      return { type: 'failed', problem: view.problem ?? failedRun(view), final: view.state === 'refused' }
  }
}

/** How an attempt ended whose run nobody here saw through; null when it never did. */
export async function byStanding(
  files: PathFiles,
  attempt: Attempt,
  standing: RunStanding,
  of?: Calculation,
): Promise<TaskEnd | null> {
  switch (standing) {
    case 'waiting':
      return { type: 'waiting', request: attempt.request }
    case 'succeeded':
      return collect(files, attempt, of)
    case 'failed':
      return { type: 'failed', problem: unseen('failed'), final: false }
    case 'refused':
      return { type: 'failed', problem: unseen('was refused'), final: true }
    case 'unknown':
      return null
  }
}

/** What a run left: its outputs, and the files that it changed. Those of a calculation are its own. */
async function collect(files: PathFiles, attempt: Pick<Attempt, 'run' | 'files'>, of?: Calculation): Promise<TaskEnd> {
  const between = await files.ofRun(attempt.run)
  const after = between && (await files.manifest(between.after))
  if (!after) return { type: 'failed', problem: unseen('is no longer kept'), final: false }
  const text = await textOf(files, after, of?.left ?? outputsFile)
  const outputs = text.ok ? (of ? of.read(text.value ?? '') : outputsIn(text.value)) : text
  if (!outputs.ok) return { type: 'failed', problem: outputs.problem, final: true }
  const changes = of ? { written: [], removed: [] } : changesBetween(attempt.files, after)
  return { type: 'completed', outputs: outputs.value, changes }
}

function changesBetween(before: Manifest, after: Manifest): Changes {
  const { written, removed } = manifestChanges(before, after)
  const isOurs = (path: string) => path === inputsFile || path === outputsFile
  return { written: written.filter(({ path }) => !isOurs(path)), removed: removed.filter(path => !isOurs(path)) }
}

/** The text of a file that a run left; null where there is none. */
async function textOf(files: PathFiles, after: Manifest, name: string): Promise<Outcome<string | null>> {
  const file = after.find(({ path }) => path === name)
  if (!file) return ok(null)
  if (file.bytes > maxOutputBytes)
    return fail('workflow.bad-output', `${name} is larger than 1 MB.`, 'Write large results to files of their own.')
  const parts: Uint8Array[] = []
  for await (const part of files.read(file.sha256)) {
    if (!part.ok) return part
    parts.push(part.value)
  }
  return ok(Buffer.concat(parts).toString('utf8'))
}

function outputsIn(text: string | null): Outcome<Values> {
  try {
    return ok(text === null ? {} : z.record(z.string(), z.json()).parse(JSON.parse(text)))
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
