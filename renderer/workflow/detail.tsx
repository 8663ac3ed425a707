import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { WorkflowId } from '../../src/contract/ids.ts'
import type { TaskView, WorkflowView } from '../../src/contract/workflow.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { openPath } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { TaskGraph } from './graph.tsx'
import { Log } from './log.tsx'
import { stateWords, took, typeWords } from './words.ts'
import styles from './workflow.module.css'

interface DetailProps {
  readonly id: WorkflowId
  onEdit(source: string): void
  /** Shows another workflow in its place. */
  onOpen(id: WorkflowId): void
}

/** A workflow as it stands: its graph, the chosen task, and what can be done with it. */
export function Detail({ id, onEdit, onOpen }: DetailProps) {
  const query = useQuery(rpc.workflow.get.queryOptions({ input: { workflow: id } }))
  const [selected, setSelected] = useState<string | null>(null)
  const [aborting, setAborting] = useState(false)
  if (query.isError) return <ProblemView error={query.error} onRetry={() => query.refetch()} />
  const workflow = query.data
  if (!workflow) return <Loading />
  const task = workflow.tasks.find(({ name }) => name === selected) ?? null
  const isOver = workflow.state === 'completed' || workflow.state === 'aborted'
  return (
    <div className={styles.workflow}>
      <header>
        <div>
          <h2>{workflow.name}</h2>
          <p data-state={workflow.state} role="status">
            {stateWords[workflow.state]}
            {` · ${workflow.tasks.filter(({ state }) => state === 'completed').length} of ${workflow.tasks.length} tasks`}
          </p>
        </div>
        <div className={styles.actions}>
          <Button onClick={() => openPath(workflow.conversation, workflow.path)}>Open its path</Button>
          <Button onClick={() => void editAgain(id, onEdit).catch(showProblem)}>Edit and run again</Button>
          {workflow.state === 'failed' && (
            <Button look="primary" onClick={() => void act(client.workflow.resume({ workflow: id }))}>
              Resume
            </Button>
          )}
          {!isOver && !aborting && (
            <Button look="danger" onClick={() => setAborting(true)}>
              Abort…
            </Button>
          )}
        </div>
      </header>
      {aborting && !isOver && <Aborting workflow={workflow} onDone={() => setAborting(false)} />}
      {workflow.problem && (
        <p className={styles.problem} role="alert">
          {workflow.problem.message} <span>{workflow.problem.hint}</span>
        </p>
      )}
      <TaskGraph tasks={workflow.tasks} selected={selected} onSelect={setSelected} />
      {task ? (
        <TaskPanel workflow={workflow} task={task} onOpen={onOpen} />
      ) : (
        <p className={styles.hint}>Choose a task to see its results.</p>
      )}
    </div>
  )
}

/** Asks once more, with what will be undone and what cannot be. */
function Aborting({ workflow, onDone }: { workflow: WorkflowView; onDone: () => void }) {
  const input = { workflow: workflow.id }
  const undoing = useQuery({ ...rpc.workflow.aborting.queryOptions({ input }), staleTime: 0 })
  const { dropped, lasting } = undoing.data ?? { dropped: [], lasting: [] }
  const more = dropped.length - shownFiles
  return (
    <div className={styles.notice} role="alert">
      <div>
        <p>
          {dropped.length > 0 &&
            `This drops ${dropped.slice(0, shownFiles).join(', ')}${more > 0 ? ` and ${more} more` : ''}. `}
          The files of the path stay as they were.
        </p>
        {lasting.length > 0 && <p>It cannot undo what these tools did elsewhere: {lasting.join(', ')}.</p>}
        {undoing.isError && <p>What it would undo could not be read.</p>}
      </div>
      <Button onClick={onDone}>Keep it going</Button>
      <Button look="danger" onClick={() => void act(client.workflow.abort(input)).then(onDone)}>
        Abort
      </Button>
    </div>
  )
}

const shownFiles = 5

interface TaskPanelProps {
  readonly workflow: WorkflowView
  readonly task: TaskView
  onOpen(id: WorkflowId): void
}

function TaskPanel({ workflow, task, onOpen }: TaskPanelProps) {
  const asksHere = task.state === 'waiting' && task.request === null
  const isAtRest = !['running', 'waiting'].includes(workflow.state)
  const again = () =>
    client.workflow.again({ workflow: workflow.id, task: task.name }).then(({ id }) => onOpen(id), showProblem)
  return (
    <section className={styles.panel} aria-label={`Task ${task.name}`}>
      <h3>{task.name}</h3>
      <dl>
        <dt>Kind</dt>
        <dd>{typeWords[task.type]}</dd>
        <dt>State</dt>
        <dd>
          {stateWords[task.state]}
          {task.request && ' (in the review queue)'}
        </dd>
        <dt>Attempts</dt>
        <dd>{task.attempt}</dd>
        {took(task) && (
          <>
            <dt>Time</dt>
            <dd>{took(task)}</dd>
          </>
        )}
        {task.written.length > 0 && (
          <>
            <dt>Writes</dt>
            <dd>{task.written.join(', ')}</dd>
          </>
        )}
        {task.removed.length > 0 && (
          <>
            <dt>Removes</dt>
            <dd>{task.removed.join(', ')}</dd>
          </>
        )}
      </dl>
      {task.outputs && Object.keys(task.outputs).length > 0 && <pre>{JSON.stringify(task.outputs, null, 2)}</pre>}
      {task.problem && (
        <p className={styles.problem}>
          {task.problem.message} <span>{task.problem.hint}</span>
        </p>
      )}
      {task.type !== 'approval' && task.type !== 'analysis' && <Log workflow={workflow} task={task} />}
      {isAtRest && (
        <div className={styles.actions}>
          <Button
            title="It and all that waits for it; what comes before keeps its results"
            onClick={() => void again()}
          >
            Run again from here
          </Button>
        </div>
      )}
      {asksHere && <Decide workflow={workflow} task={task} />}
    </section>
  )
}

function Decide({ workflow, task }: { workflow: WorkflowView; task: TaskView }) {
  const [comment, setComment] = useState('')
  const [candidate, setCandidate] = useState(0)
  const count = Array.isArray(task.outputs?.candidates) ? task.outputs.candidates.length : 0
  const decide = (approve: boolean) =>
    act(
      client.workflow.decide({
        workflow: workflow.id,
        task: task.name,
        approve,
        comment,
        ...(count > 0 ? { candidate } : {}),
      }),
    )
  return (
    <form className={styles.decide} onSubmit={event => event.preventDefault()}>
      {count > 0 && (
        <label>
          Keep candidate
          <select value={candidate} onChange={event => setCandidate(Number(event.target.value))}>
            {Array.from({ length: count }, (_, at) => at + 1).map(number => (
              <option key={number} value={number - 1}>
                {number}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Comment
        <textarea rows={2} value={comment} onChange={event => setComment(event.target.value)} />
      </label>
      <div className={styles.actions}>
        <Button onClick={() => void decide(false)} disabled={comment.trim() === ''}>
          Deny
        </Button>
        <Button look="primary" onClick={() => void decide(true)}>
          Approve
        </Button>
      </div>
    </form>
  )
}

async function act(answer: Promise<WorkflowView>): Promise<void> {
  try {
    const workflow = await answer
    queryClient.setQueryData(rpc.workflow.get.queryKey({ input: { workflow: workflow.id } }), workflow)
  } catch (error) {
    showProblem(error)
  }
}

async function editAgain(id: WorkflowId, onEdit: (source: string) => void): Promise<void> {
  onEdit((await client.workflow.source({ workflow: id })).source)
}
