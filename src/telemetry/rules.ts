import type { AuditAction, AuditEntry } from '../contract/audit.ts'
import type { RunId } from '../contract/ids.ts'

export const alertLevels = ['warning', 'critical'] as const
export type AlertLevel = (typeof alertLevels)[number]

/** Something that a person should know now. Its words are made from kinds and numbers, not from what anyone wrote. */
export interface Alert {
  readonly rule: AlertRule
  readonly level: AlertLevel
  readonly title: string
  readonly text: string
  readonly at: number
  /** The entry that it is about. */
  readonly seq: number | null
  readonly run: RunId | null
}

export const alertRules = ['risky-run', 'damaged-record', 'limit-met', 'unsigned-decision'] as const
export type AlertRule = (typeof alertRules)[number]

type Judge = (details: Readonly<Record<string, unknown>>, entry: AuditEntry) => Omit<Alert, 'at' | 'seq' | 'run'> | null

/** Which entries raise an alert. Everything else passes in silence. */
const rules: Partial<Record<AuditAction, Judge>> = {
  'run.intended': risky('was started'),
  'approval.requested': risky('waits for a reviewer'),
  'audit.verified': details =>
    details.success === false
      ? {
          rule: 'damaged-record',
          level: 'critical',
          title: 'The audit record is damaged',
          text: `Findings of the check: ${Array.isArray(details.findings) ? details.findings.length : 'some'}. Do not trust the record until they are explained.`,
        }
      : null,
  'run.refused': details =>
    typeof details.code === 'string' && /limit|full|busy/.test(details.code)
      ? { rule: 'limit-met', level: 'warning', title: 'A limit was met', text: `A run was denied (${details.code}).` }
      : null,
  'run.finished': details => {
    const kind =
      typeof details.error === 'object' && details.error !== null && 'kind' in details.error ? details.error.kind : null
    if (kind !== 'timeout' && kind !== 'memory') return null
    const limit = kind === 'timeout' ? 'its time limit' : 'its memory limit'
    return { rule: 'limit-met', level: 'warning', title: 'A limit was met', text: `A run was ended at ${limit}.` }
  },
  'approval.rejected': details => ({
    rule: 'unsigned-decision',
    level: 'warning',
    title: 'A decision was rejected',
    text: `An attempt (${word(details.attempt)}) did not count: ${word(details.code)}.`,
  }),
}

function risky(verb: string): Judge {
  return ({ risk, sandbox, language }) => {
    if (risk !== 'high' && risk !== 'critical') return null
    const level = risk === 'critical' ? 'critical' : 'warning'
    return {
      rule: 'risky-run',
      level,
      title: `Code of ${risk} risk ${verb}`,
      text: `Language: ${word(language)}. Sandbox: ${word(sandbox)}.`,
    }
  }
}

/** A kind or code as it stands in our own tables; anything else is not repeated. */
const word = (value: unknown): string =>
  typeof value === 'string' && /^[a-z][a-z0-9.-]{0,40}$/i.test(value) ? value : 'unknown'

export function alertFor(entry: AuditEntry): Alert | null {
  const { details } = entry
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return null
  const judged = rules[entry.action]?.(details, entry)
  return judged ? { ...judged, at: entry.at, seq: entry.seq, run: entry.run ?? null } : null
}
