import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import {
  AnalysisBatchRequest,
  AnalysisEntry,
  AnalysisId,
  AnalysisRunRequest,
  AnalysisStarted,
  AnalysisView,
  BatchProgress,
} from '../analyses.ts'
import { Problem } from '../problem.ts'
import { Code } from '../runs.ts'
import { procedure } from './base.ts'

export const analysesContract = {
  /** All that can be used, and what of the user's own cannot, with the reason. */
  list: procedure.output(z.object({ entries: z.array(AnalysisEntry), problems: z.array(Problem) })),
  show: procedure.input(z.object({ id: AnalysisId, version: z.string().optional() })).output(AnalysisView),
  /** Puts the analysis into a cell and starts it; what becomes of it comes with the events. */
  start: procedure.input(AnalysisRunRequest).output(AnalysisStarted),
  /** Many rows of inputs, in a sandbox beside the path. Ending the stream stops it. */
  batch: procedure.input(AnalysisBatchRequest).output(eventIterator(BatchProgress)),
  /** The catalogue's program for the inputs of this one: what a reviewer compares own code with. */
  original: procedure.input(z.object({ code: Code })).output(z.object({ code: z.string().nullable() })),
}
