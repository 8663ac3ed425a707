import { CircleAlert, FastForward, Square, X } from 'lucide-react'
import type { PathId } from '../../src/contract/ids.ts'
import type { Series } from '../../src/contract/series.ts'
import { client } from '../state/connection.ts'
import { useCellRun } from '../state/runs.ts'
import { showProblem } from '../state/toasts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { select } from './actions.ts'
import styles from './restore.module.css'
import { resumeSeries } from './series.ts'
import { wordOf } from './series-end.ts'

/** How far a series of cells has come, what it waits for, and what became of it. */
export function SeriesBar({ series }: { series: Series }) {
  if (series.state === 'running') return <Running series={series} />
  return series.state === 'left' ? <Left series={series} /> : <Stopped series={series} />
}

function Running({ series: { path, cell, ...series } }: { series: Series }) {
  const state = useCellRun(path, cell)?.view.state
  const place = placeOf(series)
  const isHeldUp = state === 'waiting' || state === 'held'
  return (
    <div className={styles.bar} role="status">
      <FastForward aria-hidden />
      <span>
        {state === 'waiting' && `Cell ${place} waits for a reviewer; those below run after it.`}
        {state === 'held' && `Cell ${place} needs a stronger sandbox; those below run after it.`}
        {!isHeldUp && `Running cell ${place}`}
      </span>
      <Far series={series} />
      <Button look="quiet" icon={<Square />} onClick={() => end(path)}>
        {isHeldUp ? 'Do not run the rest' : 'Stop after this one'}
      </Button>
    </div>
  )
}

function Left({ series: { path, ...series } }: { series: Series }) {
  return (
    <div className={styles.bar} role="status">
      <FastForward aria-hidden />
      <span>Countersign ended at cell {placeOf(series)}. The cells below it were not run.</span>
      <Far series={series} />
      <Button onClick={() => void resumeSeries(path).catch(showProblem)}>Run the rest</Button>
      <Dismiss path={path} />
    </div>
  )
}

function Stopped({ series: { path, cell, end, waiting } }: { series: Series }) {
  const notRun = waiting.length
  return (
    <div className={styles.bar} role="alert">
      <CircleAlert aria-hidden />
      <span>
        Stopped at a cell that {end ? wordOf(end) : 'failed'}:{' '}
        {notRun === 1 ? '1 cell after it was' : `${notRun} cells after it were`} not run.
      </span>
      <Button look="quiet" onClick={() => select(cell)}>
        Show the cell
      </Button>
      <Dismiss path={path} />
    </div>
  )
}

type Place = Pick<Series, 'done' | 'waiting'>

const totalOf = ({ done, waiting }: Place): number => done + 1 + waiting.length
const placeOf = (series: Place): string => `${series.done + 1} of ${totalOf(series)}`

const Far = ({ series }: { series: Place }) => (
  <progress value={series.done} max={totalOf(series)} aria-label="Cells that have run" />
)

const Dismiss = ({ path }: { path: PathId }) => <IconButton label="Dismiss" icon={<X />} onClick={() => end(path)} />

const end = (path: PathId) => void client.series.end(path).catch(showProblem)
