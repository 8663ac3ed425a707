import type { ReportRun } from '../../contract/report.ts'
import type { PassEgress } from '../bundle.ts'

/** A run with what stands beside its ids, so that nobody has to look them up. */
export interface CsvRun extends ReportRun {
  /** The conversation's title as the record has it. */
  readonly title: string
}

const columns: readonly [string, (run: CsvRun) => string | number | null][] = [
  ['time', run => new Date(run.at).toISOString()],
  ['run', run => run.run],
  ['who', run => run.who],
  ['who_id', run => run.whoId],
  ['conversation', run => run.title],
  ['conversation_id', run => run.conversation],
  ['language', run => run.language],
  ['risk', run => run.risk],
  ['result', run => run.result],
  ['reason', run => run.reason],
  ['sandbox', run => run.sandbox],
  ['isolation', run => run.isolation],
  ['decided_by', run => run.decision?.by ?? null],
  ['reviewer', run => run.decision?.reviewer ?? null],
  ['reviewer_id', run => run.decision?.reviewerId ?? null],
  ['decision', run => run.decision?.verdict ?? null],
  ['comment', run => run.decision?.comment ?? null],
  ['signature_holds', run => String(run.decision?.signatureHolds ?? '')],
  ['exit_code', run => run.exitCode],
  ['duration_ms', run => rounded(run.durationMs)],
  ['cpu_ms', run => rounded(run.cpuMs)],
  ['peak_memory_mb', run => rounded(run.peakMemoryBytes && run.peakMemoryBytes / 1024 ** 2, 1)],
  ['violations', run => run.violations.map(each => `${each.type} (${each.severity}, line ${each.line})`).join('; ')],
  ['observed_effects', run => run.effects.observed.join('; ')],
  ['unforeseen_effects', run => run.effects.unforeseen.join('; ')],
  ['code_sha256', run => run.codeHash],
  ['analysis', run => (run.analysis ? `${run.analysis.analysis} ${run.analysis.version}` : '')],
  ['analysis_sha256', run => run.analysis?.sha256 ?? ''],
  ['analysis_untouched', run => (run.analysis ? String(run.analysis.untouched) : '')],
  ['analysis_status', run => run.analysis?.status ?? ''],
  ['analysis_law', run => run.analysis?.citations.join('; ') ?? ''],
  ['entries', run => run.seqs.join(' ')],
]

/** One line for each run, under the names of the columns. */
export async function csvTable(runs: readonly CsvRun[], passEgress?: PassEgress): Promise<string> {
  const header = `${columns.map(([name]) => name).join(',')}\r\n`
  return [header, ...(await titled(runs, passEgress)).map(csvLine)].join('')
}

const csvLine = (run: CsvRun): string => `${columns.map(([, of]) => cell(of(run))).join(',')}\r\n`

/** What a clock says beyond its own precision only makes a column hard to read. */
const rounded = (value: number | null, places = 0): number | null => (value === null ? null : +value.toFixed(places))

/** A spreadsheet takes a text that begins so for a formula; the apostrophe makes it a text again. */
function cell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Titles are words of a person like any other: what the guard holds back is left out, and the id still stands there. */
async function titled(runs: readonly CsvRun[], passEgress?: PassEgress): Promise<readonly CsvRun[]> {
  if (!passEgress) return runs
  const titles = [...new Set(runs.map(run => run.title))]
  const passed = await passEgress(titles)
  const safe = passed.ok ? passed.value.value : []
  const shown = new Map(titles.map((title, at) => [title, safe[at] ?? '']))
  return runs.map(run => ({ ...run, title: shown.get(run.title) ?? '' }))
}
