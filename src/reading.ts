import type { Approval } from './approval/approval.ts'
import { type Audit, noEntries, type RunEntries, tellRun } from './audit/audit.ts'
import type { AuditAction, AuditDetail, AuditFilter, AuditItem, AuditPage, AuditQuery } from './contract/audit.ts'
import type { Caller } from './contract/caller.ts'
import type { RunId, TenantId } from './contract/ids.ts'
import { fail, type Outcome, ok } from './contract/problem.ts'
import type { ReportRun } from './contract/report.ts'

/** The record as one person reads it. What they look at is itself on the record: once, not with every scroll. */
export interface Reading {
  query(query: AuditQuery): Promise<AuditPage>
  count(filter: AuditFilter): ReturnType<Audit['count']>
  entry(seq: number): Promise<Outcome<AuditDetail>>
  /** All that the record tells of a run, with its texts; null when it knows of none. */
  run(run: RunId): Promise<ReportRun | null>
  /** For what puts itself on the record: verifying, reports, bundles, pruning, keys. */
  readonly audit: Pick<
    Audit,
    'verify' | 'reportFile' | 'exportBundle' | 'prune' | 'rotateKey' | 'damageAtStart' | 'lastSigned'
  >
}

interface Parts {
  readonly audit: Audit
  /** Who people are, for the story of a run; a door that opens the record alone tells none. */
  readonly identities?: Pick<Approval['identities'], 'list'>
  /** Whose record this is: there is one for an installation. */
  readonly tenant: TenantId
}

export function readRecord({ audit, identities, tenant }: Parts, who: Caller): Outcome<Reading> {
  if (who.tenant !== tenant) return notYours
  const read = new Set<string>()

  async function note(what: string, details: Record<string, string | number>): Promise<void> {
    if (read.has(what)) return
    read.add(what)
    await audit.record({ action: 'audit.read', tenant, actor: who.user, details })
  }
  const noteTimeline = () => note('timeline', { what: 'timeline' })
  /** However many of its entries are opened, the run was looked at once. */
  const noteRun = (run: RunId) => note(`run ${run}`, { what: 'run', run })

  return ok({
    audit,
    async query(query) {
      const page = await audit.query(query)
      await noteTimeline()
      return page
    },
    count: filter => audit.count(filter),
    async entry(seq) {
      const detail = await audit.entry(seq)
      if (!detail.ok) return detail
      const { entry } = detail.value.item
      // Who saw a text or a personal value stands on the record; a glance at the bare facts is part of the timeline.
      if (entry.run) await noteRun(entry.run)
      else if (entry.bodies || entry.personal) await note(`entry ${seq}`, { what: 'entry', seq })
      else await noteTimeline()
      return detail
    },
    async run(run) {
      const { items } = await audit.query({ filter: { run }, limit: 100 })
      const entries = noEntries()
      for (const { entry, runState } of items) {
        const part = partOf[entry.action]
        if (!part) continue
        // Newest first: of two decisions on one run the last counts.
        entries[part] ??= entry
        if (part === 'intended') entries.state = runState
      }
      if (!entries.intended && !entries.refused && !entries.requested) return null
      const people = (await identities?.list(tenant)) ?? []
      const names = new Map<string, string>(people.map(({ id, name }) => [id, name]))
      const nameOf = (id: string | null) => (id === null ? 'Countersign' : (names.get(id) ?? `user ${id.slice(-6)}`))
      const story = tellRun(run, entries, nameOf)
      const texts = await textsOf(audit, items)
      await noteRun(run)
      const output = [texts.stdout, texts.stderr].filter(Boolean).join('\n')
      return { ...story, code: texts.code ?? null, output: output || null }
    },
  })
}

const notYours = fail(
  'access.denied',
  'The record of this installation belongs to somebody else.',
  'Sign in as someone whose record it is.',
)

const partOf: Partial<Record<AuditAction, Exclude<keyof RunEntries, 'state'>>> = {
  'approval.requested': 'requested',
  'approval.decided': 'decided',
  'run.intended': 'intended',
  'run.finished': 'finished',
  'run.refused': 'refused',
}

async function textsOf(audit: Audit, items: readonly AuditItem[]): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const { entry } of items.filter(item => item.entry.bodies)) {
    const detail = await audit.entry(entry.seq)
    if (!detail.ok) continue
    for (const [name, text] of Object.entries(detail.value.bodies)) if (text !== null) texts[name] ??= text
  }
  return texts
}
