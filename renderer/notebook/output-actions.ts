import type { CellId, PathId, RunId } from '../../src/contract/ids.ts'
import { revealLine } from '../editor/reveal.ts'
import { openPinning } from '../figures/state.ts'
import { download, fetched } from '../home/upload.ts'
import { viewTable } from '../inspector/viewed-table.ts'
import type { OutputActions } from '../output/output.tsx'
import { client } from '../state/connection.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { select } from './actions.ts'
import { currentPath } from './path-data.ts'

/** What an output may ask for. A link is only copied: nothing in a notebook makes this machine fetch anything. */
export function outputActions(path: PathId, cell: CellId, run: RunId | null = null): OutputActions {
  return {
    onOpenLine(line, execution) {
      const other = currentPath(path)?.items.find(item => item.kind === 'cell' && item.lastRun?.count === execution)
      const target = execution !== undefined && other ? other.id : cell
      select(target, true)
      revealLine(line)
    },
    onOpenLink: copyLink,
    onSave: download,
    onViewTable: variable => viewTable(path, variable),
    ...(cell ? { onPin: (find?: string) => openPinning(path, cell, find) } : {}),
    ...(run ? { onSaveAll: () => void saveAll(run).catch(showProblem) } : {}),
  }
}

export function copyLink(url: string): void {
  void navigator.clipboard.writeText(url)
  showToast({ kind: 'info', text: 'The address was copied.', hint: `${url} — Countersign opens no pages by itself.` })
}

async function saveAll(run: RunId): Promise<void> {
  download('output.txt', 'text/plain', await fetched(at => client.runs.output({ run, ...at })))
}
