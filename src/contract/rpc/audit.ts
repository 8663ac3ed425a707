import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { MetricPoint } from '../alerts.ts'
import * as a from '../audit.ts'
import { RunId } from '../ids.ts'
import { ReportFormat, ReportRun } from '../report.ts'
import { procedure } from './base.ts'
import { Download } from './downloads.ts'

/** How the record stands, without walking all of it. */
export const RecordState = z.object({
  /** What was wrong when it was opened; `verify` looks at everything. */
  damage: z.array(a.Finding),
  /** The last signed statement, which covers everything up to now. */
  checkpoint: a.Checkpoint,
})
export type RecordState = z.infer<typeof RecordState>

/** What long work on the record reports while it goes on, and what came of it at the end. */
const working = <T extends z.ZodType>(result: T) =>
  eventIterator(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('progress'), done: z.number().int(), total: z.number().int() }),
      z.object({ type: z.literal('done'), result }),
    ]),
  )

const Due = z.object({ count: z.number().int(), more: z.boolean() })

export const auditContract = {
  state: procedure.output(RecordState),
  query: procedure.input(a.AuditQuery).output(a.AuditPage),
  count: procedure.input(a.AuditFilter).output(z.object({ count: z.number().int(), more: z.boolean() })),
  entry: procedure.input(z.number().int().nonnegative()).output(a.AuditDetail),
  /** One calculation as its entries tell it together: intent, decision, outcome, effects. Null: nothing tells of it. */
  run: procedure.input(RunId).output(ReportRun.nullable()),
  /** Ending one of these streams stops the work. */
  verify: procedure.output(working(a.Verification)),
  report: procedure
    .input(z.object({ scope: a.AuditScope, format: ReportFormat, title: z.string().trim().min(1).max(200).optional() }))
    .output(working(Download)),
  bundle: procedure.input(z.object({ scope: a.AuditScope })).output(working(Download)),
  /** How many entries pruning up to a moment would empty. */
  due: procedure.input(z.object({ before: z.number().int() })).output(Due),
  /** `expected` is what `due` said: nobody empties more than they were shown. */
  prune: procedure
    .input(z.object({ before: z.number().int(), expected: Due, reason: z.string().trim().min(3).max(1000) }))
    .output(working(a.Pruning)),
  /** Figures since the application was started. */
  metrics: procedure.output(z.array(MetricPoint)),
  rotateKey: procedure.input(z.object({ reason: z.string().trim().min(3).max(1000) })).output(RecordState),
}
