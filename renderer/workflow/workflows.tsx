import { useQuery } from '@tanstack/react-query'
import { Plus, Workflow as WorkflowIcon } from 'lucide-react'
import { useState } from 'react'
import type { WorkflowId } from '../../src/contract/ids.ts'
import { rpc } from '../state/queries.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { dateAndTime } from '../ui/when.ts'
import { Detail } from './detail.tsx'
import { Draft } from './draft.tsx'
import { stateWords } from './words.ts'
import styles from './workflow.module.css'

/** All workflows on one side, the chosen one or a new one on the other. */
export default function Workflows() {
  const list = useQuery({ ...rpc.workflow.list.queryOptions({ input: { path: null } }), staleTime: 0 })
  const [chosen, setChosen] = useState<WorkflowId | null>(null)
  const [draft, setDraft] = useState<string | null>(null)
  if (list.isError) return <ProblemView error={list.error} onRetry={() => list.refetch()} />
  if (!list.data) return <Loading />
  const show = (id: WorkflowId) => {
    setDraft(null)
    setChosen(id)
  }
  return (
    <div className={styles.page}>
      <section className={styles.list} aria-label="Workflows">
        <header>
          <h1>Workflows</h1>
          <p>Graphs of tasks that go on after a crash, and change files only when all of them are done.</p>
          <Button look="primary" icon={<Plus aria-hidden size={14} />} onClick={() => setDraft('')}>
            New workflow
          </Button>
        </header>
        <ul>
          {list.data.map(workflow => (
            <li key={workflow.id}>
              <button
                type="button"
                aria-current={workflow.id === chosen && draft === null}
                onClick={() => show(workflow.id)}
              >
                <strong>{workflow.name}</strong>
                <span data-state={workflow.state}>
                  {stateWords[workflow.state]} · {dateAndTime(workflow.createdAt)}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      <div className={styles.detail}>
        {draft !== null ? (
          <Draft source={draft} onStarted={show} />
        ) : chosen ? (
          <Detail key={chosen} id={chosen} onEdit={setDraft} onOpen={show} />
        ) : (
          <Empty icon={<WorkflowIcon />} title={list.data.length > 0 ? 'Choose a workflow' : 'No workflow yet'}>
            <p>Write one as text, or make one from the cells of the path that is open.</p>
          </Empty>
        )}
      </div>
    </div>
  )
}
