import type { ConversationSummary } from '../../src/contract/conversations.ts'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { expectEditor } from '../editor/type-ahead.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { openPath, setView } from '../state/view.ts'
import { chooseFile, upload } from './upload.ts'

export async function createConversation(): Promise<void> {
  expectEditor()
  const title = `Untitled, ${new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })}`
  const { conversation } = await client.conversations.create({ title })
  const [cell] = await client.paths.insert({
    path: conversation.main,
    items: [{ kind: 'cell', author: 'analyst', language: 'python', text: '' }],
    undoable: false,
  })
  openPath(conversation.id, conversation.main, cell?.id)
  setView({ editing: true })
}

export async function openSample(): Promise<void> {
  const { conversation } = await client.conversations.openSample()
  openPath(conversation.id, conversation.main)
}

export async function importNotebook(): Promise<void> {
  const file = await chooseFile('.ipynb,application/json')
  if (file) await importFile(file)
}

export async function importFile(file: File): Promise<void> {
  const imported = await client.conversations.importNotebook({ upload: await upload(file) })
  openPath(imported.conversation.id, imported.conversation.main)
  for (const text of imported.notices) showToast({ kind: 'info', text })
  const { id, title } = imported.conversation
  const others = (await client.conversations.list({})).filter(each => each.title === title && each.id !== id)
  if (others.length > 0)
    showToast({ kind: 'info', text: `There is a conversation “${title}” already: this is another copy.` })
}

export async function duplicateConversation(id: ConversationId): Promise<void> {
  const { conversation } = await client.conversations.duplicate(id)
  openPath(conversation.id, conversation.main)
  showToast({
    kind: 'good',
    text: `“${conversation.title}” was made.`,
    hint: 'Its outputs were copied; nothing ran here yet.',
  })
}

/** Keeps the path as a starting point, under the name of its conversation. */
export async function saveTemplate(id: ConversationId, path: PathId): Promise<void> {
  const { conversation } = await client.conversations.tree(id)
  const saved = await client.conversations.saveTemplate({ path, name: conversation.title })
  showToast({
    kind: 'good',
    text: `Saved as the template “${saved.name}”, without outputs.`,
    action: { label: 'Undo', run: () => void client.conversations.removeTemplate(saved.id).catch(showProblem) },
  })
}

/** Deletes with a way back. */
export async function deleteConversation({ id, title }: ConversationSummary): Promise<void> {
  await client.conversations.remove(id)
  setView({ conversation: null, path: null })
  showToast({
    kind: 'info',
    text: `“${title}” was deleted.`,
    action: {
      label: 'Undo',
      run: () => void client.conversations.restore(id).then(restored => openPath(restored.id, restored.main)),
    },
  })
  await queryClient.invalidateQueries({ queryKey: rpc.conversations.key() })
}
