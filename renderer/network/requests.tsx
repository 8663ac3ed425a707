import { Globe, ShieldOff } from 'lucide-react'
import { grantForRefused, type NetworkRequest } from '../../src/contract/network.ts'
import { bytes } from '../inspector/format.ts'
import { LongList } from '../ui/long-list.tsx'
import styles from './requests.module.css'

interface Line {
  readonly key: string
  readonly host: string
  readonly port: number
  readonly isReached: boolean
  readonly count: number
  readonly received: number
  readonly sent: number
  readonly reason: string | null
  readonly grant: string | null
}

/** Requests to one host together. A name that was only asked of the resolver is left out where the host was reached. */
export function linesOf(requests: readonly NetworkRequest[]): Line[] {
  const lines = new Map<string, Line>()
  const known = new Set(requests.filter(each => each.protocol !== 'dns').map(each => each.host))
  for (const each of requests) {
    if (each.protocol === 'dns' && known.has(each.host)) continue
    const grant = grantForRefused(each)
    const key = `${each.protocol}://${each.host}:${each.port} ${each.allowed} ${each.refusal ?? ''} ${grant ?? ''}`
    const before = lines.get(key)
    lines.set(key, {
      key,
      host: each.host || 'no host that could be read',
      port: each.port,
      isReached: each.allowed,
      count: (before?.count ?? 0) + (each.count ?? 1),
      received: (before?.received ?? 0) + each.bytesReceived,
      sent: (before?.sent ?? 0) + each.bytesSent,
      reason: each.reason ?? null,
      grant,
    })
  }
  return [...lines.values()].sort((a, b) => Number(a.isReached) - Number(b.isReached))
}

interface RequestsProps {
  readonly requests: readonly NetworkRequest[]
  /** Asks for what was refused; without it nothing can be asked for here. */
  onAsk?(grant: string): void
}

/** Lines of a kind that are shown at first: code that asks for a thousand hosts must not push its results out of sight. */
const atFirst = 10

/** What a run reached and what it was refused, one line a host. */
export function NetworkRequests({ requests, onAsk }: RequestsProps) {
  const lines = linesOf(requests)
  if (lines.length === 0) return null
  return (
    <ul className={styles.requests} aria-label="Network">
      {[false, true].map(isReached => (
        <LongList
          key={String(isReached)}
          items={lines.filter(line => line.isReached === isReached)}
          most={atFirst}
          what={isReached ? 'hosts that were reached' : 'hosts that were denied'}
        >
          {line => <RequestLine line={line} onAsk={onAsk} />}
        </LongList>
      ))}
    </ul>
  )
}

function RequestLine({ line, onAsk }: { line: Line; onAsk: RequestsProps['onAsk'] }) {
  return (
    <li className={line.isReached ? styles.reached : styles.refused}>
      {line.isReached ? <Globe aria-hidden /> : <ShieldOff aria-hidden />}
      <span>
        {line.isReached ? 'reached ' : 'denied '}
        <b>{`${line.host}:${line.port}`}</b>
        {line.count > 1 && ` ${line.count} times`}
        {line.isReached && ` · ${bytes(line.received)} received, ${bytes(line.sent)} sent`}
        {line.reason && <span className={styles.reason}> {line.reason.replace(/; ask for it$/, '.')}</span>}
      </span>
      {line.grant && onAsk && (
        <button type="button" onClick={() => onAsk(line.grant ?? '')}>
          Ask for it
        </button>
      )}
    </li>
  )
}
