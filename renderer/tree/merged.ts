import type { ItemId, MergeResult, PathSummary } from '../../src/contract/conversations.ts'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { fetchPath, reloadPath } from '../notebook/path-data.ts'
import { settle } from '../notebook/typing.ts'
import { client } from '../state/connection.ts'
import { showProblem, showToast, undone } from '../state/toasts.ts'
import { openPath } from '../state/view.ts'

/** Goes to the first thing that a merge changed, says what it did, and offers to take exactly that back. */
export async function showMerged(
  conversation: ConversationId,
  source: PathSummary,
  target: PathId,
  result: MergeResult,
): Promise<void> {
  openPath(conversation, target, firstChanged((await fetchPath(target)).items, result))
  showToast({
    kind: 'info',
    text: mergedWords(result),
    ...(result.conflicts.length > 0 ? { hint: conflictWords(result.conflicts.length) } : {}),
    action: {
      label: 'Undo merge',
      run: () => void undoMerge(source, target, result.version).catch(showProblem),
    },
    untilUndo: true,
  })
}

/** The paths that one can be merged into. */
export const targetsOf = (source: PathSummary, paths: readonly PathSummary[]): PathSummary[] =>
  paths.filter(path => path.id !== source.id && path.state === 'open')

/** In the order of the path, so that nothing that changed stands above it unseen. */
export function firstChanged(items: readonly { readonly id: ItemId }[], result: MergeResult): ItemId | null {
  const touched = new Set([...result.added, ...result.changed])
  return items.find(item => touched.has(item.id))?.id ?? null
}

export function mergedWords({ added, changed, removed }: MergeResult): string {
  const parts = [
    added.length > 0 && `${added.length} added`,
    changed.length > 0 && `${changed.length} changed`,
    removed.length > 0 && `${removed.length} removed`,
  ].filter(Boolean)
  return parts.length > 0 ? `Merged: ${parts.join(', ')}.` : 'Merged: everything was here already.'
}

const conflictWords = (count: number): string =>
  count === 1
    ? '1 cell had been changed on both paths: both versions are there, one below the other.'
    : `${count} cells had been changed on both paths: both versions are there, one below the other.`

async function undoMerge(source: PathSummary, target: PathId, version: number): Promise<void> {
  undone()
  await settle(target)
  await client.paths.undoMerge({ target, version })
  await reloadPath(target)
  showToast({
    kind: 'info',
    text: `The merge of “${source.name}” is undone.`,
    hint: 'The sandbox of that path stays ended, and requests that waited there stay withdrawn. Run its cells again to have its variables back.',
  })
}
