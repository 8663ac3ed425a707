import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { useCommand } from '../commands/commands.ts'
import { chooseEnvironment } from '../environments/choosing.ts'
import { openPinning, setFigures, showFigures } from '../figures/state.ts'
import { deleteConversation, duplicateConversation, saveTemplate } from '../home/actions.ts'
import { client } from '../state/connection.ts'
import { setView, useView } from '../state/view.ts'
import * as act from './actions.ts'
import { toggleFold } from './folds.ts'
import { findItem } from './path-data.ts'
import { runStale } from './run-stale.ts'

/** What the commands mean while a path is open. */
export function useNotebookCommands(conversation: ConversationId, path: PathId): void {
  const selected = () => useView.getState().selected
  useCommand('cell.run', () => act.runAndMoveOn(path, selected()))
  useCommand('cell.run.stay', () => act.runItem(path, selected()))
  useCommand('cell.run.insert', () => act.runAndInsert(path, selected()))
  useCommand('cell.run.all', () => act.runAll(path))
  useCommand('cell.run.stale', () => runStale(path))
  useCommand('cell.run.above', () => act.runAbove(path, selected()))
  useCommand('cell.run.here', () => act.runToHere(path, selected()))
  useCommand('cell.insert.above', () => act.insertAbove(path, selected()))
  useCommand('cell.insert.below', () => act.insertCell(path, selected() ?? undefined))
  useCommand('cell.delete', () => act.removeItem(path, selected()))
  useCommand('cell.markdown', () => act.changeLanguage(path, selected(), 'markdown'))
  useCommand('cell.code', () => act.makeCode(path, selected()))
  useCommand('cell.up', () => act.moveItem(path, selected(), -1))
  useCommand('cell.down', () => act.moveItem(path, selected(), 1))
  useCommand('cell.select.next', () => act.selectNeighbour(path, 1))
  useCommand('cell.select.previous', () => act.selectNeighbour(path, -1))
  useCommand('cell.edit', act.edit)
  useCommand('cell.fold', () => {
    const item = selected()
    if (item) toggleFold(item)
  })
  useCommand('cell.format', () => act.formatCell(path, selected()))
  useCommand('cell.clear', () => {
    const item = findItem(path, selected())
    return item?.kind === 'cell' ? act.clearOutputs(path, [item.id]) : undefined
  })
  useCommand('figure.pin', () => {
    const item = findItem(path, selected())
    if (item?.kind === 'cell') openPinning(path, item.id)
  })
  useCommand('figures.show', showFigures)
  useCommand('figures.compare', () => setFigures({ comparing: conversation }))
  useCommand('cell.clear.all', () => act.clearOutputs(path))
  useCommand('privacy.sending', () => setView({ place: 'privacy', editing: false }))
  useCommand('edit.undo', () => act.undo(path))
  useCommand('edit.redo', () => act.redo(path))
  useCommand('sandbox.interrupt', () => client.sandbox.interrupt(path))
  useCommand('sandbox.environment', () => chooseEnvironment({ conversation, path }))
  useCommand('conversation.duplicate', () => duplicateConversation(conversation))
  useCommand('conversation.template.save', () => saveTemplate(conversation, path))
  useCommand('conversation.delete', async () =>
    deleteConversation((await client.conversations.tree(conversation)).conversation),
  )
}
