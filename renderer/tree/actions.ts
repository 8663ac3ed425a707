import type { ItemId, PathSummary } from '../../src/contract/conversations.ts'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { fetchDownload } from '../audit/download.ts'
import { branchOnRight } from '../compare/words.ts'
import { download } from '../home/upload.ts'
import { settle } from '../notebook/typing.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { openPath, setView, useView } from '../state/view.ts'

const refresh = (conversation: ConversationId) =>
  queryClient.invalidateQueries({ queryKey: rpc.conversations.tree.queryKey({ input: conversation }) })

/** Branches off after an item and goes there. */
export async function branchFrom(
  conversation: ConversationId,
  path: PathId,
  after: ItemId | null,
  withState: boolean,
): Promise<void> {
  await settle(path)
  const branch = await client.paths.branch({ path, after, withState })
  await refresh(conversation)
  openPath(conversation, branch.id, after)
  if (withState && !branch.withState) {
    return showToast({
      kind: 'info',
      text: `“${branch.name}” has the files. The variables stay behind: this kind of sandbox cannot hand them on.`,
      hint: 'Run the cells again on the new path to get them back.',
    })
  }
  showToast({
    kind: 'good',
    text: withState
      ? `“${branch.name}” starts with a copy of the variables and files.`
      : `“${branch.name}” starts with an empty sandbox.`,
    hint: 'Everything up to the branch point is shared with its parent; changes here stay here.',
  })
}

/** Goes to the nearest path that is still there. */
function leave(conversation: ConversationId, path: PathSummary, main: PathId): void {
  if (useView.getState().path === path.id) openPath(conversation, path.shownUnder ?? main)
}

export async function deletePath(conversation: ConversationId, path: PathSummary, main: PathId): Promise<void> {
  await client.paths.remove(path.id)
  leave(conversation, path, main)
  await refresh(conversation)
  showToast({
    kind: 'info',
    text: `“${path.name}” was deleted. Its branches keep what they inherited.`,
    action: { label: 'Undo', run: () => void restorePath(conversation, path.id).catch(showProblem) },
  })
}

export async function archivePath(conversation: ConversationId, path: PathSummary): Promise<void> {
  await client.paths.archive(path.id)
  await refresh(conversation)
  showToast({
    kind: 'info',
    text: `“${path.name}” is archived: it can be read, not changed.`,
    action: { label: 'Undo', run: () => void restorePath(conversation, path.id).catch(showProblem) },
  })
}

export async function restorePath(conversation: ConversationId, path: PathId): Promise<void> {
  await client.paths.restore(path)
  await refresh(conversation)
  openPath(conversation, path)
}

export async function renamePath(conversation: ConversationId, path: PathId, name: string): Promise<void> {
  await client.paths.rename({ path, name })
  await refresh(conversation)
}

/** Saves a path, and nothing of the others unless that was asked for. */
export async function exportPath(
  path: PathId,
  format: 'ipynb' | 'markdown' | 'html',
  { branches = false } = {},
): Promise<void> {
  await settle(path)
  const { fileName, mediaType, text } = await client.paths.export({ path, format, branches })
  download(fileName, mediaType, text)
  showToast({ kind: 'good', text: `Saved ${fileName}.` })
}

/** Prints a whole path. It takes a few seconds, so that it says when it begins and when it is there. */
export async function exportPdf(path: PathId): Promise<void> {
  await settle(path)
  showToast({ kind: 'info', text: 'Printing the path…' })
  for await (const step of await client.figures.printPath(path)) {
    if (step.type !== 'done') continue
    download(step.result.name, step.result.mediaType, await fetchDownload(step.result))
    showToast({ kind: 'good', text: `Saved ${step.result.name}.` })
  }
}

export function compareWith(conversation: ConversationId, one: PathId, other: PathId): void {
  const tree = queryClient.getQueryData(rpc.conversations.tree.queryKey({ input: conversation }))
  setView({ place: 'notebook', compare: branchOnRight(tree?.paths ?? [], one, other) })
}
