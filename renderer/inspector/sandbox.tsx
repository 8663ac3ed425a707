import { useQuery } from '@tanstack/react-query'
import { Box, Power, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import type { Isolation } from '../../src/contract/run.ts'
import { runCommand } from '../commands/commands.ts'
import { duration } from '../notebook/cell-header.tsx'
import { useNow } from '../sandbox/badge.tsx'
import { EndDialog } from '../sandbox/end-dialog.tsx'
import { rpc } from '../state/queries.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { age, bytes } from './format.ts'
import styles from './inspector.module.css'
import { ToolsView } from './tools.tsx'

const promises: Record<Isolation, string> = {
  unconfined: 'No isolation: the code can do whatever you can. Every run needs approval.',
  jail: 'Own user, processes, files and no network. It shares the kernel with this machine.',
  container: 'A container without network or privileges. It shares the kernel with this machine.',
  'user-space kernel': 'A container without network or privileges, whose system calls a program (gVisor) answers.',
  microvm: 'A virtual machine of its own, without a network card.',
  cloud: 'A machine of a cloud provider: code and data leave this one.',
}

/** Where this path's code runs, what that promises, and how much of it has been used. */
export function SandboxView({ path }: { path: PathId }) {
  const { data: status } = useQuery(rpc.sandbox.status.queryOptions({ input: path }))
  const alive = status?.state === 'ready' || status?.state === 'running'
  const { data: usage } = useQuery({
    ...rpc.sandbox.usage.queryOptions({ input: path }),
    enabled: alive,
    refetchInterval: 3000,
    staleTime: 0,
  })
  const { data: environment } = useQuery({
    ...rpc.environments.chosen.queryOptions({ input: status?.conversation as ConversationId }),
    enabled: status !== undefined,
  })
  const { data: settings } = useQuery(rpc.settings.get.queryOptions())
  const [ending, setEnding] = useState(false)
  const now = useNow(5000)
  if (!status) return null
  if (!status.sandbox || status.state === 'none') {
    return (
      <>
        <Empty icon={<Box />} title="No sandbox yet">
          <p>The first run makes one that belongs to this path alone; a branch never sees it.</p>
        </Empty>
        <ToolsView />
      </>
    )
  }
  const { isolation, kind } = status.sandbox
  return (
    <>
      {isolation && <p className={styles.section}>{promises[isolation]}</p>}
      <dl className={styles.table}>
        <dt>Kind</dt>
        <dd>
          {kind}
          {isolation && `, ${isolation}`}
        </dd>
        <dt>Python</dt>
        <dd>
          <button type="button" className={styles.link} onClick={() => runCommand('sandbox.environment')}>
            {environment ?? '…'}
          </button>
        </dd>
        <dt>State</dt>
        <dd>{status.state}</dd>
        {status.createdAt !== null && (
          <>
            <dt>Age</dt>
            <dd>{age(now - status.createdAt)}</dd>
          </>
        )}
        {status.expiresAt !== null && (
          <>
            <dt>Ends when idle</dt>
            <dd>in {age(status.expiresAt - now)}</dd>
          </>
        )}
        <dt>Runs</dt>
        <dd>
          {status.runs} of {status.maxRuns}
        </dd>
        <dt>CPU time</dt>
        <dd>{duration(usage?.cpuTimeMs ?? status.cpuTimeMs)}</dd>
        <dt>Memory now</dt>
        <dd>{usage ? bytes(usage.memoryBytes) : '–'}</dd>
        <dt>Memory peak</dt>
        <dd>{bytes(status.peakMemoryBytes)}</dd>
        <dt>Processes</dt>
        <dd>{usage?.processes ?? '–'}</dd>
        <dt>Files</dt>
        <dd>{usage ? bytes(usage.diskBytes) : '–'}</dd>
        {settings && (
          <>
            <dt>Limits</dt>
            <dd>
              {settings.settings.sandbox.timeoutSeconds} s a run, {settings.settings.sandbox.memoryMegabytes} MB
            </dd>
          </>
        )}
      </dl>
      {status.message && <p className={styles.section}>{status.message}</p>}
      <div className={styles.actions}>
        <Button icon={<RotateCcw />} disabled={!alive} onClick={() => runCommand('sandbox.restart')}>
          Restart
        </Button>
        <Button look="danger" icon={<Power />} disabled={!alive} onClick={() => setEnding(true)}>
          End the sandbox…
        </Button>
      </div>
      {ending && <EndDialog of="this path" status={status} onClose={() => setEnding(false)} />}
      <ToolsView />
    </>
  )
}
