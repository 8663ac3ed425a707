import type { TaskView } from '../../src/contract/workflow.ts'
import { useNow } from '../sandbox/badge.tsx'
import { took } from './words.ts'

interface TimeProps {
  readonly task: Pick<TaskView, 'state' | 'startedAt' | 'finishedAt'>
  /** Stands before it, where there is a time. */
  readonly before?: string
}

/** How long a task took; it counts while the task runs. */
export function Time(props: TimeProps) {
  return props.task.state === 'running' ? <Counting {...props} /> : <Said {...props} time={took(props.task, 0)} />
}

const Counting = (props: TimeProps) => <Said {...props} time={took(props.task, useNow(1000))} />

const Said = ({ before, time }: TimeProps & { time: string | null }) =>
  time && (
    <span>
      {before}
      {time}
    </span>
  )
