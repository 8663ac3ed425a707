import { exportsThrough, neverEmptied } from '../../audit/audit.ts'
import { type AuditScope, auditActions } from '../../contract/audit.ts'
import type { ConversationId, RunId } from '../../contract/ids.ts'
import { fail } from '../../contract/problem.ts'
import type { ReportFormat } from '../../contract/report.ts'
import type { RecordState } from '../../contract/rpc/audit.ts'
import { api, type DoorContext, unwrap } from './api.ts'
import { working } from './progress.ts'

const { audit, downloads } = api

export const auditRouter = {
  state: audit.state.handler(({ context }) => stateOf(context)),
  query: audit.query.handler(async ({ context, input }) => (await recordOf(context)).query(input)),
  count: audit.count.handler(async ({ context, input }) => (await recordOf(context)).count(input)),
  entry: audit.entry.handler(async ({ context, input }) => unwrap((await recordOf(context)).entry(input))),
  run: audit.run.handler(async ({ context, input }) => (await recordOf(context)).run(input)),
  verify: audit.verify.handler(async ({ context, signal }) => {
    const { audit: record } = await recordOf(context)
    const actor = context.session.caller.user
    return working(signal, (stop, onProgress) => record.verify({ actor, signal: stop, onProgress }))
  }),
  report: audit.report.handler(async ({ context, input: { scope, format, title }, signal }) => {
    const { engine, session } = context
    const { audit: record } = await recordOf(context)
    return working(signal, (stop, onProgress) => {
      const file = { name: fileName('report', scope, format), mediaType: mediaTypes[format] }
      return session.downloads.hold(file, async () => {
        const { bytes } = await record.reportFile({
          scope,
          format,
          actor: session.caller.user,
          ...(title === undefined ? {} : { title }),
          passEgress: exportsThrough(engine.privacy.egress, file.name),
          printPdf: engine.printPdf,
          signal: stop,
          onProgress,
        })
        return bytes
      })
    })
  }),
  bundle: audit.bundle.handler(async ({ context, input: { scope }, signal }) => {
    const { engine, session } = context
    const { audit: record } = await recordOf(context)
    return working(signal, (stop, onProgress) => {
      const file = { name: fileName('bundle', scope, 'zip'), mediaType: 'application/zip' }
      return session.downloads.hold(file, async place => {
        const passEgress = exportsThrough(engine.privacy.egress, file.name)
        const actor = session.caller.user
        await record.exportBundle({ scope, file: place, passEgress, actor, signal: stop, onProgress })
        return undefined
      })
    })
  }),
  due: audit.due.handler(({ context, input }) => dueBefore(context, input.before)),
  prune: audit.prune.handler(async ({ context, input: { before, expected, reason }, signal }) => {
    const { audit: record } = await recordOf(context)
    return working(signal, async (stop, onProgress) => {
      const due = await dueBefore(context, before)
      if (due.count !== expected.count || due.more !== expected.more) await unwrap(changedMeanwhile)
      const actor = context.session.caller.user
      const why = context.engine.privacy.maskForRecord(reason)
      return record.prune({ before, actor, reason: why, signal: stop, onProgress })
    })
  }),
  metrics: audit.metrics.handler(async ({ context }) => {
    await recordOf(context)
    return context.engine.metrics()
  }),
  rotateKey: audit.rotateKey.handler(async ({ context, input }) => {
    // The record is for ever, and goes out with every bundle: what a person writes to explain something is masked first.
    const why = context.engine.privacy.maskForRecord(input.reason)
    const { audit: record } = await recordOf(context)
    await record.rotateKey(context.session.caller.user, why)
    return stateOf(context)
  }),
}

export const downloadsRouter = {
  piece: downloads.piece.handler(async ({ context: { session }, input: { download, offset, length } }) =>
    Buffer.from(await unwrap(session.downloads.piece(download, offset, length))).toString('base64'),
  ),
  drop: downloads.drop.handler(({ context: { session }, input }) => session.downloads.drop(input)),
}

/** The record as this window's person may read it: refused where it is not theirs. */
export const recordOf = ({ session }: DoorContext) => unwrap(session.record())

async function stateOf(context: DoorContext): Promise<RecordState> {
  const { audit: record } = await recordOf(context)
  return { damage: [...record.damageAtStart], checkpoint: await record.lastSigned() }
}

const prunable = auditActions.filter(action => !neverEmptied.includes(action))

const dueBefore = async (context: DoorContext, before: number) =>
  (await recordOf(context)).count({ to: before - 1, actions: [...prunable] })

const changedMeanwhile = fail(
  'conflict',
  'What would be removed is not what you were shown.',
  'Look at it again, then decide.',
)

const mediaTypes: Record<ReportFormat, string> = {
  pdf: 'application/pdf',
  html: 'text/html',
  csv: 'text/csv',
  json: 'application/json',
}

/** `countersign-report-2026-07-01-to-2026-09-30.pdf`: no name of a person or conversation, since files travel. */
function fileName(what: 'report' | 'bundle', scope: AuditScope, ending: string): string {
  return `countersign-${what}-${scopeName[scope.kind](scope as never)}.${ending}`
}

const day = (at: number) => new Date(at).toISOString().slice(0, 10)
const scopeName: { [Kind in AuditScope['kind']]: (scope: Extract<AuditScope, { kind: Kind }>) => string } = {
  all: () => 'all',
  period: ({ from, to }) => `${day(from)}-to-${day(to)}`,
  conversation: ({ conversation }) => `conversation-${tail(conversation)}`,
  run: ({ run }) => `run-${tail(run)}`,
}
const tail = (id: ConversationId | RunId) => id.slice(-8)
