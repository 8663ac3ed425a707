import { useQuery } from '@tanstack/react-query'
import { LockKeyhole } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { ContextStatus } from '../../src/contract/contexts.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { rpc } from '../state/queries.ts'
import styles from './badge.module.css'
import { isolationIcons } from './icons.ts'
import { KindsMenu } from './kinds-menu.tsx'
import { rotationOf, rotationSentences } from './rotation.ts'

/** Isolation, state and time left of the path's sandbox. */
export function SandboxBadge({ path }: { path: PathId }) {
  const { data: status } = useQuery(rpc.sandbox.status.queryOptions({ input: path }))
  const now = useNow(15_000)
  if (!status) return null
  const isolation = status.sandbox?.isolation ?? null
  const Icon = isolation ? isolationIcons[isolation] : LockKeyhole
  const left = timeLeft(status, now)
  const rotation = rotationOf(status)
  return (
    <KindsMenu status={status}>
      <button
        type="button"
        data-rotation={rotation.kind}
        className={`${styles.badge} ${styles[status.state]} ${isolation === 'unconfined' ? styles.unconfined : ''}`}
        title={explain(status)}
      >
        <Icon aria-hidden />
        <span>{[isolation, words[status.state], rotation.words, left].filter(Boolean).join(' · ')}</span>
      </button>
    </KindsMenu>
  )
}

const words: Record<ContextStatus['state'], string> = {
  none: 'no sandbox yet',
  warming: 'starting',
  ready: 'ready',
  running: 'running',
  paused: 'paused',
  expired: 'expired',
  error: 'error',
}

function explain(status: ContextStatus): string {
  if (status.message) return status.message
  switch (status.state) {
    case 'none':
      return 'A sandbox of its own is made when the first cell of this path runs.'
    case 'paused':
      return 'Paused with its variables and files; the next run wakes it. While it is paused it costs no time.'
    case 'expired':
      return 'Idle for too long: variables are gone, outputs are kept. The next run makes a new one.'
    default: {
      const sentence = rotationSentences[rotationOf(status).kind]
      return `${status.runs} of ${status.maxRuns} runs in this sandbox.${sentence ? ` ${sentence}` : ''}`
    }
  }
}

export function timeLeft({ expiresAt, state }: ContextStatus, now: number): string | null {
  if (expiresAt === null || state === 'running' || state === 'warming' || state === 'paused') return null
  if (expiresAt <= now) return null
  return `${Math.max(1, Math.round((expiresAt - now) / 60_000))} min`
}

/** The time, told again every so often. */
export function useNow(everyMs: number): number {
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick(count => count + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  // Not the time of the last tick: what changed since would seem to lie further ahead than it does.
  return Date.now()
}
