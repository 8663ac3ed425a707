import type { Approval } from '../approval/approval.ts'
import type { Audit } from '../audit/audit.ts'
import { type AuditAction, type AuditEntry, type AuditItem, Sha256 } from '../contract/audit.ts'
import { Facts } from '../contract/facts.ts'
import type { Lineage } from '../contract/figures.ts'
import { type CellId, type RunId, SandboxId, type TenantId } from '../contract/ids.ts'
import { Environment } from '../contract/placement.ts'
import { Isolation, RiskLevel, SandboxKind } from '../contract/run.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { PathFiles } from '../files/files.ts'
import type { ReadFigure } from './figures.ts'

/** What the lineage of a figure is put together from. */
export interface LineageSources {
  readonly audit: Pick<Audit, 'query'>
  readonly files: Pick<PathFiles, 'ofRun' | 'manifest'>
  readonly identities: Pick<Approval['identities'], 'list'>
}

const mostFiles = 100

/** Everything that a figure rests on. What the record says counts; what it does not have stays empty. */
export async function lineageOf(
  sources: LineageSources,
  who: Caller,
  { figure, result, history }: ReadFigure,
): Promise<Lineage> {
  const shown = result?.runs[0] ?? null
  const entries = shown?.run ? await entriesOf(sources.audit, who.tenant, shown.run) : []
  const of = (action: AuditAction) => entries.find(({ entry }) => entry.action === action)?.entry
  const [intended, finished, decided] = [of('run.intended'), of('run.finished'), of('approval.decided')]
  const nameOf = await namesFor(sources.identities, who.tenant)
  const said = new Facts(intended?.details)
  return {
    figure,
    cell: {
      id: figure.cell,
      revision: result?.revision ?? null,
      ranRevision: typeof fieldOf(intended, 'revision') === 'number' ? said.number('revision') : null,
      language: result?.language ?? said.text('language'),
      codeHash: Sha256.safeParse(said.text('codeHash')).data ?? shown?.codeHash ?? null,
    },
    run: intended && finished ? runOf(intended, finished, shown?.outputsHash ?? null, nameOf) : null,
    inputs: await inputsOf(sources.files, shown?.run ?? null, said),
    upstream: (result?.upstream ?? []).map(({ cell, run, codeHash, stale, text }) => ({
      ...{ cell: cell as CellId, run, codeHash, stale },
      firstLine:
        text
          .split('\n')
          .find(line => line.trim() !== '')
          ?.slice(0, 120) ?? '',
    })),
    decision: intended ? decisionOf(intended, decided, nameOf) : null,
    entries: entries.map(({ entry, hash }) => ({ seq: entry.seq, hash, what: entry.action, at: entry.at })),
    history: [...history],
  }
}

/** Oldest first: asked for, decided, begun, finished. */
async function entriesOf(audit: LineageSources['audit'], tenant: TenantId, run: RunId): Promise<AuditItem[]> {
  const { items } = await audit.query({ filter: { run }, limit: 100 })
  const own = items.filter(({ entry }) => entry.tenant === tenant).reverse()
  const request = own.find(({ entry }) => entry.request)?.entry.request
  if (!request) return own
  const { items: about } = await audit.query({ filter: { request }, limit: 100 })
  const known = new Set(own.map(({ entry }) => entry.seq))
  const more = about.filter(({ entry }) => entry.tenant === tenant && !known.has(entry.seq))
  return [...own, ...more].sort((one, other) => one.entry.seq - other.entry.seq)
}

const fieldOf = (entry: AuditEntry | undefined, name: string): unknown =>
  (entry?.details as Record<string, unknown> | undefined)?.[name]

function runOf(
  intended: AuditEntry,
  finished: AuditEntry,
  outputsHash: string | null,
  nameOf: (id: string | null) => string,
): Lineage['run'] {
  const [began, ended] = [new Facts(intended.details), new Facts(finished.details)]
  const place = began.at('placement')
  const sandbox = SandboxKind.safeParse(ended.text('sandbox'))
  const isolation = Isolation.safeParse(ended.text('isolation'))
  const risk = RiskLevel.safeParse(began.text('risk'))
  if (!intended.run || !sandbox.success || !isolation.success || !risk.success) return null
  const environment = (intended.details as { placement?: { environment?: unknown } }).placement?.environment
  const recorded = ended.text('outputsHash')
  return {
    id: intended.run,
    by: nameOf(intended.actor),
    at: finished.at,
    success: ended.is('success'),
    risk: risk.data,
    sandbox: sandbox.data,
    sandboxId: SandboxId.safeParse(ended.text('sandboxId')).data ?? null,
    isolation: isolation.data,
    image: place.text('image') || null,
    environment: Environment.safeParse(environment).data ?? null,
    outputsMatch: recorded === '' || outputsHash === null ? null : recorded === outputsHash,
  }
}

async function inputsOf(files: LineageSources['files'], run: RunId | null, said: Facts): Promise<Lineage['inputs']> {
  const found = run ? await files.ofRun(run) : null
  const all = found ? ((await files.manifest(found.before)) ?? []) : []
  const read = new Set(
    said
      .at('impact')
      .list('filesRead')
      .map(target => new Facts(target).text('target')),
  )
  const marked = all.map(file => ({ ...file, read: read.has(file.path) || read.has(`./${file.path}`) }))
  const sorted = [...marked.filter(file => file.read), ...marked.filter(file => !file.read)]
  return {
    manifest: found?.before ?? null,
    files: sorted.slice(0, mostFiles),
    more: Math.max(0, sorted.length - mostFiles),
  }
}

function decisionOf(
  intended: AuditEntry,
  decided: AuditEntry | undefined,
  nameOf: (id: string | null) => string,
): Lineage['decision'] {
  const said = new Facts(intended.details).at('decision')
  const by = said.text('by')
  if (by !== 'policy' && by !== 'reviewer') return null
  const isReviewed = by === 'reviewer'
  return {
    by,
    name: isReviewed ? nameOf(said.text('reviewer') || null) : 'the policy',
    at: said.number('decidedAt') || decided?.at || intended.at,
    comment: said.text('comment'),
    request: intended.request ?? null,
  }
}

async function namesFor(identities: LineageSources['identities'], tenant: TenantId) {
  const names = new Map<string, string>((await identities.list(tenant)).map(({ id, name }) => [id, name]))
  return (id: string | null): string => (id === null ? 'Countersign' : (names.get(id) ?? `user ${id.slice(-6)}`))
}
