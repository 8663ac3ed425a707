import type { AuditAction, AuditEntry } from '../../contract/audit.ts'
import { Facts as EntryFacts } from '../../contract/facts.ts'

/** What must be told one by one: who looked at the record or took something out, and who changed the rules. */
export type Part = 'access' | 'changes'

type Told = { readonly part: Part; readonly tell: (facts: Facts) => string }

const told: Partial<Record<AuditAction, Told>> = {
  'audit.read': access(facts => (own(readings, facts.text('what')) ?? 'looked at the record') + facts.count('entries')),
  'audit.exported': access(
    facts => `exported an audit bundle${facts.at('entries').count('count')}${withheld(facts.number('withheld'))}`,
  ),
  'audit.verified': access(facts =>
    facts.is('success')
      ? `verified the record: intact${facts.count('entries')}`
      : `verified the record: damaged, ${facts.list('findings').length} finding(s)`,
  ),
  'privacy.revealed': access(
    facts => `revealed the personal value behind ${facts.text('token')}${because(facts.text('reason'))}`,
  ),
  'conversation.exported': access(facts => `exported a path as ${facts.text('fileName') || facts.text('format')}`),
  'file.downloaded': access(facts => `downloaded the file ${facts.text('file')}`),
  'reviewer.logged-in': access(facts =>
    facts.is('protected') ? 'logged in as a reviewer, with a passphrase' : 'logged in as a reviewer',
  ),
  'settings.changed': change(facts => `changed settings: ${changesOf(facts.at('before'), facts.at('after'))}`),
  'environment.added': change(
    facts => `named the Python environment ${facts.text('name')} (${facts.text('version')}) for use`,
  ),
  'environment.removed': change(facts => `took the Python environment ${facts.text('name')} out of use`),
  'environment.chosen': change(
    facts => `gave a conversation the Python environment ${facts.text('after')} in place of ${facts.text('before')}`,
  ),
  'policy.changed': change(facts => `changed the policy: ${policyChanges(facts.at('changes'))}`),
  'image.built': change(
    facts =>
      `${facts.is('success') ? 'made' : 'could not make'} the ${facts.text('kind')} image ${facts.text('template')}${facts.text('digest') && `, ${short(facts.text('digest').replace('sha256:', ''))}`}`,
  ),
  'image.removed': change(facts => `removed the image ${facts.text('image')} that sandboxes were made from`),
  'identity.created': change(
    facts =>
      `added ${facts.text('name')} as a person who can sign${facts.is('protected') ? ', protected by a passphrase' : ''}`,
  ),
  'identity.vouched': change(facts => `vouched for ${facts.text('name')}, by a signature`),
  'identity.vouch-withdrawn': change(facts => `withdrew their vouch for ${facts.text('name')}, by a signature`),
  'key.created': change(facts =>
    facts.text('reason') === 'lost'
      ? `began a new signing key without endorsement, the old one was lost: ${short(facts.text('key'))}`
      : `began the record with signing key ${short(facts.text('key'))}`,
  ),
  'key.rotated': change(
    facts =>
      `replaced signing key ${short(facts.text('endorsedBy'))} by ${short(facts.text('key'))}${because(facts.text('reason'))}`,
  ),
  'feed.fetched': change(facts =>
    facts.text('result') === 'fetched'
      ? `fetched ${facts.text('url')} as ${facts.text('file')}, SHA-256 ${short(facts.text('sha256'))}`
      : `could not fetch ${facts.text('url')}${because(facts.text('reason'))}`,
  ),
  'network.narrowed': change(facts => `took back what could be reached: ${facts.list('taken').join(', ')}`),
  'audit.pruned': change(
    facts =>
      `emptied ${facts.number('count')} entries (${facts.number('first')} to ${facts.number('last')}) behind a signed tombstone${because(facts.text('reason'))}`,
  ),
  'privacy.allowed': change(facts =>
    facts.is('removed')
      ? 'took a value off the list of what is not personal'
      : `allowed a value (${facts.text('type')}) as not personal${because(facts.text('note'))}`,
  ),
  'privacy.erased': change(
    facts =>
      `erased ${facts.number('count') || facts.number('erased')} personal value(s)${because(facts.text('reason'))}`,
  ),
  'approval.rejected': change(
    facts =>
      `was denied (${facts.text('attempt') || 'attempt'}): ${facts.text('reason') || facts.text('message') || facts.text('code')}`,
  ),
}

/** In which part an entry is told, and in which words; null for what is only counted. */
export function tellEvent({ action, details }: AuditEntry): { part: Part; what: string } | null {
  const known = told[action]
  return known ? { part: known.part, what: known.tell(new Facts(details)) } : null
}

function access(tell: Told['tell']): Told {
  return { part: 'access', tell }
}

function change(tell: Told['tell']): Told {
  return { part: 'changes', tell }
}

const readings: Readonly<Record<string, string>> = {
  timeline: 'looked at the record',
  entry: 'opened an entry of the record',
  run: 'opened the account of a run',
  report: 'made a report',
}

/** A word of a table; what an entry says may be the name of something that every object has. */
const own = (table: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

const because = (text: string) => (text ? `: “${text}”` : '')
const short = (key: string) => `${key.slice(0, 16)}…`
const withheld = (count: number) => (count > 0 ? `; ${count} text(s) withheld by the privacy policy` : '')

/** `audit.retentionDays 90 → 2555`. */
function changesOf(before: Facts, after: Facts): string {
  const changed = after.names().flatMap(group =>
    after
      .at(group)
      .names()
      .map(name => `${group}.${name} ${before.at(group).shown(name)} → ${after.at(group).shown(name)}`),
  )
  return changed.join('; ') || 'none'
}

function policyChanges(changes: Facts): string {
  const changed = changes.names().map(name => {
    const { before, after } = { before: changes.at(name).text('before'), after: changes.at(name).text('after') }
    return `${name} ${plain(before)} → ${plain(after)}`
  })
  return changed.join('; ') || 'the file was written anew'
}

const plain = (json: string) => json.replaceAll('"', '') || 'nothing'

/** The facts of an entry, in the words of a report. */
class Facts extends EntryFacts {
  names(): string[] {
    return Object.keys(this.fields)
  }

  shown(name: string): string {
    const value = this.fields[name]
    return typeof value === 'string' ? value || 'nothing' : (JSON.stringify(value) ?? 'nothing')
  }

  /** ` (250 entries)`, where it is said. */
  count(name: string): string {
    return typeof this.fields[name] === 'number' ? ` (${this.number(name)} entries)` : ''
  }
}
