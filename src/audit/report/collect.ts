import type { AuditAction, AuditEntry, AuditItem } from '../../contract/audit.ts'
import type { Report, ReportEvent, ReportRun, RunCounts } from '../../contract/report.ts'
import { type RiskLevel, riskLevels } from '../../contract/run.ts'
import { noEntries, type RunEntries, tellRun } from './runs.ts'

/** Actions that must be told one by one, and in which part. */
const told: Partial<Record<AuditAction, 'access' | 'changes'>> = {
  'audit.read': 'access',
  'audit.exported': 'access',
  'audit.verified': 'access',
  'privacy.revealed': 'access',
  'conversation.exported': 'access',
  'file.downloaded': 'access',
  'reviewer.logged-in': 'access',
  'settings.changed': 'changes',
  'policy.changed': 'changes',
  'identity.created': 'changes',
  'key.created': 'changes',
  'key.rotated': 'changes',
  'audit.pruned': 'changes',
  'privacy.allowed': 'changes',
  'privacy.erased': 'changes',
  'approval.rejected': 'changes',
}

/** A report lists at most so many of each kind; the rest is counted, and stands in the bundle. */
const mostListed = 400

type Collected = Pick<
  Report,
  | 'entries'
  | 'from'
  | 'to'
  | 'totals'
  | 'approvals'
  | 'byRisk'
  | 'bySandbox'
  | 'byDay'
  | 'violations'
  | 'performance'
  | 'security'
  | 'highRisk'
  | 'highRiskOmitted'
  | 'unforeseen'
  | 'access'
  | 'changes'
  | 'hashes'
>

/** Takes the entries of a scope in order and keeps the figures, not the entries, so that a year fits in memory. */
export class Collection {
  readonly #nameOf: (id: string | null) => string
  readonly #open = new Map<string, RunEntries>()
  readonly #people = new Set<string>()
  readonly #conversations = new Set<string>()
  readonly #byRisk = new Map<string, RunCounts>(riskLevels.map(risk => [risk, noRuns()]))
  readonly #bySandbox = new Map<string, RunCounts>()
  readonly #byDay = new Map<string, RunCounts>()
  readonly #totals = noRuns()
  readonly #violations = new Map<string, Report['violations'][number]>()
  readonly #durations: number[] = []
  readonly #approvals = { requested: 0, approved: 0, denied: 0, expired: 0, byPolicy: 0 }
  readonly #security = { networkAllowed: 0, networkRefused: 0, unforeseen: 0, unconfined: 0, reveals: 0 }
  readonly #runs: ReportRun[] = []
  readonly #listAll: boolean
  readonly #unforeseen: Report['unforeseen'] = []
  readonly #events: Record<'access' | 'changes', ReportEvent[]> = { access: [], changes: [] }
  readonly #hashes: Report['hashes'] = []
  #entries = 0
  #from: number | null = null
  #to: number | null = null
  #cpuMs = 0
  #peakMemoryBytes = 0
  #omitted = 0

  /** `listAll`: tell every run one by one, whatever its risk; for a report about a few. */
  constructor(nameOf: (id: string | null) => string, listAll: boolean) {
    this.#nameOf = nameOf
    this.#listAll = listAll
  }

  /** Called for each run that is complete; the caller may want to look at all of them. */
  onRun: (run: ReportRun) => void = () => undefined

  take(items: readonly AuditItem[]): void {
    for (const item of items) this.#takeOne(item)
  }

  finish(): Collected {
    for (const [run, entries] of this.#open) {
      if (entries.intended || entries.refused) this.#settle(run, entries)
    }
    const durations = this.#durations.sort((a, b) => a - b)
    const at = (part: number) => durations[Math.min(durations.length - 1, Math.floor(durations.length * part))] ?? 0
    return {
      entries: this.#entries,
      from: this.#from,
      to: this.#to,
      totals: { ...this.#totals, people: this.#people.size, conversations: this.#conversations.size },
      approvals: this.#approvals,
      byRisk: named(this.#byRisk),
      bySandbox: named(this.#bySandbox),
      byDay: named(this.#byDay),
      violations: [...this.#violations.values()].sort(
        (a, b) => rank(b.severity) - rank(a.severity) || b.count - a.count,
      ),
      performance: {
        medianMs: at(0.5),
        p95Ms: at(0.95),
        longestMs: durations.at(-1) ?? 0,
        cpuMs: this.#cpuMs,
        peakMemoryBytes: this.#peakMemoryBytes,
      },
      security: this.#security,
      highRisk: this.#runs.sort((a, b) => a.at - b.at),
      highRiskOmitted: this.#omitted,
      unforeseen: this.#unforeseen,
      access: this.#events.access,
      changes: this.#events.changes,
      hashes: this.#hashes,
    }
  }

  #takeOne({ entry, hash, runState }: AuditItem): void {
    this.#entries++
    this.#from = Math.min(this.#from ?? entry.at, entry.at)
    this.#to = Math.max(this.#to ?? entry.at, entry.at)
    if (entry.actor) this.#people.add(entry.actor)
    if (entry.conversation) this.#conversations.add(entry.conversation)
    if (entry.action === 'privacy.revealed') this.#security.reveals++
    this.#countApproval(entry)
    this.#tellEvent(entry)
    const risky = ['high', 'critical'].includes(String(field(entry, 'risk')))
    if ((risky || this.#listAll || told[entry.action]) && this.#hashes.length < mostListed) {
      this.#hashes.push({ seq: entry.seq, hash, action: entry.action, at: entry.at })
    }
    if (entry.run) this.#takeRunEntry(entry.run, entry, runState)
  }

  #takeRunEntry(run: string, entry: AuditEntry, state: AuditItem['runState']): void {
    const entries = this.#open.get(run) ?? noEntries()
    this.#open.set(run, entries)
    if (entry.action === 'run.intended') Object.assign(entries, { intended: entry, state })
    else if (entry.action === 'approval.requested') entries.requested = entry
    else if (entry.action === 'approval.decided') entries.decided = entry
    else if (entry.action === 'run.finished') entries.finished = entry
    else if (entry.action === 'run.refused') entries.refused = entry
    if (!entries.finished && !entries.refused) return
    this.#open.delete(run)
    this.#settle(run, entries)
  }

  #settle(id: string, entries: RunEntries): void {
    const run = tellRun(id, entries, this.#nameOf)
    this.onRun(run)
    const day = new Date(run.at).toISOString().slice(0, 10)
    for (const counts of [
      this.#totals,
      countsOf(this.#byRisk, run.risk ?? 'unknown'),
      countsOf(this.#bySandbox, run.sandbox || 'none'),
      countsOf(this.#byDay, day),
    ]) {
      counts.runs++
      if (run.result !== 'running') counts[run.result]++
    }
    if (run.decision?.by === 'policy') this.#approvals.byPolicy++
    const types = new Map(run.violations.map(each => [each.type, each]))
    for (const each of run.violations) this.#countViolation(each.type, each.severity)
    for (const type of types.keys()) {
      const known = this.#violations.get(type)
      if (known) known.runs++
    }
    if (run.durationMs !== null) this.#durations.push(run.durationMs)
    this.#cpuMs += run.cpuMs ?? 0
    this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, run.peakMemoryBytes ?? 0)
    for (const each of run.network) this.#security[each.allowed ? 'networkAllowed' : 'networkRefused']++
    if (run.isolation === 'unconfined') this.#security.unconfined++
    if (run.effects.unforeseen.length > 0) {
      this.#security.unforeseen++
      const seq = entries.finished?.seq ?? 0
      if (this.#unforeseen.length < mostListed) {
        this.#unforeseen.push({ run: id, seq, at: run.at, effects: run.effects.unforeseen.slice(0, 20) })
      }
    }
    if (!this.#listAll && run.risk !== 'high' && run.risk !== 'critical') return
    if (this.#runs.length < mostListed) this.#runs.push(run)
    else this.#omitted++
  }

  #countViolation(type: string, severity: RiskLevel): void {
    const known = this.#violations.get(type) ?? { type, severity, count: 0, runs: 0 }
    this.#violations.set(type, known)
    known.count++
    if (rank(severity) > rank(known.severity)) known.severity = severity
  }

  #countApproval(entry: AuditEntry): void {
    if (entry.action === 'approval.requested') this.#approvals.requested++
    if (entry.action === 'approval.expired') this.#approvals.expired++
    if (entry.action !== 'approval.decided') return
    if (field(entry, 'verdict') === 'deny') this.#approvals.denied++
    else this.#approvals.approved++
  }

  #tellEvent(entry: AuditEntry): void {
    const part = told[entry.action]
    if (!part || this.#events[part].length >= mostListed) return
    const { seq, at, action } = entry
    this.#events[part].push({ seq, at, who: this.#nameOf(entry.actor), action, what: inWords(entry.details) })
  }
}

const noRuns = (): RunCounts => ({ runs: 0, success: 0, failure: 0, refused: 0, interrupted: 0 })
const rank = (risk: RiskLevel) => riskLevels.indexOf(risk)
const named = (counts: Map<string, RunCounts>) => [...counts].map(([name, each]) => ({ name, ...each }))

function countsOf(counts: Map<string, RunCounts>, name: string): RunCounts {
  const known = counts.get(name) ?? noRuns()
  counts.set(name, known)
  return known
}

function field(entry: AuditEntry, name: string): unknown {
  const { details } = entry
  return typeof details === 'object' && details !== null && !Array.isArray(details) ? details[name] : undefined
}

/** Small details as `name: value`; what only a program reads is shortened, and what is empty left out. */
function inWords(details: AuditEntry['details']): string {
  if (typeof details !== 'object' || details === null) return String(details)
  const words = Object.entries(details).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (text === '' || text === '[]' || text === '{}' || text === 'null') return []
    if (/^[\w+/=-]{30,}$/.test(text)) return [`${name}: ${text.slice(0, 12)}…`]
    return [`${name}: ${text.length > 90 ? `${text.slice(0, 90)}…` : text}`]
  })
  return words.slice(0, 8).join('; ')
}
