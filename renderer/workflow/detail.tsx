import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { WorkflowId } from '../../src/contract/ids.ts'
import { placeWords } from '../../src/contract/placement.ts'
import type { TaskView, WorkflowView } from '../../src/contract/workflow.ts'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { openPath, setView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { dateAndTime } from '../ui/when.ts'
import { Words } from '../ui/words.tsx'
import { act } from './act.ts'
import { Decide } from './decide.tsx'
import { TaskGraph } from './graph.tsx'
import { Log } from './log.tsx'
import { Time } from './time.tsx'
import { Values } from './values.tsx'
import { startWords, stateWords, typeWords } from './words.ts'
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
  const failed = workflow.state === 'failed' ? workflow.tasks.find(({ state }) => state === 'failed') : undefined
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
          {failed && (
            <button type="button" onClick={() => setSelected(failed.name)}>
              {failed.name}
            </button>
          )}
          {failed && ': '}
          {workflow.problem.message}{' '}
          <span>
            <Words text={workflow.problem.hint} />
          </span>
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

/** Figures on one line; whatever is longer, written out. */
function Outcome({ outputs }: { outputs: NonNullable<TaskView['outputs']> }) {
  const isShort = Object.values(outputs).every(value => typeof value !== 'object' || value === null)
  if (Object.keys(outputs).length === 0) return null
  return isShort ? <Values values={outputs} /> : <pre>{JSON.stringify(outputs, null, 2)}</pre>
}

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
      <p className={styles.facts}>
        <span>{typeWords[task.type]}</span>
        {task.candidates && (
          <span>
            {task.candidates.count} {startWords[task.candidates.from]}
          </span>
        )}
        {task.placement && <span>runs in {placeWords(task.placement)}</span>}
        <span>
          {stateWords[task.state]}
          {task.state === 'waiting' && task.request && ' (in the review queue)'}
        </span>
        {task.attempt > 1 && <span>attempt {task.attempt}</span>}
        <Time task={task} />
        {task.startedAt !== null && <span>started {dateAndTime(task.startedAt)}</span>}
        {task.written.length > 0 && <span>writes {task.written.join(', ')}</span>}
        {task.removed.length > 0 && <span>removes {task.removed.join(', ')}</span>}
      </p>
      {task.outputs && !asksHere && <Outcome outputs={task.outputs} />}
      {task.problem && (
        <p className={styles.problem}>
          {task.problem.message}{' '}
          <span>
            <Words text={task.problem.hint} />
          </span>
        </p>
      )}
      {asksHere && <Decide key={task.name} workflow={workflow} task={task} />}
      {task.state === 'waiting' && task.request && (
        <div className={styles.actions}>
          <Button onClick={() => setView({ place: 'review', request: task.request })}>Review…</Button>
        </div>
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
    </section>
  )
}

async function editAgain(id: WorkflowId, onEdit: (source: string) => void): Promise<void> {
  onEdit((await client.workflow.source({ workflow: id })).source)
}
