import { CircleCheck, CircleHelp, CircleX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type CellVerdict, type ReplayReport, replayVerdicts } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { Numbers } from '../compare/numbers.tsx'
import { select } from '../notebook/actions.ts'
import { findItem } from '../notebook/path-data.ts'
import { client } from '../state/connection.ts'
import { setView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ProblemView } from '../ui/problem.tsx'
import styles from './replay.module.css'

const verdicts = {
  identical: { icon: CircleCheck, text: 'identical' },
  different: { icon: CircleX, text: 'different' },
  'not-reproducible': { icon: CircleHelp, text: 'not reproducible' },
} as const

/** Runs a path again in a fresh sandbox and says, cell by cell, whether the same came out. */
export default function Replay({ path }: { path: PathId }) {
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null)
  const [report, setReport] = useState<ReplayReport | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is a reason to start again
  useEffect(() => {
    const stop = new AbortController()
    setReport(null)
    setError(null)
    const follow = async () => {
      for await (const event of await client.runs.replay(path, { signal: stop.signal })) {
        if (event.type === 'cell') setProgress(event)
        else setReport(event.report)
      }
    }
    follow().catch(thrown => !stop.signal.aborted && setError(thrown))
    return () => stop.abort()
  }, [path, attempt])
  const close = () => setView({ replay: null })
  return (
    <Dialog
      open
      wide
      onClose={close}
      title="Replay"
      description="Every cell of this path, run again in a fresh sandbox beside it and compared with what is on record."
      footer={
        report ? (
          <>
            <Button onClick={() => setAttempt(attempt + 1)}>Replay again</Button>
            <Button look="primary" onClick={close}>
              Done
            </Button>
          </>
        ) : (
          <Button onClick={close}>Stop</Button>
        )
      }
    >
      {error ? (
        <ProblemView error={error} onRetry={() => setAttempt(attempt + 1)} />
      ) : report ? (
        <Verdicts path={path} report={report} />
      ) : (
        <p role="status" className={styles.progress}>
          <progress max={progress?.total ?? 1} value={progress?.done ?? 0} aria-label="Replay" />
          {progress ? `Cell ${progress.done + 1} of ${progress.total}` : 'Starting a fresh sandbox…'}
        </p>
      )}
    </Dialog>
  )
}

function Verdicts({ path, report }: { path: PathId; report: ReplayReport }) {
  const Icon = verdicts[report.verdict].icon
  return (
    <>
      <p className={`${styles.whole} ${styles[report.verdict]}`}>
        <Icon aria-hidden />
        {report.cells.length === 0 ? 'There is no code on this path to replay.' : counted(report)}
      </p>
      <ol className={styles.cells}>
        {report.cells.map(verdict => (
          <OneCell key={verdict.cell} path={path} verdict={verdict} />
        ))}
      </ol>
    </>
  )
}

/** What there is of each verdict, without those that nothing had. */
const counted = ({ counts }: ReplayReport) =>
  replayVerdicts
    .filter(verdict => counts[verdict] > 0)
    .map(verdict => `${counts[verdict]} ${verdicts[verdict].text}`)
    .join(', ')

const Side = ({ name, text }: { name: string; text: string }) => (
  <figure>
    <figcaption>{name}</figcaption>
    <pre>{text}</pre>
  </figure>
)

function OneCell({ path, verdict }: { path: PathId; verdict: CellVerdict }) {
  const { icon: Icon, text } = verdicts[verdict.verdict]
  const code =
    findItem(path, verdict.cell)
      ?.text.split('\n')
      .find(line => line.trim()) ?? 'cell'
  const show = () => {
    setView({ replay: null })
    select(verdict.cell)
  }
  return (
    <li>
      <div className={styles.head}>
        <span className={`${styles.verdict} ${styles[verdict.verdict]}`}>
          <Icon aria-hidden /> {text}
        </span>
        <button type="button" onClick={show}>
          <code>{code}</code>
        </button>
      </div>
      {verdict.verdict !== 'identical' && <p className={styles.reason}>{verdict.reason}</p>}
      {verdict.differences.map(difference => (
        <div key={difference.what + difference.recorded} className={styles.difference}>
          {difference.numbers.length > 0 ? (
            <Numbers pairs={difference.numbers} names={{ left: 'recorded', right: 'replayed' }} />
          ) : (
            <div className={styles.sides}>
              <Side name="recorded" text={difference.recorded} />
              <Side name="replayed" text={difference.replayed} />
            </div>
          )}
        </div>
      ))}
    </li>
  )
}
