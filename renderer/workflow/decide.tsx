import { Ban } from 'lucide-react'
import { useId, useState } from 'react'
import { type Candidate, candidatesOf, type TaskView, type WorkflowView } from '../../src/contract/workflow.ts'
import { Approve } from '../review/approve.tsx'
import { useGate } from '../review/gate.ts'
import { useMe } from '../review/identity.tsx'
import { type Once, Signer } from '../review/signer.tsx'
import { VisibleText } from '../review/visible-text.tsx'
import { client } from '../state/connection.ts'
import { Button } from '../ui/button.tsx'
import { act } from './act.ts'
import { Values } from './values.tsx'
import styles from './workflow.module.css'

/** A question to a person, or the choice between candidates, where the workflow waits for it. */
export function Decide({ workflow, task }: { workflow: WorkflowView; task: TaskView }) {
  const [comment, setComment] = useState('')
  const [once, setOnce] = useState<Once | null>(null)
  const candidates = candidatesOf(task)
  const [candidate, setCandidate] = useState<number | null>(null)
  const [answering, setAnswering] = useState<'yes' | 'no' | null>(null)
  const [unsaid, setUnsaid] = useState(false)
  const commentId = useId()
  const me = useMe().data
  const signer = once?.identity ?? me
  const started = signer?.id === workflow.startedBy
  const question = `${workflow.id} ${task.name}`
  const gate = useGate(question)
  const off = !gate.open || answering !== null
  const decide = (approve: boolean) => {
    setAnswering(approve ? 'yes' : 'no')
    return act(
      client.workflow.decide({
        ...{ workflow: workflow.id, task: task.name, approve, comment },
        ...(candidate === null ? {} : { candidate }),
        ...(once ? { as: once.as } : {}),
      }),
    ).finally(() => {
      setOnce(null)
      setAnswering(null)
    })
  }
  /** Whoever wrote the graph has to know what to change: a no without a reason is asked for one. */
  const deny = () => {
    if (off) return
    if (comment.trim() !== '') return void decide(false)
    setUnsaid(true)
    document.getElementById(commentId)?.focus()
  }
  const chooses = candidates.length > 0
  return (
    <section className={styles.decide} aria-label="Decision">
      {task.question !== null && (
        <p className={styles.question}>
          <VisibleText text={task.question} />
        </p>
      )}
      {task.given && Object.keys(task.given).length > 0 && <Values values={task.given} />}
      {chooses && <Candidates {...{ candidates, candidate }} onChoose={setCandidate} />}
      <div className={styles.answer}>
        {started && (
          <p className={styles.asks}>
            {once ? once.identity.name : 'You'} started this workflow: somebody else has to answer.
          </p>
        )}
        {unsaid && comment.trim() === '' && (
          <p className={styles.asks} role="alert">
            Say why in the comment, then press the button again.
          </p>
        )}
        <div>
          <label htmlFor={commentId}>
            <span className="visually-hidden">Comment</span>
            <textarea
              id={commentId}
              rows={1}
              maxLength={2000}
              placeholder="Comment, goes with your answer"
              value={comment}
              onChange={event => setComment(event.target.value)}
              // What is typed here is text: no key of it may reach anything that answers.
              onKeyDown={event => event.stopPropagation()}
            />
          </label>
          <Signer once={once} onOnce={setOnce} />
        </div>
        <div className={styles.actions} {...gate.handlers} data-open={gate.open}>
          <Button look="danger" icon={<Ban />} aria-disabled={off} onClick={deny}>
            {chooses ? 'Keep none of them' : 'Deny'}
          </Button>
          {chooses && candidate === null ? (
            <Button disabled>Choose a candidate</Button>
          ) : (
            <Approve
              risk="low"
              subject={`${question} ${candidate}`}
              disabled={off || started || signer === undefined}
              busy={answering === 'yes'}
              act={chooses ? `keep candidate ${candidate}` : 'approve'}
              onApprove={() => void decide(true)}
            />
          )}
        </div>
      </div>
    </section>
  )
}

interface CandidatesProps {
  readonly candidates: readonly Candidate[]
  readonly candidate: number | null
  onChoose(number: number): void
}

function Candidates({ candidates, candidate, onChoose }: CandidatesProps) {
  return (
    <fieldset className={styles.candidates}>
      <legend>Which candidate is kept?</legend>
      {candidates.map(({ number, outputs, written }) => (
        <label key={number}>
          <input
            type="radio"
            name="candidate"
            aria-label={`Candidate ${number}`}
            checked={candidate === number}
            onChange={() => onChoose(number)}
          />
          <strong>{number}</strong>
          <Values values={outputs} />
          {written.length > 0 && (
            <span>
              writes <VisibleText text={written.join(', ')} />
            </span>
          )}
        </label>
      ))}
    </fieldset>
  )
}
