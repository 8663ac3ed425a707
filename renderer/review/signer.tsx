import { useQuery } from '@tanstack/react-query'
import { ChevronDown, KeyRound, Plus, UserRound } from 'lucide-react'
import { useState } from 'react'
import type { Identity, SignOnce } from '../../src/contract/approval.ts'
import { rpc } from '../state/queries.ts'
import { Menu } from '../ui/menu.tsx'
import styles from './identity.module.css'
import { NewReviewer, Passphrase, useMe } from './identity.tsx'

/** Somebody else who signs the next answer and no other. The window stays whose it is. */
export interface Once {
  readonly identity: Identity
  readonly as: SignOnce
}

/** Whose signature goes under the answer: this window's, or once that of somebody who stands beside it. */
export function Signer({ once, onOnce }: { once: Once | null; onOnce(once: Once | null): void }) {
  const me = useMe().data
  const all = useQuery(rpc.identities.list.queryOptions()).data ?? []
  const [asking, setAsking] = useState<Identity | 'new' | null>(null)
  const signer = once?.identity ?? me
  const others = all.filter(each => each.id !== me?.id && each.id !== once?.identity.id)
  const take = (identity: Identity, passphrase?: string) =>
    onOnce({ identity, as: { id: identity.id, ...(passphrase ? { passphrase } : {}) } })
  return (
    <>
      <Menu
        trigger={
          <button type="button" className={`${styles.me} ${styles.compact}`}>
            <UserRound aria-hidden />
            <span>
              {once ? 'This answer is signed by' : 'You sign as'} <b>{signer?.name ?? '…'}</b>
            </span>
            <ChevronDown aria-hidden />
          </button>
        }
        items={[
          ...(once && me ? [{ label: `Sign as ${me.name}`, icon: <UserRound />, onSelect: () => onOnce(null) }] : []),
          ...others.map(each => ({
            label: `Sign once as ${each.name}${each.protected ? ' (passphrase)' : ''}`,
            icon: each.protected ? <KeyRound /> : <UserRound />,
            onSelect: () => (each.protected ? setAsking(each) : take(each)),
          })),
          ...(others.length > 0 || once ? (['line'] as const) : []),
          { label: 'New reviewer…', icon: <Plus />, onSelect: () => setAsking('new') },
        ]}
      />
      {asking === 'new' && (
        <NewReviewer
          label="Make and sign once as them"
          onMade={async (identity, passphrase) => take(identity, passphrase)}
          onClose={() => setAsking(null)}
        />
      )}
      {asking !== null && asking !== 'new' && (
        <Passphrase
          identity={asking}
          label="Sign this answer"
          onEnter={async passphrase => take(asking, passphrase)}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  )
}
