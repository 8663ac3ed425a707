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

/** Who can sign, whose yes counts where four eyes are wanted, and a way to vouch for somebody or to withdraw that. */
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
        Where the policy wants four eyes, an approval counts only if its reviewer wrote no part of the code, signs with
        a passphrase, and somebody else has vouched for them. Whoever vouches needs a passphrase too and can withdraw
        it; both are on the record.
      </p>
      <WhoAmI />
      <ul className={styles.list} aria-label="People who can sign">
        {all.data.map(person => (
          <Person key={person.id} person={person} me={me.data} names={names} onAsk={() => setAsked(person)} />
        ))}
      </ul>
      {asked && <Word person={asked} me={me.data} onClose={() => setAsked(null)} />}
    </>
  )
}

interface PersonProps {
  readonly person: Identity
  readonly me: Identity
  readonly names: ReadonlyMap<string, string>
  onAsk(): void
}

function Person({ person, me, names, onAsk }: PersonProps) {
  const counts = person.protected && person.vouches.length > 0
  const isMe = person.id === me.id
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
        <Button onClick={onAsk} disabled={!me.protected}>
          {hasVouched(me, person) ? `Withdraw vouch for ${person.name}` : `Vouch for ${person.name}`}
        </Button>
      )}
    </li>
  )
}

const hasVouched = (me: Identity, person: Identity): boolean => person.vouches.some(each => each.by === me.id)

/** Asks before it signs: a vouch, or that it is withdrawn. */
function Word({ person, me, onClose }: { person: Identity; me: Identity; onClose(): void }) {
  // Fixed while the question stands: a list that was fetched anew must not turn it into the opposite.
  const [word] = useState(() => (hasVouched(me, person) ? withdrawing : vouching))
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const sign = async () => {
    setBusy(true)
    setError(null)
    try {
      await word.sign(person.id)
      await queryClient.invalidateQueries({ queryKey: rpc.identities.list.key() })
      showToast({ kind: 'info', text: `${me.name} ${word.done} ${person.name}. Logged.` })
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
      title={word.title(person.name)}
      description={word.description(me.name, person.name)}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={word.look} busy={busy} onClick={() => void sign()}>
            {word.verb}
          </Button>
        </>
      }
    >
      <p className={styles.key}>{person.publicKey}</p>
      {error !== null && <ProblemView error={error} />}
    </Dialog>
  )
}

const vouching = {
  look: 'primary',
  verb: 'Vouch',
  done: 'has vouched for',
  title: (name: string) => `Vouch for ${name}?`,
  description: (me: string, name: string) =>
    `You sign as ${me} that you know ${name} and that this key is theirs alone. You can withdraw it later.`,
  sign: (id: Identity['id']) => client.identities.vouch(id),
} as const

const withdrawing = {
  look: 'danger',
  verb: 'Withdraw',
  done: 'has withdrawn the vouch for',
  title: (name: string) => `Withdraw your vouch for ${name}?`,
  description: (me: string, name: string) =>
    `You sign as ${me} that you do not vouch for ${name} any more. What they decided before stays as it is; what they decide from now on does not count as four eyes on your word.`,
  sign: (id: Identity['id']) => client.identities.withdraw(id),
} as const
