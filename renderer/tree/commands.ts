import { useQuery } from '@tanstack/react-query'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { useCommand } from '../commands/commands.ts'
import { branchOnRight } from '../compare/words.ts'
import { setFigures } from '../figures/state.ts'
import { rpc } from '../state/queries.ts'
import { setView, useView } from '../state/view.ts'
import { archivePath, branchFrom, deletePath, exportPath, exportPdf } from './actions.ts'
import { targetsOf } from './merged.ts'

/** What the path commands mean for the path that is open. */
export function usePathCommands(conversation: ConversationId, path: PathId): void {
  const { data: tree } = useQuery(rpc.conversations.tree.queryOptions({ input: conversation }))
  const here = tree?.paths.find(each => each.id === path)
  const main = tree?.conversation.main
  const selected = () => useView.getState().selected
  useCommand('path.branch', () => branchFrom(conversation, path, selected(), false))
  useCommand('path.branch.state', () => branchFrom(conversation, path, selected(), true))
  useCommand('path.rename', () => setView({ leftOpen: true, renaming: path }))
  const isMergeable = here?.state === 'open' && targetsOf(here, tree?.paths ?? []).length > 0
  useCommand('path.merge', isMergeable ? () => setView({ merge: { source: path, target: null } }) : null)
  useCommand(
    'path.compare',
    (tree?.paths.length ?? 0) > 1
      ? () => {
          const other = here?.shownUnder ?? tree?.paths.find(each => each.id !== path)?.id ?? path
          setView({ compare: branchOnRight(tree?.paths ?? [], path, other) })
        }
      : null,
  )
  useCommand('path.replay', () => setView({ replay: path }))
  useCommand('path.archive', here && path !== main ? () => archivePath(conversation, here) : null)
  useCommand('path.delete', here && main && path !== main ? () => deletePath(conversation, here, main) : null)
  useCommand('conversation.export.ipynb', () => exportPath(path, 'ipynb', { branches: true }))
  useCommand('path.export.ipynb', () => exportPath(path, 'ipynb'))
  useCommand('path.export.markdown', () => exportPath(path, 'markdown'))
  useCommand('path.export.html', () => exportPath(path, 'html'))
  useCommand('path.export.pdf', () => exportPdf(path))
  useCommand('path.report', () => setFigures({ report: { path } }))
}
