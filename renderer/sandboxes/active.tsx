import { useQuery } from '@tanstack/react-query'
import { Box, Power } from 'lucide-react'
import { useState } from 'react'
import type { ActiveSandbox } from '../../src/contract/images.ts'
import { age, bytes } from '../inspector/format.ts'
import { duration } from '../notebook/cell-header.tsx'
import { sandboxWords } from '../review/words.ts'
import { useNow } from '../sandbox/badge.tsx'
import { EndDialog } from '../sandbox/end-dialog.tsx'
import { isolationIcons } from '../sandbox/icons.ts'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { openPath } from '../state/view.ts'
import { IconButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import styles from './sandboxes.module.css'
import { Section } from './section.tsx'
import { nameOf, stateWords } from './words.ts'

/** All that is open. Memory and processor time are asked for again while somebody looks. */
export function Active() {
  const overview = useQuery({ ...rpc.sandboxes.overview.queryOptions(), staleTime: 0, refetchInterval: 3000 })
  const [ending, setEnding] = useState<ActiveSandbox | null>(null)
  const now = useNow(5000)
  if (overview.isError) return <ProblemView error={overview.error} onRetry={() => overview.refetch()} />
  if (!overview.data) return <Loading />
  const { active } = overview.data
  const end = (sandbox: ActiveSandbox) => {
    // Nothing is lost with one that has run nothing.
    if (sandbox.status.runs > 0 || sandbox.status.state === 'running') setEnding(sandbox)
    else void client.sandbox.end(sandbox.status.path).catch(showProblem)
  }
  return (
    <Section
      title="Open now"
      lead={active.length === 0 ? 'Each path of a conversation has its own sandbox while it is used.' : countOf(active)}
    >
      {active.length === 0 ? (
        <Empty icon={<Box />} small title="No sandbox is open">
          <p>The first run on a path opens one. It ends by itself when it is not used.</p>
        </Empty>
      ) : (
        <div className={styles.scroll}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Path</th>
                <th scope="col">Isolation</th>
                <th scope="col">State</th>
                <th scope="col" className={styles.number}>
                  Memory
                </th>
                <th scope="col" className={styles.number}>
                  CPU
                </th>
                <th scope="col" className={styles.number}>
                  Runs
                </th>
                <th scope="col" className={styles.number}>
                  Age
                </th>
                <th scope="col" className={styles.number}>
                  Ends in
                </th>
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {active.map(sandbox => (
                <Row key={sandbox.status.path} sandbox={sandbox} now={now} onEnd={() => end(sandbox)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {ending && <EndDialog of={nameOf(ending)} status={ending.status} onClose={() => setEnding(null)} />}
    </Section>
  )
}

function Row({ sandbox, now, onEnd }: { sandbox: ActiveSandbox; now: number; onEnd(): void }) {
  const { status, usage, template } = sandbox
  const { conversation, path, state, createdAt, expiresAt } = status
  const isolation = status.sandbox?.isolation
  const Icon = isolation ? isolationIcons[isolation] : Box
  const isIdle = expiresAt !== null && state !== 'running'
  return (
    <tr>
      <td>
        <button type="button" className={styles.path} onClick={() => openPath(conversation, path)}>
          <span>{sandbox.conversation || 'A conversation that was deleted'}</span>
          <strong>{sandbox.path || 'path'}</strong>
        </button>
      </td>
      <td>
        <span className={styles.kind}>
          <Icon aria-hidden />
          {isolation ?? '–'}
          <small>
            {status.sandbox && sandboxWords[status.sandbox.kind]}
            {template && template !== 'default' && `, ${template}`}
          </small>
        </span>
      </td>
      <td>
        <span className={styles.state} data-state={state}>
          {stateWords[state]}
          {status.queued > 0 && ` · ${status.queued} waiting`}
        </span>
      </td>
      <td className={styles.number}>{usage ? bytes(usage.memoryBytes) : '–'}</td>
      <td className={styles.number}>{duration(usage?.cpuTimeMs ?? status.cpuTimeMs)}</td>
      <td className={styles.number}>{status.runs}</td>
      <td className={styles.number}>{createdAt === null ? '–' : age(now - createdAt)}</td>
      <td className={styles.number}>{isIdle ? age(Math.max(0, expiresAt - now)) : '–'}</td>
      <td className={styles.actions}>
        <IconButton label={`End the sandbox of ${nameOf(sandbox)}`} icon={<Power />} onClick={onEnd} />
      </td>
    </tr>
  )
}

function countOf(active: readonly ActiveSandbox[]): string {
  const memory = active.reduce((sum, { usage }) => sum + (usage?.memoryBytes ?? 0), 0)
  const running = active.filter(({ status }) => status.state === 'running').length
  return `${active.length} open, ${running} running, ${bytes(memory)} of memory.`
}
