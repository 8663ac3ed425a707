import type { TaskState, TaskView, WorkflowState } from '../../src/contract/workflow.ts'

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

export function took({ state, startedAt, finishedAt }: Pick<TaskView, 'state' | 'startedAt' | 'finishedAt'>) {
  if (state === 'skipped' || startedAt === null || finishedAt === null) return null
  const ms = finishedAt - startedAt
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** What its candidates start from: code that counts on variables must not be surprised. */
export const startWords: Record<NonNullable<TaskView['candidates']>['from'], string> = {
  files: 'candidates, each starting from the files alone',
  variables: 'candidates, each starting from a copy of the shared sandbox with its variables',
}
