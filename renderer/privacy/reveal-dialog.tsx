import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { ConversationId } from '../../src/contract/ids.ts'
import { client, problemFrom } from '../state/connection.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { sentencesOf, Words } from '../ui/words.tsx'
import styles from './dialogs.module.css'

interface RevealProps {
  readonly conversation: ConversationId
  readonly tokens: readonly string[]
  onClose(): void
  onRevealed(values: ReadonlyMap<string, string>): void
}

/** Asks why. The answer is on the record before a value is on the screen. */
export function RevealDialog({ conversation, tokens, onClose, onRevealed }: RevealProps) {
  const id = useId()
  const [reason, setReason] = useState('')
  const reveal = useMutation({
    mutationFn: async () => {
      const values = new Map<string, string>()
      try {
        for (const token of tokens)
          values.set(token, (await client.privacy.reveal({ conversation, token, reason: reason.trim() })).value)
      } finally {
        // What is on the record as seen is shown, also when a later one could not be.
        onRevealed(values)
      }
    },
    onSuccess: onClose,
  })
  const enough = reason.trim().length >= 3
  const what = tokens.length === 1 ? `the value of ${tokens[0]}` : `${tokens.length} values`
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Reveal ${what}`}
      description="The audit record will say that you looked, when, and why. This cannot be taken back."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={!enough} busy={reveal.isPending} onClick={() => reveal.mutate()}>
            Record and reveal
          </Button>
        </>
      }
    >
      <form
        className={styles.form}
        onSubmit={event => {
          event.preventDefault()
          if (enough && !reveal.isPending) reveal.mutate()
        }}
      >
        <label htmlFor={id}>Reason</label>
        <input
          id={id}
          value={reason}
          maxLength={1000}
          placeholder="e.g. checking the account against the bank’s letter"
          autoComplete="off"
          onChange={event => setReason(event.target.value)}
        />
        {reveal.isError && (
          <p className={styles.problem} role="alert">
            <Words text={sentencesOf(problemFrom(reveal.error))} />
          </p>
        )}
      </form>
    </Dialog>
  )
}
