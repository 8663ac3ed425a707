import { useMutation, useQuery } from '@tanstack/react-query'
import { Ban, Clock, MessageSquare, Pencil, Send, Undo2 } from 'lucide-react'
import { type Ref, useEffect, useId, useRef, useState } from 'react'
import { type ApprovalRequest, isOpen, type Verdict, type VerdictInput } from '../../src/contract/approval.ts'
import { client, problemFrom } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { Button } from '../ui/button.tsx'
import { sentencesOf, Words } from '../ui/words.tsx'
import { Approve } from './approve.tsx'
import { changeDraft, dropDraft, useDraft } from './drafts.ts'
import { useGate } from './gate.ts'
import { useMe } from './identity.tsx'
import { type Once, Signer } from './signer.tsx'
import styles from './verdict.module.css'

interface VerdictBarProps {
  readonly request: ApprovalRequest
  /** In the dialog the safe choice has the focus as soon as it is there. */
  readonly focusSafe?: boolean
  /** Called when the engine has confirmed an answer, never before. */
  onAnswered?(kind: Verdict['kind'], request: ApprovalRequest): void
}

/** Where a reviewer answers: approve, deny, edit, save for later. Shows nothing as done before the engine says so. */
export function VerdictBar({ request, focusSafe = false, onAnswered }: VerdictBarProps) {
  const { id, subject, needs } = request
  const draft = useDraft(id)
  const own = useMe().data
  const [chosen, setChosen] = useState<(Once & { request: string }) | null>(null)
  // Whoever offered to sign one request has said nothing of the next.
  const once = chosen?.request === id ? chosen : null
  const me = once?.identity ?? own
  const as = once ? { as: once.as } : {}
  const gate = useGate(`${id} ${subject}`)
  const wantsWhy = useQuery(rpc.policy.get.queryOptions()).data?.policy.sayWhy.approve ?? false
  const commentId = useId()
  const [unsaid, setUnsaid] = useState(false)
  const safe = useRef<HTMLButtonElement>(null)
  const adopt = (changed: ApprovalRequest) =>
    queryClient.setQueryData(rpc.approval.request.queryKey({ input: changed.id }), changed)
  /** An answer that was refused may mean that the request is not what is shown: look again. */
  const lookAgain = () => queryClient.invalidateQueries({ queryKey: rpc.approval.request.queryKey({ input: id }) })
  const answer = useMutation({
    mutationFn: (verdict: VerdictInput) => client.approval.decide({ request: id, verdict: verdict as Verdict, ...as }),
    onSuccess: (changed, { kind }) => {
      if (kind === 'edit') changeDraft(id, { code: null, comment: '' })
      else dropDraft(id)
      adopt(changed)
      onAnswered?.(kind, changed)
    },
    onError: lookAgain,
    onSettled: () => setChosen(null),
  })
  const remark = useMutation({
    mutationFn: (text: string) => client.approval.comment({ request: id, text, ...as }),
    onSuccess: changed => {
      changeDraft(id, { comment: '' })
      adopt(changed)
    },
    onError: lookAgain,
    onSettled: () => setChosen(null),
  })
  useEffect(() => {
    if (focusSafe) safe.current?.focus()
  }, [focusSafe])

  const busy = answer.isPending || remark.isPending
  const off = !gate.open || busy
  const wroteIt = me !== undefined && request.authors.some(author => author.id === me.id)
  const mayNot = needs === 'four-eyes' && wroteIt
  const refusal = answer.error ?? remark.error
  const comment = draft.comment.trim()
  const say = (verdict: VerdictInput) => !off && answer.mutate(verdict)
  /** Whoever wrote it has to know what to change: a refusal without a reason is asked for one. */
  const deny = () => {
    if (off) return
    if (comment !== '') say({ kind: 'deny', comment })
    else {
      setUnsaid(true)
      document.getElementById(commentId)?.focus()
    }
  }
  if (!isOpen(request.state)) return null
  return (
    <section className={styles.bar} aria-label="Decision">
      {refusal && (
        <p className={styles.refused} role="alert">
          <Words text={sentencesOf(problemFrom(refusal))} />
        </p>
      )}
      {mayNot && (
        <p className={styles.fourEyes}>
          The policy wants four eyes, and {me.name} wrote a part of this code: somebody else has to approve it.
        </p>
      )}
      {unsaid && comment === '' && (
        <p className={styles.fourEyes} role="alert">
          Say why it is denied, then press Deny again.
        </p>
      )}
      <div className={styles.rows}>
        <label className={styles.comment} htmlFor={commentId}>
          <span className="visually-hidden">Comment</span>
          <textarea
            id={commentId}
            rows={1}
            maxLength={10_000}
            placeholder={wantsWhy ? 'Say why: the policy wants a reason' : 'Comment, goes with your answer'}
            value={draft.comment}
            onChange={event => changeDraft(id, { comment: event.target.value })}
            // What is typed here is text: no key of it may reach anything that answers.
            onKeyDown={event => event.stopPropagation()}
          />
        </label>
        <Signer once={once} onOnce={next => setChosen(next && { ...next, request: id })} />
      </div>
      <div className={styles.actions} {...gate.handlers} data-open={gate.open}>
        {comment !== '' && (
          <Button
            look="quiet"
            icon={<MessageSquare />}
            aria-disabled={off}
            onClick={() => !off && remark.mutate(comment)}
          >
            Comment only
          </Button>
        )}
        <span className={styles.space} />
        {draft.code === null ? (
          <>
            <Button look="danger" icon={<Ban />} aria-disabled={off} onClick={deny}>
              Deny
            </Button>
            <Button
              icon={<Pencil />}
              aria-disabled={off}
              onClick={() => !off && changeDraft(id, { code: request.code })}
            >
              Edit
            </Button>
            {request.state === 'waiting' && (
              <SafeButton ref={safe} off={off} onClick={() => say({ kind: 'later', comment })} />
            )}
            <Approve
              risk={request.risk}
              subject={subject}
              disabled={off || mayNot || me === undefined}
              busy={answer.isPending && answer.variables.kind === 'approve'}
              onApprove={() => say({ kind: 'approve', seen: subject, comment })}
            />
          </>
        ) : (
          <>
            <span className={styles.hint}>
              {needs === 'four-eyes'
                ? 'Checked again. You become an author and cannot approve it.'
                : 'Checked again; then it waits for a decision.'}
            </span>
            <Button icon={<Undo2 />} aria-disabled={off} onClick={() => !off && changeDraft(id, { code: null })}>
              Discard edits
            </Button>
            <Button
              look="primary"
              icon={<Send />}
              aria-disabled={off || draft.code === request.code || draft.code === ''}
              onClick={() => {
                const { code } = draft
                if (code && code !== request.code) say({ kind: 'edit', seen: subject, code, comment })
              }}
            >
              {answer.isPending ? 'Checking…' : 'Propose this code'}
            </Button>
          </>
        )}
      </div>
    </section>
  )
}

function SafeButton({ ref, off, onClick }: { ref: Ref<HTMLButtonElement>; off: boolean; onClick(): void }) {
  return (
    <button ref={ref} type="button" className={styles.safe} aria-disabled={off} onClick={onClick}>
      <Clock aria-hidden /> Save for later
    </button>
  )
}
