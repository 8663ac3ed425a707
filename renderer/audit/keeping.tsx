import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { retentionChosen } from '../../src/contract/settings.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { setView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Loading } from '../ui/loading.tsx'
import { Hash } from './copy.tsx'
import { momentOf } from './format.ts'
import styles from './keeping.module.css'
import { PruneDialog } from './prune-dialog.tsx'
import { RetentionQuestion } from './retention-question.tsx'
import { counted } from './words.ts'

const dayMs = 86_400_000

/** How long entries are kept, and the key that signs for them. */
export function Keeping() {
  return (
    <div className={styles.keeping}>
      <Retention />
      <Key />
    </div>
  )
}

function Retention() {
  const { data: settings } = useQuery(rpc.settings.get.queryOptions())
  const [asking, setAsking] = useState(false)
  // Once per visit: a moment that moves with the clock would never be the one that was looked at.
  const [now] = useState(Date.now)
  const days = settings ? retentionChosen(settings) : null
  const before = days === null ? null : now - days * dayMs
  const due = useQuery({
    ...rpc.audit.due.queryOptions({ input: { before: before ?? 0 } }),
    enabled: before !== null,
    staleTime: 0,
  })
  if (settings && days === null) {
    return (
      <section className={styles.part} aria-label="Retention">
        <h2>Retention</h2>
        <RetentionQuestion />
      </section>
    )
  }
  if (days === null || before === null || !due.data) return <Loading />
  const { count, more } = due.data
  return (
    <section className={styles.part} aria-label="Retention">
      <h2>Retention</h2>
      <p>
        Entries are kept for <b>{counted(days, 'day')}</b>.{' '}
        <button type="button" className={styles.link} onClick={() => setView({ place: 'settings' })}>
          Change this in the settings
        </button>
      </p>
      <p>
        {count === 0 ? (
          `Nothing is older than ${momentOf(before)}. There is nothing to remove.`
        ) : (
          <>
            <b>
              {more ? 'More than ' : ''}
              {counted(count, 'entry', 'entries')}
            </b>{' '}
            from before {momentOf(before)} can be removed. Their contents go for good; their hashes stay, and a signed
            tombstone takes their place, so that the record still verifies.
          </>
        )}
      </p>
      {count > 0 && (
        <Button look="danger" icon={<Trash2 />} onClick={() => setAsking(true)}>
          Remove old entries…
        </Button>
      )}
      {asking && (
        <PruneDialog
          before={before}
          due={due.data}
          onClose={() => {
            setAsking(false)
            void due.refetch()
          }}
        />
      )}
    </section>
  )
}

function Key() {
  const { data } = useQuery({ ...rpc.audit.state.queryOptions(), staleTime: 0 })
  const [reason, setReason] = useState('')
  const id = useId()
  const rotate = useMutation({
    mutationFn: () => client.audit.rotateKey({ reason }),
    onSuccess: state => {
      queryClient.setQueryData(rpc.audit.state.queryKey(), state)
      setReason('')
      showToast({
        kind: 'good',
        text: 'The record has a new key.',
        hint: 'The old one endorsed it and can sign no more.',
      })
    },
    onError: showProblem,
  })
  if (!data) return <Loading />
  return (
    <section className={styles.part} aria-label="Signing key">
      <h2>Signing key</h2>
      <p>
        Fingerprint <Hash value={data.checkpoint.key} label="the key’s fingerprint" whole />
      </p>
      <p>
        Compare it with a copy that was kept elsewhere: whoever can replace the whole record can also replace the key,
        but not what you wrote down.
      </p>
      <form
        className={styles.rotate}
        onSubmit={event => {
          event.preventDefault()
          rotate.mutate()
        }}
      >
        <label htmlFor={id}>Replace it, because</label>
        <input
          id={id}
          value={reason}
          minLength={3}
          maxLength={1000}
          required
          placeholder="e.g. yearly change"
          onChange={event => setReason(event.target.value)}
        />
        <Button type="submit" icon={<KeyRound />} busy={rotate.isPending} disabled={reason.trim().length < 3}>
          Replace the key
        </Button>
      </form>
    </section>
  )
}
