import type { Impact, Inspection, Target, Violation } from '../../../contract/inspection.ts'
import { linesOf } from '../../../contract/lines.ts'
import { visible } from '../../../contract/visible.ts'

const most = 30
const widest = 160

/** What the guard found, for a person: the line, carets below it, why, and what to do; then what would be touched. */
export function report(name: string, code: string, inspection: Inspection): string {
  const lines = linesOf(code)
  const remarks = inspection.violations.filter(({ severity }) => severity === 'low')
  const shown = inspection.violations.filter(({ severity }) => severity !== 'low').slice(0, most)
  const left = inspection.violations.length - remarks.length - shown.length
  const parts = [`${visible(name)}: ${inspection.risk}${count(shown.length + left)}\n`]
  for (const violation of shown) parts.push(finding(name, violation, lines))
  if (left > 0) parts.push(`\n  … and ${left} more.\n`)
  if (remarks.length > 0)
    parts.push(
      `\n  ${remarks.length} remark${remarks.length === 1 ? '' : 's'} of level low: ${unique(remarks.map(({ rule }) => rule)).join(', ')}\n`,
    )
  parts.push(touched(inspection.impact))
  if (!inspection.complete) parts.push('\n  Not all of it could be read.\n')
  return `${parts.join('')}\n`
}

const count = (findings: number): string =>
  findings === 0 ? ', nothing found' : `, ${findings} finding${findings === 1 ? '' : 's'}`
const unique = <T>(items: readonly T[]): T[] => [...new Set(items)]

function finding(name: string, violation: Violation, lines: readonly string[]): string {
  const { line, column, endLine, endColumn } = violation
  const source = lines[line - 1] ?? ''
  const from = Math.max(0, column - 60)
  const excerpt = visible(source.slice(from, from + widest))
  const before = visible(source.slice(from, column - 1)).length
  const until = endLine === line ? endColumn - 1 : source.length
  const length = Math.max(1, Math.min(visible(source.slice(column - 1, until)).length, excerpt.length - before))
  const gutter = String(line).padStart(5)
  return [
    `\n  ${violation.severity.toUpperCase().padEnd(8)} ${violation.message}`,
    `           ${violation.rule}${violation.cwe ? ` (${violation.cwe})` : ''}  ${visible(name)}:${line}:${column}`,
    ` ${gutter} | ${excerpt}`,
    `       | ${' '.repeat(before)}${'^'.repeat(length)}`,
    `       = ${violation.recommendation}`,
    '',
  ].join('\n')
}

function touched(impact: Impact): string {
  const rows: (readonly [string, readonly Target[]])[] = [
    ['reads', impact.filesRead],
    ['writes', impact.filesWritten],
    ['deletes', impact.filesDeleted],
    ['hosts', impact.hosts],
    ['commands', impact.commands],
    ['data', impact.dataModified],
    ['calls', impact.unknownCalls ?? []],
  ]
  const text = rows
    .filter(([, targets]) => targets.length > 0)
    .map(
      ([label, targets]) =>
        `  ${label.padEnd(9)}${targets.slice(0, 8).map(target).join(', ')}${targets.length > 8 ? ` … (${targets.length})` : ''}\n`,
    )
    .join('')
  const summary = `  reversible ${impact.reversible}, reaches ${impact.blastRadius}, time ${impact.estimate.time}\n`
  return `\n${text}${text === '' ? '' : summary}`
}

const target = ({ target: known, expression, lines }: Target): string =>
  `${known === null ? `unknown (${visible(expression).slice(0, 60)})` : visible(known).slice(0, 80)} [${lines.slice(0, 4).join(', ')}]`
