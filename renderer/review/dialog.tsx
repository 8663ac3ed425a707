import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type ApprovalRequest, isOpen, type Verdict } from '../../src/contract/approval.ts'
import type { RequestId } from '../../src/contract/ids.ts'
import { useNow } from '../sandbox/badge.tsx'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { setView } from '../state/view.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { stopAsking, useAsking } from './asking.ts'
import { RequestDetail } from './detail.tsx'
import styles from './dialog.module.css'
import { dropDraft, useDraft } from './drafts.ts'
import { soonestMs } from './gate.ts'
import { clockFace } from './words.ts'

/** Opens by itself when a run that was started here has to wait for an approval; one after the other if several do. */
export default function ApprovalDialog() {
  const [first, ...rest] = useAsking(state => state.asked)
  return first ? <Asking key={first} request={first} more={rest.length} /> : null
}

function Asking({ request: id, more }: { request: RequestId; more: number }) {
  const query = useQuery({ ...rpc.approval.request.queryOptions({ input: id }), refetchOnMount: 'always' })
  const request = query.data
  const [openedAt] = useState(() => performance.now())
  const draft = useDraft(id)
  const close = useCallback(() => stopAsking(id), [id])
  useSavedByTimeOut(request, close)

  /** Leaving without an answer is the safe one: it is saved for later. Too soon, it was meant for something else. */
  const leaving = useRef(false)
  const leave = () => {
    if (performance.now() - openedAt < soonestMs || leaving.current) return
    if (request?.state !== 'waiting') return close()
    leaving.current = true
    void client.approval
      .decide({ request: id, verdict: { kind: 'later', comment: draft.comment.trim() } })
      .then(() => {
        dropDraft(id)
        answered('later')
      })
      // Nothing was approved either way, and the engine saves it when its time is up.
      .catch(error => {
        close()
        showProblem(error)
      })
  }
  const answered = (kind: Verdict['kind'], after?: ApprovalRequest) => {
    if (kind === 'edit') return
    close()
    // What else was answered stands on the cell; that a signature holds is the engine's word.
    if (kind === 'approve')
      showToast({ kind: 'good', text: `Approved and signed by ${after?.reviewer?.name ?? 'you'}.` })
  }

  return (
    <Radix.Root open onOpenChange={next => !next && leave()}>
      <Radix.Portal>
        <Radix.Overlay className={styles.overlay} />
        <Radix.Content
          className={styles.dialog}
          aria-describedby={undefined}
          // The button that is safe takes the focus itself, once there is something to answer.
          onOpenAutoFocus={event => event.preventDefault()}
          onInteractOutside={event => event.preventDefault()}
          onEscapeKeyDown={event => {
            // In a text field Escape is a key of that field, not an answer.
            if (isTyping(event.target)) event.preventDefault()
          }}
        >
          {query.isError ? (
            <>
              <Radix.Title className="visually-hidden">Approval needed</Radix.Title>
              <ProblemView error={query.error} onRetry={() => query.refetch()} />
              <Button onClick={close}>Close</Button>
            </>
          ) : !request ? (
            <>
              <Radix.Title className="visually-hidden">Approval needed</Radix.Title>
              <Loading />
            </>
          ) : (
            <RequestDetail
              request={request}
              focusSafe
              onAnswered={answered}
              title={
                <Radix.Title className={styles.title}>
                  Approval needed{more > 0 && <span> · {more} more after this</span>}
                </Radix.Title>
              }
              aside={
                <div className={styles.aside}>
                  {request.state === 'waiting' && <Countdown request={request} />}
                  <IconButton label={isOpen(request.state) ? 'Save for later' : 'Close'} icon={<X />} onClick={leave} />
                </div>
              }
            />
          )}
          {request && !isOpen(request.state) && (
            <footer className={styles.over}>
              <Button onClick={close}>Close</Button>
            </footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** The engine has the clock: when it saves the request for later, the dialog goes, and what was written stays a draft. */
function useSavedByTimeOut(request: ApprovalRequest | undefined, close: () => void): void {
  const waited = useRef(false)
  const state = request?.state
  const id = request?.id ?? null
  useEffect(() => {
    if (state === 'waiting') waited.current = true
    if (state !== 'saved' || !waited.current) return
    close()
    showToast({
      kind: 'info',
      text: 'Nobody answered in time: it waits in the review queue. Nothing was run.',
      action: { label: 'Review queue', run: () => setView({ place: 'review', request: id }) },
    })
  }, [state, id, close])
}

/** Time left until the request goes to the review queue by itself. */
function Countdown({ request: { dialogUntil, createdAt } }: { request: ApprovalRequest }) {
  const now = useNow(250)
  const left = dialogUntil - now
  const [whole] = useState(() => Math.max(1, dialogUntil - Math.max(createdAt, Date.now())))
  return (
    <div className={styles.countdown} role="timer" aria-label="Time until it moves to the review queue">
      <span>
        Moves to the review queue in <b>{clockFace(left)}</b>
      </span>
      <span className={styles.track} aria-hidden>
        <span style={{ width: `${Math.max(0, Math.min(100, (left / whole) * 100))}%` }} />
      </span>
    </div>
  )
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.closest('textarea, input, .monaco-editor') !== null || target.isContentEditable)
