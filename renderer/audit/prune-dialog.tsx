import { useId, useState } from 'react'
import type { Pruning } from '../../src/contract/audit.ts'
import { client } from '../state/connection.ts'
import { showToast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { momentOf } from './format.ts'
import styles from './keeping.module.css'
import { counted } from './words.ts'
import { useWork } from './work.ts'

interface PruneDialogProps {
  readonly before: number
  readonly due: { count: number; more: boolean }
  onClose(): void
}

/** Removing cannot be undone: the person types what will happen, and says why. */
export function PruneDialog({ before, due, onClose }: PruneDialogProps) {
  const [typed, setTyped] = useState('')
  const [reason, setReason] = useState('')
  const work = useWork<Pruning>()
  const [typedId, reasonId] = [useId(), useId()]
  const phrase = `remove ${due.more ? 'more than ' : ''}${due.count}`
  const isReady = typed.trim().toLowerCase() === phrase && reason.trim().length >= 3
  const prune = async () => {
    const input = { before, expected: due, reason }
    const done = await work.start(signal => client.audit.prune(input, { signal }))
    if (!done) return
    const text = `${counted(done.entries, 'entry', 'entries')} and ${counted(done.bodies, 'text')} were removed.`
    showToast({ kind: 'good', text, hint: 'A signed tombstone takes their place.' })
    onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Remove old entries"
      description={`What ${due.more ? 'more than ' : ''}${counted(due.count, 'entry', 'entries')} from before ${momentOf(before)} say will be gone for good.`}
      footer={
        <>
          <Button onClick={onClose}>Keep them</Button>
          <Button look="danger" disabled={!isReady} busy={work.running} onClick={() => void prune()}>
            Remove
          </Button>
        </>
      }
    >
      {work.error !== null && <ProblemView error={work.error} />}
      {work.running ? (
        <p role="status">
          <progress max={work.progress?.total ?? 1} value={work.progress?.done} aria-label="Removing" />
        </p>
      ) : (
        <div className={styles.fields}>
          <label htmlFor={reasonId}>Why they may go, for the record</label>
          <input id={reasonId} value={reason} maxLength={1000} onChange={event => setReason(event.target.value)} />
          <label htmlFor={typedId}>
            Type <code>{phrase}</code> to confirm
          </label>
          <input id={typedId} value={typed} autoComplete="off" onChange={event => setTyped(event.target.value)} />
        </div>
      )}
    </Dialog>
  )
}
