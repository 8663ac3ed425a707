import { z } from 'zod'
import { CellId, PathId, RunId } from './ids.ts'
import { Problem } from './problem.ts'
import { RunError } from './run.ts'

/**
 * Cells of a path that run one after the other: the one that has its turn, and those that wait for it to succeed.
 * `stopped`: that cell did not succeed, so the rest was not run. `left`: the application ended at that cell.
 */
export const Series = z.object({
  path: PathId,
  state: z.enum(['running', 'stopped', 'left']),
  cell: CellId,
  /** Of the cell that has its turn; null until it was started. */
  run: RunId.nullable(),
  done: z.number().int().nonnegative(),
  waiting: z.array(CellId),
  /** How the cell ended at which it stopped: in its code, or before that began. */
  end: z
    .object({ error: RunError.pick({ kind: true, name: true }).nullable(), problem: Problem.nullable() })
    .nullable(),
})
export type Series = z.infer<typeof Series>

export const StartSeries = z.object({ path: PathId, cells: z.array(CellId).min(1).max(10_000) })
export type StartSeries = z.infer<typeof StartSeries>
