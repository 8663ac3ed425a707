import { useState } from 'react'
import type { ContextStatus } from '../../src/contract/contexts.ts'
import { currentPath } from '../notebook/path-data.ts'
import { cellsBefore } from '../notebook/restoring.ts'
import { runSeries } from '../notebook/series.ts'
import { client } from '../state/connection.ts'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import styles from './kinds-menu.module.css'

/** Replaces a sandbox by a new one of its kind when the person says so, and runs the cells again. */
export function RotateDialog({ status, onClose }: { status: ContextStatus; onClose(): void }) {
  const [again, setAgain] = useState(true)
  const [busy, setBusy] = useState(false)
  const { path } = status
  const cells = cellsBefore({ ...status, state: 'expired' }, currentPath(path)?.items ?? [])
  const replace = async () => {
    setBusy(true)
    try {
      await client.sandbox.rotate(path)
      onClose()
      if (again && cells.length > 0) await runSeries(path, cells)
    } catch (error) {
      showProblem(error)
      onClose()
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Replace the sandbox?"
      description={`It has done ${status.runs === 1 ? '1 run' : `${status.runs} runs`}. The next one starts clean: files stay, variables do not.`}
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="primary" busy={busy} onClick={() => void replace()}>
            Replace it
          </Button>
        </>
      }
    >
      {cells.length > 0 && (
        <label className={styles.replay}>
          <input type="checkbox" checked={again} onChange={event => setAgain(event.target.checked)} />
          Run the {cells.length === 1 ? 'cell' : `${cells.length} cells`} again that ran here
        </label>
      )}
    </Dialog>
  )
}
