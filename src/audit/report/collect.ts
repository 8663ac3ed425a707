import { z } from 'zod'
import type { AuditEntry, AuditItem } from '../../contract/audit.ts'
import type { Report, ReportEvent, ReportRun, RunCounts } from '../../contract/report.ts'
import { type RiskLevel, riskLevels } from '../../contract/run.ts'
import { parseEntry } from '../query.ts'
import { type Present, runState } from '../run-state.ts'
import { AnalysesThatRan } from './analyses.ts'
import { CloudTime } from './cloud.ts'
import { tellEvent } from './events.ts'
import { noEntries, type RunEntries, tellRun } from './runs.ts'

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
  | 'people'
  | 'departures'
  | 'cloud'
  | 'analyses'
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
  readonly #people = new Map<string, Report['people'][number]>()
  readonly #departures = new Map<string, Report['departures'][number]>()
  readonly #cloud = new CloudTime()
  readonly #analyses = new AnalysesThatRan(mostListed)
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
  readonly #present: Present
  /** How runs of the scope ended beyond it. */
  readonly #endedElsewhere = new Map<string, string>()
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
  constructor(nameOf: (id: string | null) => string, listAll: boolean, present: Present) {
    this.#nameOf = nameOf
    this.#listAll = listAll
    this.#present = present
  }

  /** Called for each run that is complete; the caller may want to look at all of them. */
  onRun: (run: ReportRun) => void = () => undefined

  /** An entry outside the scope: it may still say that a run of the scope has ended. */
  pass(text: string | null): void {
    if (!text?.startsWith('{"action":"run.')) return
    const { run, action } = parseEntry(text) ?? {}
    if (run && action && this.#open.has(run)) this.#endedElsewhere.set(run, action)
  }

  finish(): Collected {
    for (const [run, entries] of this.#open) {
      if (!entries.intended && !entries.refused) continue
      if (entries.intended) entries.state = runState(entries.intended, this.#endedElsewhere.get(run), this.#present)
      this.#settle(run, entries)
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
      people: [...this.#people.values()].sort((a, b) => b.entries - a.entries),
      departures: [...this.#departures.values()],
      cloud: this.#cloud.figures(this.#present.now),
      analyses: this.#analyses.list(),
      highRisk: this.#runs.sort((a, b) => a.at - b.at),
      highRiskOmitted: this.#omitted,
      unforeseen: this.#unforeseen,
      access: this.#events.access,
      changes: this.#events.changes,
      hashes: this.#hashes,
    }
  }

  take({ entry, hash }: AuditItem): void {
    this.#entries++
    this.#from = Math.min(this.#from ?? entry.at, entry.at)
    this.#to = Math.max(this.#to ?? entry.at, entry.at)
    if (entry.actor) this.#person(entry.actor).entries++
    if (entry.conversation) this.#conversations.add(entry.conversation)
    if (entry.action === 'privacy.revealed') this.#security.reveals++
    if (entry.action === 'egress.passed') this.#countDeparture(entry)
    this.#cloud.take(entry)
    this.#countApproval(entry)
    const isTold = this.#tellEvent(entry)
    const risky = ['high', 'critical'].includes(String(field(entry, 'risk')))
    const decided = entry.action === 'run.refused' || entry.request !== undefined
    if ((risky || decided || isTold || this.#listAll) && this.#hashes.length < mostListed) {
      this.#hashes.push({ seq: entry.seq, hash, action: entry.action, at: entry.at })
    }
    if (entry.run) this.#takeRunEntry(entry.run, entry)
  }

  #takeRunEntry(run: string, entry: AuditEntry): void {
    const entries = this.#open.get(run) ?? noEntries()
    this.#open.set(run, entries)
    if (entry.action === 'run.intended') entries.intended = entry
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
    this.#analyses.take(run)
    const requester = (entries.intended ?? entries.refused)?.actor
    if (requester) this.#person(requester).runs++
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
    for (const each of run.network) this.#security[each.allowed ? 'networkAllowed' : 'networkRefused'] += each.count
    if (run.isolation === 'unconfined') this.#security.unconfined++
    if (run.effects.unforeseen.length > 0) {
      this.#security.unforeseen++
      const seq = entries.finished?.seq ?? 0
      if (this.#unforeseen.length < mostListed) {
        this.#unforeseen.push({ run: id, seq, at: run.at, effects: run.effects.unforeseen.slice(0, 20) })
      }
    }
    const risky = run.risk === 'high' || run.risk === 'critical'
    if (!this.#listAll && !risky && run.result !== 'refused' && run.decision?.by !== 'reviewer') return
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
    if (entry.actor) this.#person(entry.actor).decisions++
    if (field(entry, 'verdict') === 'deny') this.#approvals.denied++
    else this.#approvals.approved++
  }

  /** True when it is one of those that are told one by one. */
  #tellEvent(entry: AuditEntry): boolean {
    const told = tellEvent(entry)
    if (!told) return false
    if (entry.actor && entry.action.startsWith('audit.')) this.#person(entry.actor).readings++
    const { seq, at, action } = entry
    const events = this.#events[told.part]
    if (events.length < mostListed) events.push({ seq, at, who: this.#nameOf(entry.actor), action, what: told.what })
    return true
  }

  #person(id: string): Report['people'][number] {
    const known = this.#people.get(id) ?? { name: this.#nameOf(id), entries: 0, runs: 0, decisions: 0, readings: 0 }
    this.#people.set(id, known)
    return known
  }

  #countDeparture({ details }: AuditEntry): void {
    const departure = Departed.safeParse(details).data
    if (!departure) return
    const { destination, to, result, found } = departure
    const name = `${destination} ${to}`
    if (!this.#departures.has(name) && this.#departures.size >= mostListed) return
    const known = this.#departures.get(name) ?? { destination, to, sent: 0, held: 0, found: {} }
    this.#departures.set(name, known)
    known[result]++
    for (const [type, count] of Object.entries(found)) known.found[type] = (known.found[type] ?? 0) + count
  }
}

const Departed = z.object({
  destination: z.string(),
  to: z.string(),
  result: z.enum(['sent', 'held']),
  found: z.record(z.string(), z.number()),
})

const noRuns = (): RunCounts => ({ runs: 0, success: 0, failure: 0, syntax: 0, refused: 0, interrupted: 0 })
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
