import { MessageSquare } from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'
import type { RequestSummary } from '../../src/contract/approval.ts'
import type { RequestId } from '../../src/contract/ids.ts'
import { useNow } from '../sandbox/badge.tsx'
import { Risk } from '../ui/risk.tsx'
import styles from './queue.module.css'
import { VisibleText } from './visible-text.tsx'
import { age, stateWords } from './words.ts'

interface QueueProps {
  readonly requests: readonly RequestSummary[]
  readonly selected: RequestId | null
  onSelect(request: RequestId): void
}

/** The requests, newest first. Arrow keys, Home and End move through them. */
export function Queue({ requests, selected, onSelect }: QueueProps) {
  const now = useNow(30_000)
  const list = useRef<HTMLDivElement>(null)
  const at = requests.findIndex(each => each.id === selected)

  const move = (event: KeyboardEvent) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: requests.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = requests[Math.max(0, Math.min(requests.length - 1, to))]
    if (!next) return
    onSelect(next.id)
    list.current?.querySelector<HTMLElement>(`[data-request="${next.id}"]`)?.scrollIntoView({ block: 'nearest' })
  }

  return (
    <div
      ref={list}
      className={styles.list}
      role="listbox"
      tabIndex={0}
      aria-label="Requests"
      aria-activedescendant={at < 0 ? undefined : `request-${selected}`}
      onKeyDown={move}
    >
      {requests.map(request => (
        // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names its active option
        // biome-ignore lint/a11y/useKeyWithClickEvents: the list's own keys do it
        <div
          key={request.id}
          id={`request-${request.id}`}
          data-request={request.id}
          role="option"
          aria-selected={request.id === selected}
          className={styles.request}
          onClick={() => onSelect(request.id)}
        >
          <div className={styles.top}>
            <Risk level={request.risk} />
            <span className={styles.state}>{stateWords[request.state]}</span>
            <span className={styles.age}>{age(request.createdAt, now)}</span>
          </div>
          <code className={styles.code}>
            <VisibleText text={request.title || '(empty)'} />
          </code>
          <div className={styles.bottom}>
            <span>{request.requester.name}</span>
            <span>{request.language}</span>
            <span>
              {request.findings} {request.findings === 1 ? 'finding' : 'findings'}
            </span>
            {request.needs === 'four-eyes' && <span>four eyes</span>}
            {request.comments > 0 && (
              <span className={styles.comments}>
                <MessageSquare aria-hidden />
                {request.comments}
                <span className="visually-hidden"> comments</span>
              </span>
            )}
          </div>
        </div>
      ))}
    </div>
  )
}
