import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import type { ContextStatus } from '../../src/contract/contexts.ts'
import type { OpenedPath } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { useView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import styles from './restore.module.css'
import { cellsBefore, upToHere } from './restoring.ts'
import { runSeries, useSeries } from './series.ts'
import { SeriesBar } from './series-bar.tsx'

/** Where variables are gone and outputs are not: says so, and brings them back with one click. */
export function Restore({ path, opened }: { path: PathId; opened: OpenedPath }) {
  const { data: status } = useQuery(rpc.sandbox.status.queryOptions({ input: path }))
  const selected = useView(view => view.selected)
  const series = useSeries(path)
  if (series) return <SeriesBar series={series} />
  if (!status) return null
  const gone = cellsBefore(status, opened.items)
  if (gone.length === 0) return null
  const cells = upToHere(gone, opened.items, selected)
  return (
    <div className={styles.bar} role="note">
      <History aria-hidden />
      <span>{whyGone(status)} Files and outputs are here; variables of earlier cells are not.</span>
      <Button onClick={() => void runSeries(path, cells).catch(showProblem)}>
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
