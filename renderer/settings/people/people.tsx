import { useQuery } from '@tanstack/react-query'
import { KeyRound, ShieldCheck, ShieldQuestion, UserRound } from 'lucide-react'
import { useState } from 'react'
import type { Identity } from '../../../src/contract/approval.ts'
import { useMe, WhoAmI } from '../../review/identity.tsx'
import { client } from '../../state/connection.ts'
import { queryClient, rpc } from '../../state/queries.ts'
import { showToast } from '../../state/toasts.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Loading } from '../../ui/loading.tsx'
import { ProblemView } from '../../ui/problem.tsx'
import styles from './people.module.css'

/** Who can sign, whose yes counts where four eyes are wanted, and a way to vouch for somebody. */
export function People() {
  const me = useMe()
  const all = useQuery({ ...rpc.identities.list.queryOptions(), refetchOnMount: 'always' })
  const [asked, setAsked] = useState<Identity | null>(null)
  const error = all.error ?? me.error
  if (error) return <ProblemView error={error} onRetry={() => Promise.all([all.refetch(), me.refetch()])} />
  if (!all.data || !me.data) return <Loading />
  const names = new Map(all.data.map(each => [each.id, each.name]))
  return (
    <>
      <p className={styles.about}>
        Where the policy wants four eyes, a yes counts only from somebody who signs with a passphrase and for whom
        somebody else has vouched, who wrote no part of the code. Whoever vouches needs a passphrase too, and every
        vouch stands on the record.
      </p>
      <WhoAmI />
      <ul className={styles.list} aria-label="People who can sign">
        {all.data.map(person => (
          <Person key={person.id} person={person} me={me.data} names={names} onVouch={() => setAsked(person)} />
        ))}
      </ul>
      {asked && <Vouch person={asked} me={me.data} onClose={() => setAsked(null)} />}
    </>
  )
}

interface PersonProps {
  readonly person: Identity
  readonly me: Identity
  readonly names: ReadonlyMap<string, string>
  onVouch(): void
}

function Person({ person, me, names, onVouch }: PersonProps) {
  const counts = person.protected && person.vouches.length > 0
  const isMe = person.id === me.id
  const vouched = person.vouches.some(each => each.by === me.id)
  return (
    <li>
      {counts ? <ShieldCheck className={styles.counts} aria-hidden /> : <ShieldQuestion aria-hidden />}
      <div className={styles.who}>
        <strong>{person.name}</strong>
        {isMe && <span> (you)</span>}
        <p>
          {person.protected ? <KeyRound aria-hidden /> : <UserRound aria-hidden />}
          {person.protected ? 'signs with a passphrase' : 'has no passphrase: anybody at this machine can sign as them'}
        </p>
        <p>
          {person.vouches.length === 0
            ? 'Nobody has vouched for them.'
            : `Vouched for by ${person.vouches.map(each => names.get(each.by) ?? 'somebody unknown').join(', ')}.`}
        </p>
      </div>
      {!isMe && person.protected && (
        <Button onClick={onVouch} disabled={vouched || !me.protected}>
          {vouched ? 'Vouched' : `Vouch for ${person.name}`}
        </Button>
      )}
    </li>
  )
}

function Vouch({ person, me, onClose }: { person: Identity; me: Identity; onClose(): void }) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const vouch = async () => {
    setBusy(true)
    setError(null)
    try {
      await client.identities.vouch(person.id)
      await queryClient.invalidateQueries({ queryKey: rpc.identities.list.key() })
      showToast({ kind: 'info', text: `${me.name} has vouched for ${person.name}. Logged.` })
      onClose()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Vouch for ${person.name}?`}
      description={`You sign as ${me.name} that you know ${person.name} and that this key is theirs alone. It cannot be taken back.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" busy={busy} onClick={() => void vouch()}>
            Vouch
          </Button>
        </>
      }
    >
      <p className={styles.key}>{person.publicKey}</p>
      {error !== null && <ProblemView error={error} />}
    </Dialog>
  )
}
