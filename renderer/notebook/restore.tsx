import { useQuery } from '@tanstack/react-query'
import { History, Square } from 'lucide-react'
import type { ContextStatus } from '../../src/contract/contexts.ts'
import type { OpenedPath } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { useView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import styles from './restore.module.css'
import { cellsBefore, restore, stopRestoring, upToHere, useRestoring } from './restoring.ts'

/** Where variables are gone and outputs are not: says so, and brings them back with one click. */
export function Restore({ path, opened }: { path: PathId; opened: OpenedPath }) {
  const { data: status } = useQuery(rpc.sandbox.status.queryOptions({ input: path }))
  const selected = useView(view => view.selected)
  const now = useRestoring(state => (state.now?.path === path ? state.now : null))
  if (now) {
    return (
      <div className={styles.bar} role="status">
        <History aria-hidden />
        <span>
          Running cell {Math.min(now.done + 1, now.total)} of {now.total} again
        </span>
        <progress value={now.done} max={now.total} aria-label="Cells that ran again" />
        <Button look="quiet" icon={<Square />} onClick={stopRestoring}>
          Stop after this one
        </Button>
      </div>
    )
  }
  if (!status) return null
  const gone = cellsBefore(status, opened.items)
  if (gone.length === 0) return null
  const cells = upToHere(gone, opened.items, selected)
  return (
    <div className={styles.bar} role="note">
      <History aria-hidden />
      <span>{whyGone(status)} Files and outputs are here; variables of earlier cells are not.</span>
      <Button onClick={() => void restore(path, cells).catch(showProblem)}>
        Restore: run {cells.length === 1 ? 'the cell' : `the ${cells.length} cells`} {where(cells.length, gone.length)}
      </Button>
    </div>
  )
}

const where = (some: number, all: number): string => (some < all ? 'up to here' : 'that ran')

function whyGone({ state, message }: ContextStatus): string {
  if (state === 'ready' || state === 'running') return 'The sandbox is new, or was restarted.'
  return message ?? (state === 'expired' ? 'The sandbox expired.' : 'The sandbox has ended.')
}
