import { ExternalLink, Link2, NotebookPen, Stamp } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AuditEntry } from '../../src/contract/audit.ts'
import { openPath, setView } from '../state/view.ts'
import { showEntries } from './state.ts'

interface EntryAction {
  readonly label: string
  readonly icon: ReactNode
  /** Leads out of the record, to the thing itself. */
  readonly leads: boolean
  onSelect(): void
}

/** Ways from an entry to what it speaks of: the buttons of its page and the menu of its row. */
export function entryActions({
  conversation,
  path,
  cell,
  run,
  request,
}: Pick<AuditEntry, 'conversation' | 'path' | 'cell' | 'run' | 'request'>): EntryAction[] {
  const actions: EntryAction[] = []
  if (conversation && path) {
    actions.push({
      label: cell ? 'Go to the cell' : 'Go to the path',
      icon: <NotebookPen />,
      leads: true,
      onSelect: () => openPath(conversation, path, cell ?? null),
    })
  }
  if (request) {
    actions.push({
      label: 'Go to the approval',
      icon: <Stamp />,
      leads: true,
      onSelect: () => setView({ place: 'review', request }),
    })
  }
  if (run) {
    actions.push({ label: 'All of this run', icon: <Link2 />, leads: false, onSelect: () => showEntries({ run }) })
  }
  if (conversation) {
    actions.push({
      label: 'All of this conversation',
      icon: <ExternalLink />,
      leads: false,
      onSelect: () => showEntries({ conversation }),
    })
  }
  return actions
}
