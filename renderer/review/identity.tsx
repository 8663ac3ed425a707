import { useQuery } from '@tanstack/react-query'
import { ChevronDown, KeyRound, Plus, UserRound } from 'lucide-react'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import type { Identity } from '../../src/contract/approval.ts'
import { client, problemFrom } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Menu } from '../ui/menu.tsx'
import { sentencesOf, Words } from '../ui/words.tsx'
import { useFingerprint } from './fingerprint.ts'
import styles from './identity.module.css'

/** Whom this window signs as. */
export const useMe = () => useQuery(rpc.identities.current.queryOptions())

async function become(id: Identity['id'], passphrase?: string): Promise<void> {
  const identity = await client.identities.logIn({ id, ...(passphrase ? { passphrase } : {}) })
  queryClient.setQueryData(rpc.identities.current.queryKey(), identity)
  showToast({ kind: 'info', text: `This window now acts and signs as ${identity.name}.` })
}

/** Who am I, always in sight where one can sign; and a way to be somebody else. */
export function WhoAmI() {
  const me = useMe()
  const all = useQuery(rpc.identities.list.queryOptions())
  const key = useFingerprint(me.data?.publicKey)
  const [asking, setAsking] = useState<Identity | 'new' | null>(null)
  const others = (all.data ?? []).filter(each => each.id !== me.data?.id)
  if (me.isError) return <p className={styles.problem}>{problemFrom(me.error).message}</p>
  return (
    <>
      <Menu
        trigger={
          <button type="button" className={styles.me}>
            <UserRound aria-hidden />
            <span>
              You sign as <b>{me.data?.name ?? '…'}</b>
              {key && <span className={styles.key}>key {key.slice(0, 9)}</span>}
            </span>
            <ChevronDown aria-hidden />
          </button>
        }
        items={[
          ...others.map(each => ({
            label: each.protected ? `${each.name} (passphrase)` : each.name,
            icon: each.protected ? <KeyRound /> : <UserRound />,
            onSelect: () => (each.protected ? setAsking(each) : void become(each.id).catch(showProblem)),
          })),
          ...(others.length > 0 ? (['line'] as const) : []),
          { label: 'New reviewer…', icon: <Plus />, onSelect: () => setAsking('new') },
        ]}
      />
      {asking === 'new' && <NewReviewer onClose={() => setAsking(null)} />}
      {asking !== null && asking !== 'new' && <Passphrase identity={asking} onClose={() => setAsking(null)} />}
    </>
  )
}

interface PassphraseProps {
  readonly identity: Identity
  readonly label?: string
  onEnter?(passphrase: string): Promise<void>
  onClose(): void
}

export function Passphrase({
  identity,
  label = 'Log in',
  onEnter = passphrase => become(identity.id, passphrase),
  onClose,
}: PassphraseProps) {
  const [text, setText] = useState('')
  const input = useFirst()
  const { busy, problem, attempt } = useAttempt(onClose)
  const enter = () => attempt(() => onEnter(text))
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Passphrase of ${identity.name}`}
      description="It opens the signing key. It is not kept and cannot be recovered."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" busy={busy} disabled={text === ''} onClick={enter}>
            {label}
          </Button>
        </>
      }
    >
      <label className={styles.field}>
        Passphrase
        <input
          ref={input}
          type="password"
          autoComplete="current-password"
          value={text}
          onChange={event => setText(event.target.value)}
          onKeyDown={event => event.key === 'Enter' && text !== '' && enter()}
        />
      </label>
      {problem}
    </Dialog>
  )
}

interface NewReviewerProps {
  readonly label?: string
  onMade?(identity: Identity, passphrase: string): Promise<void>
  onClose(): void
}

export function NewReviewer({
  label = 'Make and sign as them',
  onMade = (identity, passphrase) => become(identity.id, passphrase),
  onClose,
}: NewReviewerProps) {
  const [name, setName] = useState('')
  const [passphrase, setPassphrase] = useState('')
  const [again, setAgain] = useState('')
  const input = useFirst()
  const { busy, problem, attempt } = useAttempt(onClose)
  const differs = passphrase !== again
  const make = () =>
    attempt(async () => {
      const made = await client.identities.create({ name, ...(passphrase ? { passphrase } : {}) })
      await queryClient.invalidateQueries({ queryKey: rpc.identities.list.key() })
      await onMade(made, passphrase)
    })
  return (
    <Dialog
      open
      onClose={onClose}
      title="New reviewer"
      description="Gets a signing key of their own, kept in the key store of this machine. What they sign bears their name."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" busy={busy} disabled={name.trim() === '' || differs} onClick={make}>
            {label}
          </Button>
        </>
      }
    >
      <label className={styles.field}>
        Name
        <input
          ref={input}
          value={name}
          maxLength={100}
          autoComplete="off"
          onChange={event => setName(event.target.value)}
        />
      </label>
      <label className={styles.field}>
        Passphrase, at least 8 characters (without one, anybody at this machine can sign as them)
        <input
          type="password"
          autoComplete="new-password"
          value={passphrase}
          onChange={event => setPassphrase(event.target.value)}
        />
      </label>
      <label className={styles.field}>
        Passphrase again
        <input
          type="password"
          autoComplete="new-password"
          value={again}
          onChange={event => setAgain(event.target.value)}
        />
      </label>
      {differs && again !== '' && <p className={styles.problem}>The two passphrases differ.</p>}
      {problem}
    </Dialog>
  )
}

/** Has the focus when the dialog opens, in place of the button that closes it. */
function useFirst(): RefObject<HTMLInputElement | null> {
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => input.current?.focus(), [])
  return input
}

/** Tries something and shows why it failed; closes when it did not. */
function useAttempt(onDone: () => void) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const attempt = (work: () => Promise<void>) => {
    setBusy(true)
    setError(null)
    work()
      .then(onDone, setError)
      .finally(() => setBusy(false))
  }
  const found = error ? problemFrom(error) : null
  const problem = found && (
    <p className={styles.problem} role="alert">
      <Words text={sentencesOf(found)} />
    </p>
  )
  return { busy, problem, attempt }
}
