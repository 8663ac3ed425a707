import type { PathRef } from '../contract/contexts.ts'
import type { KeptFile, Manifest } from '../contract/files.ts'
import { PathId } from '../contract/ids.ts'
import type { TaskView } from '../contract/workflow.ts'
import { manifestOf, type PathFiles } from '../files/files.ts'
import { Candidates } from './deciding.ts'
import type { Stored, WorkflowRow } from './store.ts'

/**
 * Where a workflow holds on to contents until it is completed or aborted: where nothing else names them they would be
 * pruned, while it waits for a person for weeks. Which file has which content is not read from here, where anybody may
 * write: see `filesNow`.
 */
export const heldAt = ({ tenant, conversation, id }: Pick<WorkflowRow, 'tenant' | 'conversation' | 'id'>): PathRef => ({
  tenant,
  conversation,
  path: PathId.parse(id),
})

/** The contents that it began with and all that its tasks left, candidates among them. They are named by themselves. */
export function contentsOf(base: Manifest, tasks: Stored['tasks']): Manifest {
  const files = [...base, ...[...tasks.values()].flatMap(row => [...(row.changes?.written ?? []), ...offered(row)])]
  const contents = new Map(files.map(file => [file.sha256, { ...file, path: file.sha256 }]))
  return manifestOf(contents.values())
}

/** What the candidates left that somebody is asked to choose from. */
function offered({ state, outputs }: { state: TaskView['state']; outputs: unknown }): KeptFile[] {
  const found = state === 'waiting' ? Candidates.safeParse(outputs) : null
  return found?.success ? found.data.candidates.flatMap(({ changes }) => changes.written) : []
}

/** The first file of these that is not kept any more; null where all are. */
export async function lostOf(files: Pick<PathFiles, 'read'>, all: Iterable<KeptFile>): Promise<KeptFile | null> {
  for (const file of all) if (!(await isKept(files, file.sha256))) return file
  return null
}

async function isKept(files: Pick<PathFiles, 'read'>, sha256: string): Promise<boolean> {
  for await (const part of files.read(sha256)) return part.ok
  return true
}
