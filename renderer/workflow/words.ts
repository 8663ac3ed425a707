import type { TaskState, TaskView, WorkflowState } from '../../src/contract/workflow.ts'
import { duration } from '../notebook/cell-header.tsx'

export const stateWords: Record<WorkflowState | TaskState, string> = {
  pending: 'not started',
  running: 'running',
  waiting: 'waiting for a person',
  completed: 'completed',
  failed: 'failed',
  aborted: 'aborted',
  skipped: 'not run',
}

/** What fits into a box of the graph, whose name for a screen reader says all. */
export const boxWords = { ...stateWords, waiting: 'waiting' }

/** A shape beside the word, so that a state is not told by colour alone. */
export const stateMarks: Record<TaskState, string> = {
  pending: '○',
  running: '◐',
  waiting: '◇',
  completed: '●',
  failed: '✕',
  skipped: '–',
}

export const typeWords: Record<TaskView['type'], string> = {
  code_execution: 'code',
  analysis: 'analysis',
  mcp_tool: 'tool',
  approval: 'approval',
}

/** How long a task took; how long one that runs has been at it, at `now`, in whole seconds. */
export function took(
  { state, startedAt, finishedAt }: Pick<TaskView, 'state' | 'startedAt' | 'finishedAt'>,
  now: number,
): string | null {
  if (state === 'skipped' || startedAt === null) return null
  if (finishedAt !== null) return duration(finishedAt - startedAt)
  const seconds = Math.floor((now - startedAt) / 1000)
  if (state !== 'running' || seconds < 1) return null
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1000)
}

/** What its candidates start from: code that counts on variables must not be surprised. */
export const startWords: Record<NonNullable<TaskView['candidates']>['from'], string> = {
  files: 'candidates, each starting from the files alone',
  variables: 'candidates, each starting from a copy of the shared sandbox with its variables',
}
