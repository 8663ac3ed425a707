import { useState } from 'react'
import { type Candidate, candidatesOf, type TaskView, type WorkflowView } from '../../src/contract/workflow.ts'
import { type Once, Signer } from '../review/signer.tsx'
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
  const decide = (approve: boolean) =>
    act(
      client.workflow.decide({
        ...{ workflow: workflow.id, task: task.name, approve, comment },
        ...(candidate === null ? {} : { candidate }),
        ...(once ? { as: once.as } : {}),
      }),
    ).finally(() => setOnce(null))
  return (
    <form className={styles.decide} onSubmit={event => event.preventDefault()}>
      {task.question !== null && <p className={styles.question}>{task.question}</p>}
      {task.given && Object.keys(task.given).length > 0 && <Values values={task.given} />}
      {candidates.length > 0 && <Candidates {...{ candidates, candidate }} onChoose={setCandidate} />}
      <label>
        Comment
        <textarea rows={2} value={comment} onChange={event => setComment(event.target.value)} />
      </label>
      <Signer once={once} onOnce={setOnce} />
      <div className={styles.actions}>
        <Button onClick={() => void decide(false)} disabled={comment.trim() === ''} title="A reason is needed to deny">
          {candidates.length > 0 ? 'Keep none of them' : 'Deny'}
        </Button>
        <Button look="primary" onClick={() => void decide(true)} disabled={candidates.length > 0 && candidate === null}>
          {candidates.length === 0
            ? 'Approve'
            : candidate === null
              ? 'Choose a candidate'
              : `Keep candidate ${candidate}`}
        </Button>
      </div>
    </form>
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
          {written.length > 0 && <span>writes {written.join(', ')}</span>}
        </label>
      ))}
    </fieldset>
  )
}
