import type { z } from 'zod'
import { problem } from '../contract/problem.ts'
import type { CodeTask } from '../contract/workflow.ts'
import { type Expression, readExpression } from './expression.ts'
import type { TaskEnd, Values } from './task.ts'

type Choice = Exclude<NonNullable<z.infer<typeof CodeTask>['choose']>, 'reviewer'>
type Completed = Extract<TaskEnd, { type: 'completed' }> & { readonly number: number }

/** Which of several candidates counts. One that failed is left out; one that waits makes all of them fail. */
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
  const reading = readChoice(task.choose, task.outputs)
  if ('fault' in reading) return { type: 'failed', problem: noneFits(reading.fault), final: true }
  const ranked = good.flatMap(end => {
    const rank = reading.rank(end.outputs)
    return rank === null ? [] : [{ end, rank }]
  })
  const [best] = ranked.toSorted((a, b) => a.rank - b.rank || a.end.number - b.end.number)
  return best?.end ?? { type: 'failed', problem: noneFits('none of them fulfils it'), final: true }
}

/** The rank of a candidate by its outputs, the lowest first; null for one that does not come into question. */
export function readChoice(
  choice: Choice,
  outputs: z.infer<typeof CodeTask>['outputs'],
): { readonly rank: (outputs: Values) => number | null } | { readonly fault: string } {
  const read = (text: string, kind: Expression['kind']) => {
    const found = readExpression(text, outputs)
    if ('fault' in found) return { fault: `"${text}": ${found.fault}` }
    if (found.expression.kind === kind) return found
    return { fault: `"${text}" must give a ${kind}, to choose by` }
  }
  const [by, sign] =
    'smallest' in choice ? [choice.smallest, 1] : 'largest' in choice ? [choice.largest, -1] : (['0', 1] as const)
  const figure = read(by, 'number')
  if ('fault' in figure) return figure
  const condition = read(choice.where ?? 'true', 'boolean')
  if ('fault' in condition) return condition
  return {
    rank: values => {
      if (condition.expression.valueIn(values) !== true) return null
      const value = figure.expression.valueIn(values)
      return typeof value === 'number' ? sign * value : null
    },
  }
}

const needsReview = problem(
  'workflow.unsupported',
  'Code that a reviewer must see cannot run as candidates.',
  'Let it run once, without candidates.',
)
const none = problem('workflow.task-failed', 'No candidate was run.', 'Look at the graph.')
const noneFits = (why: string) =>
  problem('workflow.task-failed', `No candidate could be chosen: ${why}.`, 'Look at what they left, and at `choose`.')
