import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { ConversationId } from '../../src/contract/ids.ts'
import { client, problemFrom } from '../state/connection.ts'
import { showToast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { sentencesOf, Words } from '../ui/words.tsx'
import styles from './dialogs.module.css'

/** The one thing on these screens that nothing brings back; so it asks, and the safe choice comes first. */
export function ForgetDialog({ conversation, onClose }: { conversation: ConversationId; onClose(): void }) {
  const id = useId()
  const [reason, setReason] = useState('')
  const forget = useMutation({
    mutationFn: () => client.privacy.forget({ conversation, reason: reason.trim() }),
    onSuccess: ({ count }) => {
      onClose()
      const text = count === 1 ? '1 value was erased.' : `${count.toLocaleString('en')} values were erased.`
      showToast({ kind: 'good', text })
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title="Erase the values behind this conversation’s tokens"
      description="Its tokens can never be put back again, here or anywhere. The record keeps who did this and why."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            disabled={reason.trim().length < 3}
            busy={forget.isPending}
            onClick={() => forget.mutate()}
          >
            Erase for good
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <label htmlFor={id}>Reason</label>
        <input
          id={id}
          value={reason}
          maxLength={1000}
          placeholder="e.g. the client asked for erasure"
          autoComplete="off"
          onChange={event => setReason(event.target.value)}
        />
        {forget.isError && (
          <p className={styles.problem} role="alert">
            <Words text={sentencesOf(problemFrom(forget.error))} />
          </p>
        )}
      </div>
    </Dialog>
  )
}
