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

export function took({ startedAt, finishedAt }: Pick<TaskView, 'startedAt' | 'finishedAt'>): string | null {
  if (startedAt === null || finishedAt === null) return null
  const ms = finishedAt - startedAt
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}
