import type { CellId, PathId } from '../../src/contract/ids.ts'
import { revealLine } from '../editor/reveal.ts'
import { download } from '../home/upload.ts'
import type { OutputActions } from '../output/output.tsx'
import { showToast } from '../state/toasts.ts'
import { select } from './actions.ts'
import { currentPath } from './path-data.ts'

/** What an output may ask for. A link is only copied: nothing in a notebook makes this machine fetch anything. */
export function outputActions(path: PathId, cell: CellId): OutputActions {
  return {
    onOpenLine(line, execution) {
      const other = currentPath(path)?.items.find(item => item.kind === 'cell' && item.lastRun?.count === execution)
      const target = execution !== undefined && other ? other.id : cell
      select(target, true)
      revealLine(line)
    },
    onOpenLink(url) {
      void navigator.clipboard.writeText(url)
      showToast({
        kind: 'info',
        text: 'The address was copied.',
        hint: `${url} — Countersign opens no pages by itself.`,
      })
    },
    onSave: download,
  }
}
