import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { RunId } from '../../src/contract/ids.ts'
import type { Output } from '../../src/contract/run.ts'
import type { TaskView, WorkflowView } from '../../src/contract/workflow.ts'
import { download } from '../home/upload.ts'
import { copyLink } from '../notebook/output-actions.ts'
import { type OutputActions, Outputs } from '../output/output.tsx'
import { rpc } from '../state/queries.ts'
import { noteSnapshot, useRuns } from '../state/runs.ts'
import styles from './workflow.module.css'

/** What the last attempt at a task shows: as it comes while it runs, then as the record has it. */
export function Log({ workflow, task }: { workflow: WorkflowView; task: TaskView }) {
  const log = useQuery({
    ...rpc.workflow.log.queryOptions({ input: { workflow: workflow.id, task: task.name } }),
    // Another attempt prints something else, and one that is over stands on the record.
    queryKey: [...rpc.workflow.log.key(), workflow.id, task.name, task.run, task.state],
  })
  useEffect(() => {
    for (const { view, outputs } of log.data ?? []) if (view) noteSnapshot({ view, outputs })
  }, [log.data])
  const recorded = new Map(log.data?.map(({ run, outputs }) => [run, outputs]))
  return task.runs.map((run, at) => (
    <RunLog
      key={run}
      run={run}
      title={task.runs.length > 1 ? `Log of candidate ${at}` : 'Log'}
      recorded={recorded.get(run) ?? nothing}
      isOver={task.state !== 'running'}
    />
  ))
}

interface RunLogProps {
  readonly run: RunId
  readonly title: string
  readonly recorded: readonly Output[]
  readonly isOver: boolean
}

function RunLog({ run, title, recorded, isOver }: RunLogProps) {
  const live = useRuns(state => state.runs.get(run)?.outputs)
  const outputs = live?.length ? live : recorded
  if (outputs.length === 0) return isOver ? null : <p className={styles.hint}>It has printed nothing yet.</p>
  return (
    <div className={styles.log} role="log" aria-label={title}>
      <h4>{title}</h4>
      <Outputs outputs={outputs} actions={logActions} />
    </div>
  )
}

const nothing: readonly Output[] = []

const logActions: OutputActions = {
  onOpenLink: copyLink,
  onSave: download,
}
