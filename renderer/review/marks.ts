import type { ApprovalRequest } from '../../src/contract/approval.ts'
import { linesOf } from '../../src/contract/lines.ts'
import type { RiskLevel } from '../../src/contract/run.ts'
import { riskLevels } from '../../src/contract/run.ts'
import { disguised, nameOf, visible } from '../../src/contract/visible.ts'

/** Something to be said about a stretch of code. */
export interface Mark {
  readonly severity: RiskLevel
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
  readonly text: string
}

/** What stands at the end of a line: its worst finding, and how many more there are. */
export interface LineNote {
  readonly line: number
  readonly severity: RiskLevel
  readonly text: string
}

/** A character that does not show itself, and the name that is put before it. */
export interface HiddenCharacter {
  readonly line: number
  readonly column: number
  readonly length: number
  readonly name: string
}

/** Findings where they stand, and what the policy says about lines on which nothing was found. */
export function marksOf({
  inspection,
  reasons,
  code,
}: Pick<ApprovalRequest, 'inspection' | 'reasons' | 'code'>): Mark[] {
  const lines = linesOf(code).length
  const findings = inspection.violations.map(
    ({ severity, line, column, endLine, endColumn, message, recommendation, cwe }): Mark => ({
      severity,
      line: Math.min(line, lines),
      column,
      endLine: Math.min(Math.max(line, endLine), lines),
      endColumn,
      text: visible([message, recommendation, cwe].filter(Boolean).join(' ')),
    }),
  )
  const spoken = new Set(findings.map(mark => mark.line))
  const policy = reasons
    .filter(reason => reason.kind === 'operation' || reason.kind === 'blocked-import')
    .flatMap(reason =>
      reason.lines
        .filter(line => line <= lines && !spoken.has(line))
        .map(
          (line): Mark => ({
            severity: 'low',
            line,
            column: 1,
            endLine: line,
            endColumn: 1,
            text: visible(reason.text),
          }),
        ),
    )
  return [...findings, ...policy]
}

export function lineNotes(request: Pick<ApprovalRequest, 'inspection' | 'reasons' | 'code'>): LineNote[] {
  const byLine = new Map<number, Mark[]>()
  for (const mark of marksOf(request)) byLine.set(mark.line, [...(byLine.get(mark.line) ?? []), mark])
  return [...byLine.entries()].map(([line, marks]) => {
    const worst = marks.toSorted((a, b) => rank(b.severity) - rank(a.severity))[0] as Mark
    const found = request.inspection.violations
      .filter(each => each.line === line)
      .toSorted((a, b) => rank(b.severity) - rank(a.severity))[0]
    const said = visible(found?.message ?? worst.text)
    const more = marks.length > 1 ? ` (+${marks.length - 1})` : ''
    return { line, severity: worst.severity, text: `${said.length > 110 ? `${said.slice(0, 109)}…` : said}${more}` }
  })
}

const rank = (level: RiskLevel): number => riskLevels.indexOf(level)

/**
 * Hidden characters by line and column. Tabs at the start of a line are how code is written; anywhere else they can
 * push what follows out of sight and are named.
 */
export function hiddenCharacters(code: string): HiddenCharacter[] {
  const found: HiddenCharacter[] = []
  for (const [index, line] of linesOf(code).entries()) {
    const indent = /^[\t ]*/.exec(line)?.[0].length ?? 0
    for (const { at, character } of disguised(line)) {
      if (character === '\t' && at < indent) continue
      // The editor shows a lone carriage return as the end of a line that it is.
      if (character === '\r' && at === line.length - 1) continue
      found.push({
        line: index + 1,
        column: at + 1,
        length: character.length,
        name: character === '\t' ? '⇥' : nameOf(character),
      })
    }
  }
  return found
}
