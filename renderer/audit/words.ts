import type { AuditAction, AuditEntry } from '../../src/contract/audit.ts'
import { Facts as EntryFacts } from '../../src/contract/facts.ts'
import { visible } from '../../src/contract/visible.ts'
import { bytes } from '../inspector/format.ts'
import { duration } from '../notebook/cell-header.tsx'
import { endWord, isStop } from '../ui/run-end.ts'

/** An entry as one sentence that a person understands. `who` is the name of whoever acted. */
export function tell(entry: AuditEntry, who: string): string {
  return visible(sentences[entry.action](new Facts(entry.details), who)).replaceAll('\n', ' ')
}

/** `Capital review › stress +200bp`; as much of it as is known. */
export function placeOf(title: string | undefined, path: string | undefined): string | undefined {
  const known = [title, path].filter(name => name !== undefined && name !== '')
  return known.length > 0 ? visible(known.join(' › ')) : undefined
}

/** The action alone, for filters. */
export const actionLabels: Record<AuditAction, string> = {
  'run.intended': 'Run started',
  'run.finished': 'Run finished',
  'run.refused': 'Not run',
  'approval.requested': 'Approval asked for',
  'approval.decided': 'Approved or denied',
  'approval.changed': 'Request changed',
  'approval.expired': 'Request expired',
  'approval.rejected': 'Attempt denied',
  'conversation.created': 'Conversation begun',
  'conversation.renamed': 'Conversation renamed',
  'conversation.deleted': 'Conversation deleted',
  'conversation.restored': 'Conversation restored',
  'conversation.erased': 'Conversation deleted for good',
  'template.saved': 'Template saved',
  'template.removed': 'Template removed',
  'conversation.imported': 'Notebook imported',
  'conversation.exported': 'Path exported',
  'path.branched': 'Path branched',
  'path.merged': 'Path merged',
  'path.merge-undone': 'Merge undone',
  'path.archived': 'Path archived',
  'path.deleted': 'Path deleted',
  'path.restored': 'Path restored',
  'path.erased': 'Path deleted for good',
  'path.renamed': 'Path renamed',
  'path.compared': 'Paths compared',
  'path.replayed': 'Path replayed',
  'figure.pinned': 'Figure pinned',
  'figure.unpinned': 'Figure unpinned',
  'figure.changed': 'Pinned figure changed',
  'message.added': 'Cell or message added',
  'message.edited': 'Cell or message edited',
  'message.removed': 'Cell or message removed',
  'context.created': 'Sandbox started',
  'context.paused': 'Sandbox paused',
  'context.resumed': 'Sandbox resumed',
  'context.ended': 'Sandbox ended',
  'network.narrowed': 'Network grant taken back',
  'cloud.allowed': 'Path allowed in the cloud',
  'cloud.revoked': 'Cloud consent withdrawn',
  'feed.fetched': 'Official data fetched',
  'workflow.started': 'Workflow started',
  'workflow.checkpoint': 'Workflow layer finished',
  'workflow.decided': 'Workflow step decided',
  'workflow.completed': 'Workflow completed',
  'workflow.failed': 'Workflow failed',
  'workflow.aborted': 'Workflow aborted',
  'image.built': 'Sandbox image made',
  'image.removed': 'Sandbox image removed',
  'file.uploaded': 'File added',
  'file.downloaded': 'File downloaded',
  'file.removed': 'File deleted',
  'privacy.revealed': 'Private value revealed',
  'privacy.allowed': 'Allow-list changed',
  'privacy.erased': 'Private values erased',
  'egress.passed': 'Text left the machine',
  'mcp.added': 'MCP server added',
  'mcp.removed': 'MCP server removed',
  'mcp.logged-in': 'Logged in at MCP server',
  'mcp.logged-out': 'Logged out of MCP server',
  'mcp.accepted': 'Tools accepted',
  'mcp.called': 'Tool called',
  'mcp.searched': 'Tools searched',
  'settings.changed': 'Settings changed',
  'environment.added': 'Environment added',
  'environment.removed': 'Environment removed',
  'environment.chosen': 'Environment chosen',
  'policy.changed': 'Policy changed',
  'identity.created': 'Person added',
  'identity.vouched': 'Person vouched for',
  'identity.vouch-withdrawn': 'Vouch withdrawn',
  'reviewer.logged-in': 'Reviewer logged in',
  'key.created': 'Signing key made',
  'key.rotated': 'Signing key replaced',
  'audit.verified': 'Record verified',
  'audit.read': 'Record read',
  'audit.exported': 'Record exported',
  'audit.pruned': 'Record pruned',
  'alert.raised': 'Alert raised',
  'application.started': 'Application started',
  'application.stopped': 'Application stopped',
}

export type Area = AuditAction extends `${infer Before}.${string}` ? Before : never
export const areaOf = (action: AuditAction): Area => action.slice(0, action.indexOf('.')) as Area

type Teller = (facts: Facts, who: string) => string

const sentences: Record<AuditAction, Teller> = {
  'run.intended': (facts, who) => `${who} started ${facts.code()}`,
  'run.finished': (facts, who) =>
    facts.is('success')
      ? `${who}’s ${facts.code()} succeeded in ${duration(facts.number('executionTimeMs'))}`
      : `${who}’s ${facts.code()} ${facts.failure()}`,
  'run.refused': (facts, who) => {
    const end = endWord(facts.text('code'))
    const said = { denied: 'was denied', 'syntax error': 'has a syntax error' }[end] ?? 'did not run'
    return `${who}’s ${facts.code()} ${said}: ${facts.text('reason')}`
  },
  'approval.requested': (facts, who) => `${who} asked for approval of ${facts.code()}`,
  'approval.decided': (facts, who) =>
    `${who} ${facts.text('verdict') === 'deny' ? 'denied' : 'approved'} a run${quoted(facts.text('comment'))}`,
  'approval.changed': (facts, who) => {
    const change = own(requestChanges, facts.text('change')) ?? 'changed a request for approval'
    if (facts.text('why') === 'time-out') return `Nobody answered in time: ${who} ${change}`
    return `${who} ${change}${quoted(facts.text('comment') || facts.text('why'))}`
  },
  'approval.expired': () => 'A request for approval expired; nothing ran',
  'approval.rejected': (facts, who) =>
    `${who} was denied (${facts.text('attempt') || 'attempt'}): ${facts.text('reason')}`,
  'conversation.created': (facts, who) => `${who} created “${facts.text('title')}”`,
  'conversation.renamed': (facts, who) => `${who} renamed “${facts.text('from')}” to “${facts.text('to')}”`,
  'conversation.deleted': (facts, who) => `${who} deleted “${facts.text('title')}”`,
  'conversation.restored': (facts, who) => `${who} restored “${facts.text('title')}”`,
  'conversation.erased': (facts, who) => erased(facts, who, `“${facts.text('title')}”`),
  'template.saved': (facts, who) => `${who} saved the template “${facts.text('name')}”`,
  'template.removed': (facts, who) => `${who} removed the template “${facts.text('name')}”`,
  'conversation.imported': (facts, who) => `${who} imported “${facts.text('title')}” from a notebook`,
  'conversation.exported': (facts, who) =>
    `${who} exported a path as ${facts.text('fileName') || facts.text('format')}`,
  'path.branched': (facts, who) =>
    `${who} branched “${facts.text('name')}”${facts.is('withState') ? ' with variables and files' : ''}`,
  'path.merge-undone': (_, who) => `${who} undid a merge`,
  'path.merged': (facts, who) => `${who} merged a path into another (${facts.text('mode') || 'whole'})`,
  'path.archived': (facts, who) => `${who} archived the path “${facts.text('name')}”`,
  'path.deleted': (facts, who) => `${who} deleted the path “${facts.text('name')}”`,
  'path.restored': (facts, who) => `${who} restored the path “${facts.text('name')}”`,
  'path.erased': (facts, who) => erased(facts, who, `the path “${facts.text('name')}”`),
  'path.renamed': (facts, who) => `${who} renamed the path “${facts.text('from')}” to “${facts.text('to')}”`,
  'path.compared': (_, who) => `${who} compared two paths`,
  'workflow.started': (facts, who) => `${who} started the workflow ${facts.text('name')}`,
  'workflow.checkpoint': facts => `The workflow finished ${facts.names('tasks')}`,
  'workflow.decided': (facts, who) =>
    `${who} ${facts.is('approved') ? 'approved' : 'denied'} the step ${facts.text('task')}`,
  'workflow.completed': facts => `The workflow ${facts.text('name')} completed`,
  'workflow.failed': facts => `The workflow failed: ${facts.text('message')}`,
  'workflow.aborted': (facts, who) => `${who} aborted the workflow ${facts.text('name')}`,
  'path.replayed': (facts, who) => `${who} replayed a path: ${facts.text('verdict').replace('-', ' ')}`,
  'figure.pinned': (facts, who) => `${who} pinned the figure “${facts.text('name')}”`,
  'figure.unpinned': (facts, who) => `${who} unpinned the figure “${facts.text('name')}”`,
  'figure.changed': (facts, who) =>
    facts.text('change') === 'renamed'
      ? `${who} renamed the figure “${facts.text('from')}” to “${facts.text('to')}”`
      : `${who} moved the figure “${facts.text('name')}”`,
  'message.added': (facts, who) => `${who} added ${facts.items()}`,
  'message.edited': (facts, who) => `${who} ${own(edits, facts.text('change')) ?? 'edited a cell or message'}`,
  'message.removed': (_, who) => `${who} removed cells or messages`,
  'context.created': (facts, who) => `A ${facts.at('sandbox').text('kind') || 'new'} sandbox was started for ${who}`,
  'context.paused': () => 'A sandbox was paused with its variables',
  'context.resumed': (_, who) => `A paused sandbox was resumed for ${who}`,
  'context.ended': facts =>
    `A sandbox ${own(endings, facts.text('reason')) ?? 'ended'} after ${counted(facts.number('runs'), 'run')}`,
  'image.built': (facts, who) =>
    facts.is('success')
      ? `${who} made the ${facts.text('kind')} image ${facts.text('template')}`
      : `${who} could not make the ${facts.text('kind')} image ${facts.text('template')}`,
  'image.removed': (facts, who) => `${who} removed the image ${facts.text('image')}`,
  'feed.fetched': (facts, who) =>
    facts.text('result') === 'fetched'
      ? `${who} fetched ${facts.text('file')} from ${facts.text('source')}${facts.size()}`
      : `${who} could not fetch ${facts.text('url')}`,
  'network.narrowed': (facts, who) => `${who} took back ${facts.list('taken').join(', ')}`,
  'cloud.allowed': (facts, who) => `${who} let a path run in the cloud at ${facts.text('service')}`,
  'cloud.revoked': (_, who) => `${who} took back that a path may run in the cloud`,
  'file.uploaded': (facts, who) => `${who} put ${facts.text('file')} into the working folder${facts.size()}`,
  'file.downloaded': (facts, who) => `${who} downloaded ${facts.text('file')}${facts.size()}`,
  'file.removed': (facts, who) => `${who} deleted ${facts.text('file')} from the working folder`,
  'privacy.revealed': (facts, who) => `${who} revealed ${facts.text('token')}${quoted(facts.text('reason'))}`,
  'privacy.allowed': (facts, who) =>
    facts.is('removed')
      ? `${who} took an entry off the allow-list`
      : `${who} allowed ${facts.text('type') || 'a value'}${quoted(facts.text('note'))}`,
  'privacy.erased': (facts, who) =>
    `${who} erased ${counted(facts.number('count') || facts.number('erased'), 'private value')}${quoted(facts.text('reason'))}`,
  'egress.passed': facts =>
    facts.text('result') === 'held'
      ? `Text for ${facts.text('to')} was held back: it could not be checked`
      : `Text left for ${facts.text('to')} (${facts.number('characters').toLocaleString('en')} characters)`,
  'mcp.added': (facts, who) => `${who} added the MCP server ${facts.text('server')} (${facts.text('address')})`,
  'mcp.removed': (facts, who) => `${who} removed the MCP server ${facts.text('server')}`,
  'mcp.logged-in': (facts, who) =>
    `${who} logged in at ${facts.text('issuer')} for the MCP server ${facts.text('server')}`,
  'mcp.logged-out': (facts, who) => `${who} logged out of the MCP server ${facts.text('server')}`,
  'mcp.accepted': (facts, who) => `${who} accepted ${facts.names('tools')} of ${facts.text('server')}`,
  'mcp.called': (facts, who) =>
    `${who} called ${facts.text('tool')} of ${facts.text('server')}${facts.is('success') ? '' : ', which failed'}`,
  'mcp.searched': (facts, who) => `${who} searched for tools and found ${facts.names('found') || 'none'}`,
  'settings.changed': (facts, who) => `${who} changed the settings: ${facts.settings() || 'nothing'}`,
  'environment.added': (facts, who) =>
    `${who} added the Python environment ${facts.text('name')} (${facts.text('version')})`,
  'environment.removed': (facts, who) => `${who} took the Python environment ${facts.text('name')} out of use`,
  'environment.chosen': (facts, who) =>
    `${who} chose the Python environment ${facts.text('after')} in place of ${facts.text('before')}`,
  'policy.changed': (facts, who) => `${who} changed the policy${after(facts.names('changes'))}`,
  'identity.vouched': (facts, who) => `${who} vouched for ${facts.text('name')}`,
  'identity.vouch-withdrawn': (facts, who) => `${who} withdrew their vouch for ${facts.text('name')}`,
  'identity.created': facts => `${facts.text('name')} was added as a person who can sign`,
  'reviewer.logged-in': (facts, who) => `${facts.text('name') || who} opened their signing key`,
  'key.created': facts =>
    facts.text('reason') === 'lost'
      ? 'A new signing key was begun without endorsement: the old one was lost'
      : 'The record was begun with its first signing key',
  'key.rotated': (facts, who) => `${who} replaced the signing key${quoted(facts.text('reason'))}`,
  'audit.verified': (facts, who) =>
    facts.is('success')
      ? `${who} verified the record: ${counted(facts.number('entries'), 'entry', 'entries')} intact`
      : `${who} verified the record: it is damaged`,
  'audit.read': (facts, who) => `${who} ${(own(readings, facts.text('what')) ?? looked)(facts)}`,
  'audit.exported': (facts, who) =>
    `${who} exported a bundle of ${counted(facts.at('entries').number('count'), 'entry', 'entries')}`,
  'audit.pruned': (facts, who) =>
    `${who} emptied ${counted(facts.number('count'), 'entry', 'entries')}; a signed tombstone takes their place`,
  'alert.raised': facts => `Alert: ${facts.text('title') || facts.text('message') || facts.text('kind')}`,
  'application.started': facts => `Countersign ${facts.text('version')} started`,
  'application.stopped': () => 'Countersign stopped',
}

const erased = (facts: Facts, who: string, what: string) =>
  facts.text('why') === 'time' ? `${what} left the bin after its time` : `${who} deleted ${what} for good`

/** How a sandbox ended; that somebody or something asked for it goes without saying. */
const endings: Record<string, string> = {
  expired: 'expired',
  error: 'ended with an error',
  merged: 'ended with its merged path',
  rotated: 'was replaced',
  moved: 'was left for another kind',
  orphaned: 'of a process that is gone was ended',
}

const requestChanges: Record<string, string> = {
  'saved for later': 'saved a request for approval for later',
  'asked again': 'asked again for approval',
  'asked under a new policy': 'put a request under the new policy',
  edited: 'put other code into a request for approval',
  used: 'used an approval to run the code',
  commented: 'commented on a request for approval',
  withdrawn: 'withdrew a request for approval',
  voided: 'voided a request for approval',
}

const edits: Record<string, string> = { undo: 'undid a change', redo: 'did a change again' }

const looked = () => 'looked at the record'
const readings: Record<string, (facts: Facts) => string> = {
  timeline: looked,
  entry: facts => `opened entry ${facts.number('seq')} of the record`,
  run: () => 'opened all entries of a run',
  report: facts => `made a report of ${counted(facts.number('entries'), 'entry', 'entries')}`,
}

/** A word of a table; what an entry says may be the name of something that every object has. */
const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

const quoted = (text: string) => (text ? `: “${text}”` : '')
const after = (text: string | undefined) => (text ? `: ${text}` : '')
export const counted = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

const languageNames: Record<string, string> = {
  python: 'Python',
  javascript: 'JavaScript',
  typescript: 'TypeScript',
  bash: 'Bash',
}

/** The facts of an entry, in the words of the screen. */
class Facts extends EntryFacts {
  code(): string {
    return `${own(languageNames, this.text('language')) ?? ''} code`.trim()
  }

  failure(): string {
    const error = this.at('error')
    const [kind, name] = [error.text('kind'), error.text('name')]
    if (isStop({ kind, name })) return 'was stopped'
    return `${kind === 'syntax' ? 'has a syntax error' : 'failed'}: ${name || 'it ended with an error'}`
  }

  /** `2 cells`, `1 message`, `3 cells and messages`. */
  items(): string {
    const kinds = this.list('items').map(item => new Facts(item).text('kind'))
    const isAll = (kind: string) => kinds.length > 0 && kinds.every(each => each === kind)
    if (isAll('cell')) return counted(kinds.length, 'cell')
    if (isAll('message')) return counted(kinds.length, 'message')
    return counted(kinds.length, 'cell or message', 'cells and messages')
  }

  size(): string {
    return typeof this.fields.bytes === 'number' ? ` (${bytes(this.fields.bytes)})` : ''
  }

  /** `thresholds.high, blocked.imports`. */
  names(name: string): string {
    const value = this.fields[name]
    return typeof value === 'object' && value !== null ? Object.keys(value).join(', ') : ''
  }

  /** `sandbox.type, audit.keepCode`. */
  settings(): string {
    const { after: changed } = this.fields
    if (typeof changed !== 'object' || changed === null) return ''
    return Object.entries(changed)
      .flatMap(([group, values]) => Object.keys(values ?? {}).map(name => `${group}.${name}`))
      .join(', ')
  }
}
