import { useQuery } from '@tanstack/react-query'
import { Plus, ShieldCheck, X } from 'lucide-react'
import { useId, useState } from 'react'
import type { ConversationId, PathId } from '../../../src/contract/ids.ts'
import { type Operation, operations, Policy, TrustedContext } from '../../../src/contract/policy.ts'
import { describeTrust } from '../../../src/contract/trust.ts'
import { useNow } from '../../sandbox/badge.tsx'
import { rpc } from '../../state/queries.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Group, Several } from './fields.tsx'
import styles from './policy.module.css'

/** Where less is asked. Each grant is told in words that are made from the grant itself. */
export function TrustedContexts({
  trusted,
  onChange,
}: {
  trusted: readonly TrustedContext[]
  onChange(trusted: TrustedContext[]): void
}) {
  const [adding, setAdding] = useState(false)
  return (
    <Group title="Trusted conversations" about={Policy.shape.trusted.description}>
      {trusted.length === 0 && !adding && (
        <p className={styles.empty}>None: every conversation is asked about alike.</p>
      )}
      <ul className={styles.grants}>
        {trusted.map((grant, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two grants can be alike; the list has no other names
          <Grant key={index} grant={grant} onRemove={() => onChange(trusted.filter((_, at) => at !== index))} />
        ))}
      </ul>
      {adding ? (
        <NewGrant
          onCancel={() => setAdding(false)}
          onAdd={grant => {
            onChange([...trusted, grant])
            setAdding(false)
          }}
        />
      ) : (
        <Button icon={<Plus />} onClick={() => setAdding(true)}>
          Trust a conversation…
        </Button>
      )}
    </Group>
  )
}

function Grant({ grant, onRemove }: { grant: TrustedContext; onRemove(): void }) {
  const now = useNow(30_000)
  const tree = useQuery(rpc.conversations.tree.queryOptions({ input: grant.conversation })).data
  const path = grant.path && (tree?.paths.find(each => each.id === grant.path)?.name ?? 'a path that is gone')
  const over = grant.until !== null && grant.until <= now
  return (
    <li>
      <ShieldCheck aria-hidden />
      <div>
        <b>
          {tree?.conversation.title ?? 'A conversation that is gone'}
          {path && ` › ${path}`}
        </b>
        {over && <span className={styles.wrong}> ended</span>}
        <p>{describeTrust(grant)}</p>
      </div>
      <IconButton label="Remove this trust" icon={<X />} onClick={onRemove} />
    </li>
  )
}

const operationWords: Record<Operation, string> = {
  deletion: 'delete files',
  network: 'network',
  database: 'database',
  commands: 'other programs',
  externalApis: 'outside hosts',
}

function NewGrant({ onAdd, onCancel }: { onAdd(grant: TrustedContext): void; onCancel(): void }) {
  const id = useId()
  const conversations = useQuery(rpc.conversations.list.queryOptions({ input: { deleted: false } })).data ?? []
  const [conversation, setConversation] = useState<ConversationId | null>(null)
  const [path, setPath] = useState<PathId | null>(null)
  const [upTo, setUpTo] = useState<TrustedContext['upTo']>('medium')
  const [allowed, setAllowed] = useState<Operation[]>([])
  const [until, setUntil] = useState('')
  const tree = useQuery({
    ...rpc.conversations.tree.queryOptions({ input: conversation ?? ('' as ConversationId) }),
    enabled: conversation !== null,
  }).data
  const end = until === '' ? null : new Date(until).getTime()
  const grant =
    conversation && (end === null || Number.isFinite(end))
      ? TrustedContext.parse({ conversation, path, upTo, operations: allowed, until: end })
      : null
  return (
    <div className={styles.newGrant}>
      <label htmlFor={`${id}-conversation`}>Conversation</label>
      <select
        id={`${id}-conversation`}
        value={conversation ?? ''}
        onChange={event => {
          setConversation((event.target.value as ConversationId) || null)
          setPath(null)
        }}
      >
        <option value="">Choose…</option>
        {conversations.map(each => (
          <option key={each.id} value={each.id}>
            {each.title}
          </option>
        ))}
      </select>
      <label htmlFor={`${id}-path`}>Path</label>
      <select
        id={`${id}-path`}
        value={path ?? ''}
        disabled={!tree}
        onChange={event => setPath((event.target.value as PathId) || null)}
      >
        <option value="">Every path</option>
        {tree?.paths.map(each => (
          <option key={each.id} value={each.id}>
            {each.name}
          </option>
        ))}
      </select>
      <label htmlFor={`${id}-upTo`}>Up to</label>
      <select id={`${id}-upTo`} value={upTo} onChange={event => setUpTo(event.target.value as TrustedContext['upTo'])}>
        <option value="medium">medium risk</option>
        <option value="high">high risk</option>
      </select>
      <label htmlFor={`${id}-until`}>Until</label>
      <input id={`${id}-until`} type="datetime-local" value={until} onChange={event => setUntil(event.target.value)} />
      <div className={styles.whole}>
        <Several
          label="Also without asking"
          about={TrustedContext.shape.operations.description}
          choices={operations.map(operation => ({ value: operation, label: operationWords[operation] }))}
          chosen={allowed}
          onChange={setAllowed}
        />
      </div>
      <p className={`${styles.whole} ${styles.preview}`} aria-live="polite">
        {grant ? describeTrust(grant) : 'Choose a conversation.'}
      </p>
      <div className={`${styles.whole} ${styles.buttons}`}>
        <Button onClick={onCancel}>Cancel</Button>
        <Button look="primary" disabled={!grant} onClick={() => grant && onAdd(grant)}>
          Add to the policy
        </Button>
      </div>
    </div>
  )
}
