import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type AuditAction, auditActions } from './contract/audit.ts'

/** Where each action is written. A new action fails to compile here until somebody says who writes it. */
const writers: Record<AuditAction, string> = {
  'run.intended': 'runs/record.ts',
  'run.finished': 'runs/record.ts',
  'run.refused': 'runs/record.ts',
  'approval.requested': 'approval/ask.ts',
  'approval.decided': 'approval/answer.ts',
  'approval.changed': 'approval/desk.ts',
  'approval.expired': 'approval/desk.ts',
  'approval.rejected': 'approval/gate.ts',
  'conversation.created': 'conversations/tree.ts',
  'conversation.renamed': 'conversations/tree.ts',
  'conversation.deleted': 'conversations/tree.ts',
  'conversation.restored': 'conversations/tree.ts',
  'conversation.erased': 'conversations/bin.ts',
  'template.saved': 'conversations/copying.ts',
  'template.removed': 'conversations/copying.ts',
  'conversation.imported': 'conversations/conversations.ts',
  'conversation.exported': 'conversations/exporting/export.ts',
  'path.branched': 'conversations/paths.ts',
  'path.merged': 'conversations/merge.ts',
  'path.merge-undone': 'conversations/undo.ts',
  'path.archived': 'conversations/paths.ts',
  'path.deleted': 'conversations/paths.ts',
  'path.restored': 'conversations/paths.ts',
  'path.erased': 'conversations/bin.ts',
  'path.renamed': 'conversations/paths.ts',
  'path.compared': 'conversations/compare.ts',
  'path.replayed': 'runs/replay.ts',
  'figure.pinned': 'conversations/pins.ts',
  'figure.unpinned': 'conversations/pins.ts',
  'figure.changed': 'conversations/pins.ts',
  'message.added': 'conversations/editing.ts',
  'message.edited': 'conversations/editing.ts',
  'message.removed': 'conversations/editing.ts',
  'workflow.started': 'workflow/store.ts',
  'workflow.checkpoint': 'workflow/execution.ts',
  'workflow.decided': 'workflow/deciding.ts',
  'workflow.completed': 'workflow/execution.ts',
  'workflow.failed': 'workflow/execution.ts',
  'workflow.aborted': 'workflow/workflow.ts',
  'image.built': 'sandboxes.ts',
  'image.removed': 'sandboxes.ts',
  'context.created': 'contexts/store.ts',
  'context.paused': 'contexts/store.ts',
  'context.resumed': 'contexts/store.ts',
  'context.ended': 'contexts/store.ts',
  'network.narrowed': 'narrowing.ts',
  'cloud.allowed': 'cloud/consents.ts',
  'cloud.revoked': 'cloud/consents.ts',
  'feed.fetched': 'feeds.ts',
  'file.uploaded': 'downloading.ts',
  'file.downloaded': 'downloading.ts',
  'privacy.revealed': 'privacy/privacy.ts',
  'privacy.allowed': 'privacy/privacy.ts',
  'privacy.erased': 'privacy/privacy.ts',
  'egress.passed': 'privacy/privacy.ts',
  'mcp.added': 'mcp/mcp.ts',
  'mcp.removed': 'mcp/mcp.ts',
  'mcp.logged-in': 'mcp/logins.ts',
  'mcp.logged-out': 'mcp/logins.ts',
  'mcp.accepted': 'mcp/mcp.ts',
  'mcp.called': 'mcp/mcp.ts',
  'mcp.searched': 'mcp/finding.ts',
  'settings.changed': 'changing-settings.ts',
  'environment.added': 'environments/environments.ts',
  'environment.removed': 'environments/environments.ts',
  'environment.chosen': 'environments/environments.ts',
  'policy.changed': 'approval/policy-keeper.ts',
  'identity.created': 'approval/identities.ts',
  'identity.vouched': 'approval/identities.ts',
  'identity.vouch-withdrawn': 'approval/identities.ts',
  'reviewer.logged-in': 'approval/identities.ts',
  'key.created': 'audit/keys.ts',
  'key.rotated': 'audit/keys.ts',
  'audit.verified': 'audit/audit.ts',
  'audit.read': 'reading.ts',
  'audit.exported': 'audit/audit.ts',
  'audit.pruned': 'audit/retention.ts',
  'alert.raised': 'telemetry/alerts.ts',
  'application.started': 'engine.ts',
  'application.stopped': 'engine.ts',
}

it.each(auditActions)('%s is written where the table says', action => {
  const text = readFileSync(join(import.meta.dirname, writers[action]), 'utf8')
  // The name alone is not enough: it could stand in a filter. A writer names an action or hands it to one who does.
  expect(text).toMatch(new RegExp(`(action:|\\(|\\?|:|, )\\s*'${action.replace('.', '\\.')}'`))
  expect(text).toMatch(/append|record|action:/)
})

it('no door writes the record: a door that is added cannot forget to', () => {
  expect(Object.values(writers).filter(file => file.startsWith('doors/'))).toEqual([])
})
