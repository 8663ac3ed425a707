import { useEffect, useState } from 'react'
import type { PathId } from '../../src/contract/ids.ts'
import { download } from '../home/upload.ts'
import { client } from '../state/connection.ts'
import { Table } from '../table/table.tsx'
import { readWhole, TableChanged, type WholeTable } from '../table/whole.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import styles from './table-viewer.module.css'
import { closeTable, type Viewed } from './viewed-table.ts'

/** A data frame of the sandbox as it is now, with all its rows: to sort, filter, copy and save. */
export default function TableViewer({ path, name }: Viewed) {
  const { table, progress, error, again, stop } = useWhole(path, name)
  return (
    <Dialog open wide onClose={closeTable} title={name} description="As it is in the sandbox now.">
      <div className={styles.viewer}>
        {error && !(error instanceof TableChanged) ? (
          <ProblemView error={error} onRetry={again} />
        ) : table ? (
          <Table source={table.source} totalRows={table.rows} name={name} fill onSave={download} />
        ) : (
          <Loading text="Reading the first rows…" />
        )}
        {error instanceof TableChanged && (
          <p className={styles.state} role="alert">
            It was changed while it was read: these are the first rows of what it was.
            <Button onClick={again}>Read it again</Button>
          </p>
        )}
        {!error && progress && (
          <p className={styles.state} role="status">
            <progress max={progress.rows} value={progress.read} aria-label="Reading" />
            {progress.read.toLocaleString('en')} of {progress.rows.toLocaleString('en')} rows read
            <Button look="quiet" onClick={stop}>
              Stop
            </Button>
          </p>
        )}
      </div>
    </Dialog>
  )
}

function useWhole(path: PathId, name: string) {
  const [round, setRound] = useState(0)
  const [table, setTable] = useState<WholeTable | null>(null)
  const [progress, setProgress] = useState<{ read: number; rows: number } | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [stopping, setStopping] = useState(() => new AbortController())
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round reads it again
  useEffect(() => {
    const stop = new AbortController()
    let gone = false
    setStopping(stop)
    setError(null)
    readWhole(
      from => client.sandbox.table({ path, language: 'python', name, from }),
      ({ table, read, rows }) => {
        if (gone) return
        if (table) setTable(table)
        setProgress(read < rows ? { read, rows } : null)
      },
      stop.signal,
    ).then(
      whole => {
        if (gone) return
        setTable(whole)
        setProgress(null)
      },
      problem => !gone && setError(problem),
    )
    return () => {
      gone = true
      stop.abort()
    }
  }, [path, name, round])
  return { table, progress, error, again: () => setRound(round + 1), stop: () => stopping.abort() }
}
