import { useQuery } from '@tanstack/react-query'
import { Ban, Stamp } from 'lucide-react'
import type { ApprovalRequest } from '../../src/contract/approval.ts'
import { rpc } from '../state/queries.ts'
import { useFingerprint } from './fingerprint.ts'
import styles from './sections.module.css'
import { VisibleText } from './visible-text.tsx'
import { when, whenExactly } from './words.ts'

/** Who decided, when, over what, with which key. */
export function Signature({ request }: { request: ApprovalRequest }) {
  const { decision, reviewer } = request
  const people = useQuery(rpc.identities.list.queryOptions()).data
  const key = useFingerprint(people?.find(each => each.id === reviewer?.id)?.publicKey)
  if (!decision || !reviewer) return null
  const approved = decision.verdict === 'approve'
  const Icon = approved ? Stamp : Ban
  return (
    <section
      className={approved ? styles.signature : `${styles.signature} ${styles.denied}`}
      aria-label={approved ? 'Approval' : 'Denial'}
    >
      <h3>
        <Icon aria-hidden />
        {approved ? 'Approved' : 'Denied'} by {reviewer.name}
      </h3>
      {decision.comment && (
        <p className={styles.said}>
          <VisibleText text={decision.comment} />
        </p>
      )}
      <dl>
        <dt>When</dt>
        <dd>{whenExactly(decision.decidedAt)}</dd>
        <dt>Signed hash</dt>
        <dd>
          <code title={decision.subject}>{decision.subject.slice(0, 16)}</code>
        </dd>
        <dt>Key</dt>
        <dd>
          <code>{key || 'not on this machine'}</code> (Ed25519)
        </dd>
        <dt>Signature</dt>
        <dd>
          <code title={decision.signature ?? ''}>{decision.signature?.slice(0, 24)}…</code>
        </dd>
      </dl>
    </section>
  )
}

/** What was said and done about a request, in order. */
export function Discussion({ request }: { request: ApprovalRequest }) {
  const events = [
    ...request.revisions.map(each => ({
      at: each.at,
      who: each.author.name,
      did: each.number === 1 ? 'asked' : `proposed version ${each.number}`,
      text: '',
    })),
    ...request.comments.map(each => ({ at: each.at, who: each.author.name, did: 'said', text: each.text })),
  ].sort((a, b) => a.at - b.at)
  return (
    <section className={styles.section} aria-label="Discussion">
      <h3>Discussion</h3>
      <ol className={styles.timeline}>
        {events.map((event, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: events are only ever added at the end
          <li key={index}>
            <header>
              <b>{event.who}</b> {event.did} · {when(event.at)}
            </header>
            {event.text && (
              <p className={styles.said}>
                <VisibleText text={event.text} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
