import type { ReportRun } from '../../contract/report.ts'

const columns: readonly [string, (run: ReportRun) => string | number | null][] = [
  ['time', run => new Date(run.at).toISOString()],
  ['run', run => run.run],
  ['who', run => run.who],
  ['conversation', run => run.conversation],
  ['language', run => run.language],
  ['risk', run => run.risk],
  ['result', run => run.result],
  ['reason', run => run.reason],
  ['sandbox', run => run.sandbox],
  ['isolation', run => run.isolation],
  ['decided_by', run => run.decision?.by ?? null],
  ['reviewer', run => run.decision?.reviewer ?? null],
  ['decision', run => run.decision?.verdict ?? null],
  ['comment', run => run.decision?.comment ?? null],
  ['signature_holds', run => String(run.decision?.signatureHolds ?? '')],
  ['exit_code', run => run.exitCode],
  ['duration_ms', run => run.durationMs],
  ['cpu_ms', run => run.cpuMs],
  ['peak_memory_bytes', run => run.peakMemoryBytes],
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

export const csvHeader = `${columns.map(([name]) => name).join(',')}\r\n`

export const csvLine = (run: ReportRun): string => `${columns.map(([, of]) => cell(of(run))).join(',')}\r\n`

/** A spreadsheet takes a text that begins so for a formula; the apostrophe makes it a text again. */
function cell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
