import { CircleAlert, FastForward, Square, X } from 'lucide-react'
import type { PathId } from '../../src/contract/ids.ts'
import { useCellRun } from '../state/runs.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { select } from './actions.ts'
import styles from './restore.module.css'
import { forgetStop, type Series, type Stopped, stopSeries } from './series.ts'

/** How far a series of cells has come, and what it waits for. */
export function SeriesBar({ path, series: { cell, done, total } }: { path: PathId; series: Series }) {
  const state = useCellRun(path, cell)?.view.state
  const place = `${done + 1} of ${total}`
  return (
    <div className={styles.bar} role="status">
      <FastForward aria-hidden />
      <span>
        {state === 'waiting' && `Cell ${place} waits for a reviewer; those below run after it.`}
        {state === 'held' && `Cell ${place} needs a stronger sandbox; those below run after it.`}
        {state !== 'waiting' && state !== 'held' && `Running cell ${place}`}
      </span>
      <progress value={done} max={total} aria-label="Cells that have run" />
      <Button look="quiet" icon={<Square />} onClick={() => stopSeries(path)}>
        {state === 'waiting' || state === 'held' ? 'Do not run the rest' : 'Stop after this one'}
      </Button>
    </div>
  )
}

/** Says that cells were not run, and because of which. */
export function StoppedBar({ path, stopped: { cell, end, notRun } }: { path: PathId; stopped: Stopped }) {
  return (
    <div className={styles.bar} role="alert">
      <CircleAlert aria-hidden />
      <span>
        Stopped at a cell that {end}: {notRun === 1 ? '1 cell below it was' : `${notRun} cells below it were`} not run.
      </span>
      <Button look="quiet" onClick={() => select(cell)}>
        Show the cell
      </Button>
      <IconButton label="Dismiss" icon={<X />} onClick={() => forgetStop(path)} />
    </div>
  )
}
