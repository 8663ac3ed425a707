import { z } from 'zod'
import { SignOnce } from '../approval.ts'
import { PathId, WorkflowId } from '../ids.ts'
import { GraphFault, TaskLog, Undoing, WorkflowSummary, WorkflowView } from '../workflow.ts'
import { procedure } from './base.ts'

const Source = z.string().max(250_000)

export const workflowContract = {
  /**
   * What is wrong with a graph, and how it would be cut into layers. With a path also what would be refused halfway there,
   * which takes longer. Starts nothing.
   */
  check: procedure.input(z.object({ source: Source, path: PathId.nullable().default(null) })).output(
    z.object({
      faults: z.array(GraphFault),
      layers: z.array(z.array(z.string())),
      needs: z.record(z.string(), z.array(z.string())),
    }),
  ),
  start: procedure.input(z.object({ path: PathId, source: Source })).output(WorkflowView),
  get: procedure.input(z.object({ workflow: WorkflowId })).output(WorkflowView),
  source: procedure.input(z.object({ workflow: WorkflowId })).output(z.object({ source: z.string() })),
  /** Newest first; of one path, or of all. */
  list: procedure.input(z.object({ path: PathId.nullable() })).output(z.array(WorkflowSummary)),
  resume: procedure.input(z.object({ workflow: WorkflowId })).output(WorkflowView),
  /** The same graph anew from this task; what comes before it keeps its results. */
  again: procedure.input(z.object({ workflow: WorkflowId, task: z.string().max(40) })).output(WorkflowView),
  abort: procedure.input(z.object({ workflow: WorkflowId })).output(WorkflowView),
  aborting: procedure.input(z.object({ workflow: WorkflowId })).output(Undoing),
  log: procedure.input(z.object({ workflow: WorkflowId, task: z.string().max(40) })).output(TaskLog),
  decide: procedure
    .input(
      z.object({
        workflow: WorkflowId,
        task: z.string().max(40),
        approve: z.boolean(),
        comment: z.string().max(2000),
        candidate: z.number().int().min(0).max(7).optional(),
        /** Somebody else who decides this once. */
        as: SignOnce.optional(),
      }),
    )
    .output(WorkflowView),
  /** A graph made from the cells of a path: their order, and the files and names that they read and write. */
  fromPath: procedure.input(z.object({ path: PathId })).output(z.object({ source: z.string() })),
}
