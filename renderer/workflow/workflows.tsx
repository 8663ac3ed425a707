import { useQuery } from '@tanstack/react-query'
import { Plus, Workflow as WorkflowIcon } from 'lucide-react'
import { create } from 'zustand'
import type { WorkflowId } from '../../src/contract/ids.ts'
import { rpc } from '../state/queries.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { ListEntry, ListPage } from '../ui/list-page.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { dateAndTime } from '../ui/when.ts'
import { Detail } from './detail.tsx'
import { Draft, example } from './draft.tsx'
import { stateWords } from './words.ts'

/** Beside the page: whoever looks something up in a notebook finds the text as they left it. */
const usePage = create<{ readonly chosen: WorkflowId | null; readonly isWriting: boolean; readonly text: string }>(
  () => ({ chosen: null, isWriting: false, text: example }),
)

/** All workflows on one side, the chosen one or a new one on the other. */
export default function Workflows() {
  const list = useQuery({ ...rpc.workflow.list.queryOptions({ input: { path: null } }), staleTime: 0 })
  const { chosen, isWriting, text } = usePage()
  if (list.isError) return <ProblemView error={list.error} onRetry={() => list.refetch()} />
  if (!list.data) return <Loading />
  const write = (text: string) => usePage.setState({ text, isWriting: true })
  const show = (id: WorkflowId) => usePage.setState({ chosen: id, isWriting: false })
  const started = (id: WorkflowId) => usePage.setState({ chosen: id, isWriting: false, text: example })
  return (
    <ListPage
      label="Workflows"
      title="Workflows"
      about="Graphs of tasks that go on after a crash, and change files only when all of them are done."
      tools={
        <Button look="primary" icon={<Plus />} onClick={() => write(text)}>
          New workflow
        </Button>
      }
      list={
        <ul>
          {list.data.map(workflow => (
            <ListEntry
              key={workflow.id}
              title={workflow.name}
              current={workflow.id === chosen && !isWriting}
              onSelect={() => show(workflow.id)}
            >
              {stateWords[workflow.state]} · {dateAndTime(workflow.createdAt)}
            </ListEntry>
          ))}
        </ul>
      }
      detail={
        isWriting ? (
          <Draft text={text} onText={write} onStarted={started} />
        ) : chosen ? (
          <Detail key={chosen} id={chosen} onEdit={write} onOpen={show} />
        ) : (
          <Empty icon={<WorkflowIcon />} title={list.data.length > 0 ? 'Choose a workflow' : 'No workflow yet'}>
            <p>Write one as text, or make one from the cells of the path that is open.</p>
          </Empty>
        )
      }
    />
  )
}
