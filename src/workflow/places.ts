import type { z } from 'zod'
import type { Contexts } from '../contexts/contexts.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Manifest } from '../contract/files.ts'
import { Failure } from '../contract/problem.ts'
import type { CodeTask } from '../contract/workflow.ts'
import { manifestChanges, manifestOf, type PathFiles, withChanges } from '../files/files.ts'
import type { RunOptions, Runs } from '../runs/runs.ts'
import type { Storage } from '../storage/storage.ts'
import { inputsFile, outputsFile } from './left.ts'
import { type Attempt, placeOfRun, sharedPath, type Values } from './task.ts'

export interface PlaceParts {
  readonly runs: Pick<Runs, 'start'>
  readonly contexts: Pick<Contexts, 'end' | 'facts' | 'files' | 'fork' | 'status'>
  readonly files: PathFiles
  readonly storage: Pick<Storage, 'write'>
}

export type Program = Pick<z.infer<typeof CodeTask>, 'language' | 'code' | 'timeoutSeconds'>

/** The place of an attempt's files and sandbox: a path that no conversation shows. */
export const ownPlace = ({ tenant, conversation, run }: Attempt): PathRef => ({
  ...{ tenant, conversation, path: placeOfRun(run) },
})

export const sharedPlace = ({ tenant, conversation, workflow }: Attempt): PathRef => ({
  ...{ tenant, conversation, path: sharedPath(workflow) },
})

/** Lays the files of an attempt and its inputs out where the sandbox that is made for it will find them. */
export async function lay(parts: PlaceParts, ref: PathRef, files: Manifest, inputs: Values): Promise<void> {
  const wanted = await laidOut(parts, files, inputs)
  await parts.storage.write(t => parts.files.put(t, ref, wanted))
}

/** The same in a sandbox that is open already, which has its own copy of the files. With fewer a task must not begin. */
export async function layIntoOpen(parts: PlaceParts, ref: PathRef, files: Manifest, inputs: Values): Promise<void> {
  const wanted = await laidOut(parts, files, inputs)
  const { written, removed } = manifestChanges(await parts.files.head(ref), wanted)
  const folder = parts.contexts.files(ref)
  for (const path of removed) await folder.remove(path)
  const [left] = await parts.files.restore(manifestOf(written), folder)
  if (left) throw new Failure('files.not-kept', `${left.path} could not be given to the task: ${left.reason}`, tryAgain)
}

const tryAgain = 'Look at the disk, and resume the workflow.'

async function laidOut({ files }: PlaceParts, base: Manifest, inputs: Values): Promise<Manifest> {
  const given = await files.add(inputsFile, Buffer.from(JSON.stringify(inputs)))
  return withChanges(base, { written: [given], removed: [outputsFile] })
}

/** Starts the program of an attempt through the spine, at a place of its own. */
export function startAt(
  { runs }: Pick<PlaceParts, 'runs'>,
  ref: PathRef,
  { tenant, user, conversation, path, run, signal, placement, mayMove }: Attempt,
  { language, code, timeoutSeconds }: Program,
  more: Pick<RunOptions, 'id' | 'replayOf'> = { id: run },
) {
  const request = { path, cell: null, language, code, timeoutMs: timeoutSeconds * 1000 }
  const aside = { conversation, path: ref.path, mayMove }
  return runs.start({ tenant, user }, request, { signal, placement, aside, ...more })
}

export async function letGo({ contexts, files, storage }: PlaceParts, ref: PathRef): Promise<void> {
  await contexts.end(ref, 'manual', null)
  await storage.write(t => files.drop(t, ref))
}
