import { z } from 'zod'
import type { TaskView } from '../../src/contract/workflow.ts'

/** What a task with candidates leaves while it waits for somebody to choose. */
const Waiting = z.object({
  candidates: z.array(
    z.object({
      /** Left out in older rows: there a candidate is known by its place. */
      number: z.number().int().optional(),
      outputs: z.record(z.string(), z.json()),
      changes: z.object({ written: z.array(z.object({ path: z.string() })) }),
    }),
  ),
})

export interface Candidate {
  readonly number: number
  readonly outputs: NonNullable<TaskView['outputs']>
  readonly written: readonly string[]
}

export function candidatesOf({ state, outputs }: TaskView): Candidate[] {
  const found = state === 'waiting' ? Waiting.safeParse(outputs) : null
  if (!found?.success) return []
  return found.data.candidates.map(({ number, outputs: left, changes }, at) => ({
    ...{ number: number ?? at, outputs: left, written: changes.written.map(({ path }) => path) },
  }))
}
