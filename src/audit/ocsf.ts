import type { AuditAction, AuditEntry } from '../contract/audit.ts'
import type { RiskLevel } from '../contract/run.ts'

/**
 * Entries as events of the Open Cybersecurity Schema Framework, for a SIEM. Everything that has no field there stands
 * under `unmapped`.
 */
export function ocsfEvent(entry: AuditEntry, hash: string): Record<string, unknown> {
  const { category, type, activity, own } = classes[entry.action]
  const details = typeof entry.details === 'object' && entry.details !== null ? entry.details : {}
  const facet = (name: string) => (Array.isArray(details) ? undefined : details[name])
  return {
    activity_id: activity,
    category_uid: category,
    class_uid: type,
    type_uid: type * 100 + activity,
    severity_id: severities[String(facet('risk')) as RiskLevel] ?? 1,
    status_id: statusOf(entry.action, facet('success')),
    time: entry.at,
    message: entry.action,
    ...own(entry, facet),
    metadata: {
      uid: entry.id,
      version: '1.3.0',
      sequence: entry.seq,
      log_name: 'audit',
      tenant_uid: entry.tenant,
      ...(entry.run !== undefined && { correlation_uid: entry.run }),
      product,
    },
    unmapped: {
      entry_hash: hash,
      conversation: entry.conversation,
      path: entry.path,
      cell: entry.cell,
      run: entry.run,
      request: entry.request,
      details: entry.details,
      bodies: entry.bodies,
    },
  }
}

const product = { name: 'Countersign', vendor_name: 'Countersign' }

/** What a class wants beside what all events have. A receiver that checks the schema refuses what is missing or extra. */
type Own = (entry: AuditEntry, facet: (name: string) => unknown) => Record<string, unknown>

const actorOf = ({ actor, session }: AuditEntry) => ({ user: { uid: actor ?? 'system' }, session: { uid: session } })
const ofCall: Own = entry => ({
  actor: actorOf(entry),
  api: { operation: entry.action },
  src_endpoint: { uid: entry.session },
})
const ofApplication: Own = (_, facet) => ({ app: { ...product, ...text('version', facet('version')) } })
const ofEntity: Own = (entry, facet) => ({
  actor: actorOf(entry),
  entity: {
    type: entry.action.startsWith('identity.') ? 'identity' : 'signing key',
    uid: String(facet('identity') ?? facet('key') ?? entry.id),
    ...text('name', facet('name')),
  },
})
const ofLogIn: Own = (entry, facet) => ({
  actor: actorOf(entry),
  user: { uid: entry.actor ?? 'system', ...text('name', facet('name')) },
  service: { name: product.name },
})

const text = (name: string, value: unknown) => (typeof value === 'string' ? { [name]: value } : {})

function statusOf(action: AuditAction, success: unknown): number {
  if (action === 'run.refused' || action === 'approval.rejected' || success === false) return 2
  return success === true ? 1 : 0
}

const severities: Record<RiskLevel, number> = { low: 2, medium: 3, high: 4, critical: 5 }

const api = (activity: number) => ({ category: 6, type: 6003, activity, own: ofCall })
const lifecycle = (activity: number) => ({ category: 6, type: 6002, activity, own: ofApplication })
const entity = (activity: number) => ({ category: 3, type: 3004, activity, own: ofEntity })
const logIn = (activity: number) => ({ category: 3, type: 3002, activity, own: ofLogIn })
const [create, read, update, remove, other] = [1, 2, 3, 4, 99]

const classes: Record<AuditAction, { category: number; type: number; activity: number; own: Own }> = {
  'run.intended': api(create),
  'run.finished': api(update),
  'run.refused': api(other),
  'approval.requested': api(create),
  'approval.decided': api(update),
  'approval.changed': api(update),
  'approval.expired': api(update),
  'approval.rejected': api(other),
  'conversation.created': api(create),
  'conversation.renamed': api(update),
  'conversation.deleted': api(remove),
  'conversation.restored': api(update),
  'conversation.erased': api(remove),
  'template.saved': api(create),
  'template.removed': api(remove),
  'conversation.imported': api(create),
  'conversation.exported': api(read),
  'path.branched': api(create),
  'path.merged': api(update),
  'path.merge-undone': api(update),
  'path.archived': api(update),
  'path.deleted': api(remove),
  'path.restored': api(update),
  'path.erased': api(remove),
  'path.renamed': api(update),
  'path.compared': api(read),
  'path.replayed': api(read),
  'figure.pinned': api(create),
  'figure.unpinned': api(remove),
  'figure.changed': api(update),
  'message.added': api(create),
  'message.edited': api(update),
  'message.removed': api(remove),
  'workflow.started': api(create),
  'workflow.checkpoint': api(update),
  'workflow.decided': api(update),
  'workflow.completed': api(update),
  'workflow.failed': api(update),
  'workflow.aborted': api(update),
  'context.created': api(create),
  'context.paused': api(update),
  'context.resumed': api(update),
  'context.ended': api(remove),
  'image.built': api(create),
  'image.removed': api(remove),
  'network.narrowed': api(remove),
  'cloud.allowed': api(create),
  'cloud.revoked': api(remove),
  'feed.fetched': api(read),
  'file.uploaded': api(create),
  'file.downloaded': api(read),
  'file.removed': api(remove),
  'privacy.revealed': api(read),
  'privacy.allowed': api(update),
  'privacy.erased': api(remove),
  'egress.passed': api(other),
  'mcp.added': api(create),
  'mcp.removed': api(remove),
  'mcp.logged-in': api(create),
  'mcp.logged-out': api(remove),
  'mcp.accepted': api(update),
  'mcp.called': api(other),
  'mcp.searched': api(read),
  'settings.changed': api(update),
  'environment.added': api(create),
  'environment.removed': api(remove),
  'environment.chosen': api(update),
  'policy.changed': api(update),
  'identity.created': entity(create),
  'identity.vouched': entity(update),
  'identity.vouch-withdrawn': entity(update),
  'reviewer.logged-in': logIn(1),
  'key.created': entity(create),
  'key.rotated': entity(update),
  'audit.verified': api(read),
  'audit.read': api(read),
  'audit.exported': api(read),
  'audit.pruned': api(remove),
  'alert.raised': api(create),
  'application.started': lifecycle(3),
  'application.stopped': lifecycle(4),
}
