import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ApprovalRequest } from '../../src/contract/approval.ts'
import type { CellId } from '../../src/contract/ids.ts'
import { rpc } from '../state/queries.ts'
import { openPath } from '../state/view.ts'
import styles from './sections.module.css'
import { VisibleText } from './visible-text.tsx'
import { bytes, isolationWords, sandboxWords, when, whenExactly } from './words.ts'

/** Who asks, from where, and what the code is given: all but an assistant's name is bound by the signature. */
export function Facts({ request }: { request: ApprovalRequest }) {
  const assistants = useAssistants(request)
  const { placement, args, env } = request
  const { limits, network } = placement
  return (
    <section className={styles.section} aria-label="Where it would run">
      <h3>Where it would run</h3>
      <dl className={styles.facts}>
        <Fact name="Asked by">
          {request.requester.name}, {when(request.createdAt)}
        </Fact>
        {(assistants.length > 0 || request.authors.some(author => author.id !== request.requester.id)) && (
          <Fact name="Written by">
            <VisibleText text={writers(assistants, request)} />
          </Fact>
        )}
        <Fact name="Path">
          <Whereabouts request={request} />
        </Fact>
        <Fact name="Runs in">
          <b className={placement.isolation === 'unconfined' ? styles.bad : undefined}>
            {placement.isolation === 'unconfined' ? 'UNCONFINED' : placement.isolation}
          </b>{' '}
          ({sandboxWords[request.sandbox]})<p className={styles.soft}>{isolationWords[placement.isolation]}</p>
          {[...placement.reasons, ...placement.warnings].map(text => (
            <p key={text} className={styles.soft}>
              {text}
            </p>
          ))}
        </Fact>
        {placement.image && (
          <Fact name="Image">
            <code>
              <VisibleText text={placement.image} />
            </code>
          </Fact>
        )}
        <Fact name="Network">
          {network.length === 0 ? (
            'none'
          ) : (
            <b className={styles.bad}>
              <VisibleText text={network.join(', ')} />
            </b>
          )}
        </Fact>
        <Fact name="Limits">
          {limits.timeoutMs / 1000} s, {bytes(limits.memoryBytes)} memory, {limits.processes} processes,{' '}
          {bytes(limits.diskBytes)} disk
        </Fact>
        {placement.mounts.map(mount => (
          <Fact key={mount.target} name={mount.writable ? 'Can write' : 'Can read'}>
            <code>
              <VisibleText text={`${mount.source} as ${mount.target}`} />
            </code>
          </Fact>
        ))}
        {args.length > 0 && (
          <Fact name="Arguments">
            <code>
              <VisibleText text={args.map(arg => JSON.stringify(arg)).join(' ')} />
            </code>
          </Fact>
        )}
        {Object.entries(env).map(([name, value]) => (
          <Fact key={name} name="Environment">
            <code>
              <VisibleText text={`${name}=${value}`} />
            </code>
          </Fact>
        ))}
        <Fact name="Decide by">{whenExactly(request.expiresAt)}</Fact>
        <Fact name="Fingerprint">
          <code title={request.subject}>{request.subject.slice(0, 16)}</code>
          <span className={styles.soft}> of code, sandbox, limits and all above</span>
        </Fact>
      </dl>
    </section>
  )
}

/** Assistants that wrote any version of the code, as its cell tells: a person answers for what is written on their behalf. */
export function useAssistants({ path, cell }: ApprovalRequest): string[] {
  const { data } = useQuery({
    ...rpc.paths.revisions.queryOptions({ input: { path, item: cell as CellId } }),
    enabled: cell !== null,
  })
  return [...new Set(data?.flatMap(({ by }) => by.assistant ?? []))]
}

function writers(assistants: readonly string[], { authors }: ApprovalRequest): string {
  const people = list.format(authors.map(({ name }) => name))
  return assistants.length === 0 ? people : `${list.format(assistants)}, on behalf of ${people}`
}

const list = new Intl.ListFormat('en')

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Conversation and path by name, and the way there. */
export function Whereabouts({ request: { conversation, path, cell } }: { request: ApprovalRequest }) {
  const { data } = useQuery(rpc.conversations.tree.queryOptions({ input: conversation }))
  const name = data?.paths.find(each => each.id === path)?.name
  if (!data) return <span className={styles.soft}>{path.slice(0, 8)}</span>
  const text = `${data.conversation.title || 'Untitled'} › ${name ?? 'a deleted path'}`
  if (!name) return <VisibleText text={text} />
  return (
    <button type="button" className={styles.link} onClick={() => openPath(conversation, path, cell)}>
      <VisibleText text={text} />
    </button>
  )
}
