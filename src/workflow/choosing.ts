import type { z } from 'zod'
import { problem } from '../contract/problem.ts'
import type { CodeTask } from '../contract/workflow.ts'
import type { TaskEnd, Values } from './task.ts'

type Completed = Extract<TaskEnd, { type: 'completed' }> & { readonly number: number }

/** Which of several candidates counts. One that failed is left out; one that waits makes all of them wait. */
export function choose(task: z.infer<typeof CodeTask>, ends: readonly TaskEnd[]): TaskEnd {
  const waiting = ends.find(end => end.type === 'waiting')
  if (waiting) return { type: 'failed', problem: needsReview, final: true }
  const good = ends.flatMap((end, number): Completed[] => (end.type === 'completed' ? [{ ...end, number }] : []))
  const [first] = good
  if (!first) return ends.find(end => end.type === 'failed') ?? { type: 'failed', problem: none, final: true }
  if (task.choose === 'reviewer') {
    const candidates = good.map(({ number, outputs, changes }) => ({
      number,
      outputs,
      changes,
    })) as unknown as Values[string]
    return { type: 'waiting', request: null, outputs: { candidates } }
  }
  if (!task.choose) return first
  const [by, sign] = 'smallest' in task.choose ? [task.choose.smallest, 1] : [task.choose.largest, -1]
  const figure = ({ outputs }: Completed) =>
    typeof outputs[by] === 'number' ? sign * outputs[by] : Number.POSITIVE_INFINITY
  return good.reduce((best, end) => (figure(end) < figure(best) ? end : best), first)
}

const needsReview = problem(
  'workflow.unsupported',
  'Code that a reviewer must see cannot run as candidates.',
  'Let it run once, without candidates.',
)
const none = problem('workflow.task-failed', 'No candidate was run.', 'Look at the graph.')
