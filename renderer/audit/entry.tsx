import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { AuditDetail, AuditEntry } from '../../src/contract/audit.ts'
import { StaticCode } from '../editor/static-code.tsx'
import { Text } from '../output/text/text.tsx'
import { rpc } from '../state/queries.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { textActions } from './actions.ts'
import { NotKept } from './copy.tsx'
import styles from './entry.module.css'
import { entryActions } from './entry-actions.tsx'
import { momentOf } from './format.ts'
import { fieldOf, ResultMark, RiskMark, resultOf, Sentence } from './marks.tsx'
import { useNames } from './people.ts'
import { Proof } from './proof.tsx'
import { RunStory } from './run-story.tsx'
import { useAudit } from './state.ts'
import { actionLabels, tell } from './words.ts'

/** The page of one entry: what it says, what belongs to it, and the proof that it is on the record. */
export function EntryPage({ seq, onClose }: { seq: number; onClose(): void }) {
  const { data, error, refetch } = useQuery(rpc.audit.entry.queryOptions({ input: seq }))
  const last = useAudit(state => state.last)
  const unsigned = data !== undefined && data.proof === null
  const page = useRef<HTMLElement>(null)
  useEffect(() => {
    // A signature over a new entry comes a moment after it.
    if (unsigned && last >= seq) void refetch()
  }, [unsigned, last, seq, refetch])
  return (
    <article
      ref={page}
      className={styles.page}
      aria-label={`Entry ${seq}`}
      onKeyDown={event => event.key === 'Escape' && onClose()}
    >
      <IconButton className={styles.close} label="Close the entry" keys="Escape" icon={<X />} onClick={onClose} />
      {error ? <ProblemView error={error} onRetry={() => refetch()} /> : data ? <Entry detail={data} /> : <Loading />}
    </article>
  )
}

function Entry({ detail }: { detail: AuditDetail }) {
  const nameOf = useNames()
  const { item, bodies, personal } = detail
  const { entry } = item
  const who = nameOf(entry.actor)
  const result = resultOf(item)
  return (
    <>
      <header className={styles.head}>
        <p className={styles.kind}>
          {actionLabels[entry.action]} · #{entry.seq}
        </p>
        <h2>
          <Sentence text={tell(entry, who)} who={who} />
        </h2>
        <p className={styles.when}>
          <time dateTime={new Date(entry.at).toISOString()}>{momentOf(entry.at)}</time>
        </p>
        <div className={styles.marks}>
          <RiskMark item={item} />
          {result && <ResultMark result={result} />}
        </div>
      </header>
      <Links entry={entry} />
      <Reasons details={entry.details} />
      {entry.run ? (
        <RunStory run={entry.run} current={entry.seq} />
      ) : (
        Object.entries(bodies).map(([name, text]) => (
          <section key={name} className={styles.section}>
            <h3>{name}</h3>
            {text === null ? <NotKept /> : <Text chunks={[text]} label={name} actions={textActions} />}
          </section>
        ))
      )}
      {Object.entries(personal).map(([name, value]) => (
        <section key={name} className={styles.section}>
          <h3>{name}</h3>
          <p>{value ?? 'This value was erased. The entry still has the commitment to it.'}</p>
        </section>
      ))}
      <Proof detail={detail} />
      <details className={styles.section}>
        <summary>Everything the entry says</summary>
        <StaticCode text={JSON.stringify(entry, null, 2)} language="json" onPoint={() => undefined} />
      </details>
    </>
  )
}

/** Why the policy wanted a reviewer, in its own words. */
function Reasons({ details }: { details: AuditEntry['details'] }) {
  const reasons = fieldOf(details, 'reasons')
  const texts = Array.isArray(reasons) ? reasons.filter(reason => typeof reason === 'string') : []
  if (texts.length === 0) return null
  return (
    <section className={styles.section}>
      <h3>Why it needs a reviewer</h3>
      <ul className={styles.list}>
        {texts.map(text => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  )
}

/** Ways from an entry to what it speaks of. */
function Links({ entry }: { entry: AuditEntry }) {
  return (
    <nav className={styles.links} aria-label="What the entry speaks of">
      {entryActions(entry).map(({ label, icon, leads, onSelect }) => (
        <Button key={label} icon={icon} {...(leads ? {} : { look: 'quiet' as const })} onClick={onSelect}>
          {label}
        </Button>
      ))}
    </nav>
  )
}
