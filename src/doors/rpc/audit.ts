import { exportsThrough, noEntries, type RunEntries, tellRun } from '../../audit/audit.ts'
import { type AuditAction, type AuditItem, type AuditScope, auditActions } from '../../contract/audit.ts'
import type { ConversationId, RunId } from '../../contract/ids.ts'
import { fail } from '../../contract/problem.ts'
import type { ReportFormat, ReportRun } from '../../contract/report.ts'
import type { RecordState } from '../../contract/rpc/audit.ts'
import { api, type DoorContext, unwrap } from './api.ts'
import { working } from './progress.ts'

const { audit, downloads } = api

export const auditRouter = {
  state: audit.state.handler(({ context }) => stateOf(context)),
  query: audit.query.handler(async ({ context: { engine, session }, input }) => {
    await session.noteReading('timeline', { what: 'timeline' })
    return engine.audit.query(input)
  }),
  count: audit.count.handler(({ context: { engine }, input }) => engine.audit.count(input)),
  entry: audit.entry.handler(async ({ context: { engine, session }, input }) => {
    const detail = await unwrap(engine.audit.entry(input))
    const { entry } = detail.item
    // Who saw a text or a personal value stands on the record; a glance at the bare facts is part of the timeline.
    if (entry.run) await noteRun(session, entry.run)
    else if (entry.bodies || entry.personal) {
      await session.noteReading(`entry ${input}`, { what: 'entry', seq: input })
    }
    return detail
  }),
  run: audit.run.handler(({ context, input }) => runStory(context, input)),
  verify: audit.verify.handler(({ context: { engine, session }, signal }) =>
    working(signal, (stop, onProgress) =>
      engine.audit.verify({ actor: session.caller.user, signal: stop, onProgress }),
    ),
  ),
  report: audit.report.handler(({ context: { engine, session }, input: { scope, format, title }, signal }) =>
    working(signal, (stop, onProgress) => {
      const file = { name: fileName('report', scope, format), mediaType: mediaTypes[format] }
      return session.downloads.hold(file, async () => {
        const { bytes } = await engine.audit.reportFile({
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
    }),
  ),
  bundle: audit.bundle.handler(({ context: { engine, session }, input: { scope }, signal }) =>
    working(signal, (stop, onProgress) => {
      const file = { name: fileName('bundle', scope, 'zip'), mediaType: 'application/zip' }
      return session.downloads.hold(file, async place => {
        const passEgress = exportsThrough(engine.privacy.egress, file.name)
        const actor = session.caller.user
        await engine.audit.exportBundle({ scope, file: place, passEgress, actor, signal: stop, onProgress })
        return undefined
      })
    }),
  ),
  due: audit.due.handler(({ context, input }) => dueBefore(context, input.before)),
  prune: audit.prune.handler(({ context, input: { before, expected, reason }, signal }) =>
    working(signal, async (stop, onProgress) => {
      const due = await dueBefore(context, before)
      if (due.count !== expected.count || due.more !== expected.more) await unwrap(changedMeanwhile)
      const actor = context.session.caller.user
      const why = context.engine.privacy.maskForRecord(reason)
      return context.engine.audit.prune({ before, actor, reason: why, signal: stop, onProgress })
    }),
  ),
  metrics: audit.metrics.handler(({ context: { engine } }) => engine.metrics()),
  rotateKey: audit.rotateKey.handler(async ({ context, input }) => {
    // The record is for ever, and goes out with every bundle: what a person writes to explain something is masked first.
    const why = context.engine.privacy.maskForRecord(input.reason)
    await context.engine.audit.rotateKey(context.session.caller.user, why)
    return stateOf(context)
  }),
}

export const downloadsRouter = {
  piece: downloads.piece.handler(async ({ context: { session }, input: { download, offset, length } }) =>
    Buffer.from(await unwrap(session.downloads.piece(download, offset, length))).toString('base64'),
  ),
  drop: downloads.drop.handler(({ context: { session }, input }) => session.downloads.drop(input)),
}

async function stateOf({ engine }: DoorContext): Promise<RecordState> {
  return { damage: [...engine.audit.damageAtStart], checkpoint: await engine.audit.lastSigned() }
}

const partOf: Partial<Record<AuditAction, Exclude<keyof RunEntries, 'state'>>> = {
  'approval.requested': 'requested',
  'approval.decided': 'decided',
  'run.intended': 'intended',
  'run.finished': 'finished',
  'run.refused': 'refused',
}

async function runStory({ engine, session }: DoorContext, run: RunId): Promise<ReportRun | null> {
  const { items } = await engine.audit.query({ filter: { run }, limit: 100 })
  const entries = noEntries()
  for (const { entry, runState } of items) {
    const part = partOf[entry.action]
    if (!part) continue
    // Newest first: of two decisions on one run the last counts.
    entries[part] ??= entry
    if (part === 'intended') entries.state = runState
  }
  if (!entries.intended && !entries.refused && !entries.requested) return null
  const people = await engine.approval.identities.list(session.caller.tenant)
  const names = new Map<string, string>(people.map(({ id, name }) => [id, name]))
  const story = tellRun(run, entries, id => (id === null ? 'Countersign' : (names.get(id) ?? `user ${id.slice(-6)}`)))
  const texts = await textsOf(engine, items)
  await noteRun(session, run)
  const output = [texts.stdout, texts.stderr].filter(Boolean).join('\n')
  return { ...story, code: texts.code ?? null, output: output || null }
}

/** However many of its entries are opened, the run was looked at once. */
const noteRun = (session: DoorContext['session'], run: RunId) => session.noteReading(`run ${run}`, { what: 'run', run })

async function textsOf(engine: DoorContext['engine'], items: readonly AuditItem[]): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const { entry } of items.filter(item => item.entry.bodies)) {
    const detail = await engine.audit.entry(entry.seq)
    if (!detail.ok) continue
    for (const [name, text] of Object.entries(detail.value.bodies)) if (text !== null) texts[name] ??= text
  }
  return texts
}

/** Keys and tombstones are never emptied: without them nothing else could be checked. */
const prunable = auditActions.filter(action => !['key.created', 'key.rotated', 'audit.pruned'].includes(action))

const dueBefore = ({ engine }: DoorContext, before: number) =>
  engine.audit.count({ to: before - 1, actions: [...prunable] })

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
