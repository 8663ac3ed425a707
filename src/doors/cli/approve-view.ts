import type { ApprovalRequest, LastApproved } from '../../contract/approval.ts'
import type { Target } from '../../contract/inspection.ts'
import { visible } from '../../contract/visible.ts'

/** Longer programs are shown in part, and say so. */
export const shownLines = 40

/** What a reviewer reads before they answer, as lines of text. Everything that comes from outside is made visible. */
export function describeRequest(request: ApprovalRequest, last: LastApproved | null): string {
  const sections = [heading(request), reasons(request), findings(request), impact(request), changes(request, last)]
  return [...sections, numbered(request, shownLines)].filter(section => section !== '').join('\n\n')
}

/** The code with its line numbers; `most` lines of it. */
export function numbered({ code, inspection }: ApprovalRequest, most = Number.POSITIVE_INFINITY): string {
  const marked = new Set(inspection.violations.map(violation => violation.line))
  const lines = linesOf(code)
  const width = String(lines.length).length
  const shown = lines
    .slice(0, most)
    .map((line, i) => `  ${marked.has(i + 1) ? '▶' : ' '} ${String(i + 1).padStart(width)} │ ${visible(line)}`)
  const rest = lines.length - shown.length
  const more = rest > 0 ? [`    ${' '.repeat(width)} ⋮ ${rest} more ${rest === 1 ? 'line' : 'lines'}: v shows all`] : []
  return ['Code (▶ has a finding)', ...shown, ...more].join('\n')
}

export const linesOf = (code: string): string[] => code.replace(/\n$/, '').split('\n')

function heading({
  risk,
  language,
  sandbox,
  placement,
  network,
  limits,
  requester,
  args,
  env,
  needs,
}: ApprovalRequest) {
  const where = `${language} in the ${sandbox} sandbox (${placement.isolation})`
  const grants = network.length === 0 ? 'no network' : `network: ${network.map(visible).join(', ')}`
  const memory = `${Math.round(limits.memoryBytes / 1024 / 1024)} MB`
  const lines = [
    `━━ Approval needed: ${risk.toUpperCase()} RISK ━━`,
    `  ${where}, ${grants}, at most ${limits.timeoutMs / 1000} s and ${memory}`,
    `  asked by ${visible(requester.name)}${needs === 'four-eyes' ? '; whoever wrote it may not approve it' : ''}`,
  ]
  if (args.length > 0) lines.push(`  arguments: ${args.map(arg => visible(JSON.stringify(arg))).join(' ')}`)
  for (const [name, value] of Object.entries(env)) lines.push(`  environment: ${visible(`${name}=${value}`)}`)
  for (const mount of placement.mounts) {
    lines.push(
      `  sees ${visible(mount.source)} as ${visible(mount.target)} (${mount.writable ? 'can write' : 'read only'})`,
    )
  }
  return lines.join('\n')
}

function reasons(request: ApprovalRequest): string {
  return [
    'Why it needs approval',
    ...request.reasons.map(({ text, lines }) => `  · ${visible(text)}${at(lines)}`),
  ].join('\n')
}

function findings({ inspection: { violations } }: ApprovalRequest): string {
  if (violations.length === 0) return ''
  const shown = violations.slice(0, 20).map(({ line, severity, type, message, recommendation }) => {
    const first = `  line ${line}: ${severity.toUpperCase()} ${type}: ${visible(message)}`
    return `${first}\n      instead: ${visible(recommendation)}`
  })
  const rest = violations.length - shown.length
  return [`Findings (${violations.length})`, ...shown, ...(rest > 0 ? [`  and ${rest} more`] : [])].join('\n')
}

function impact({ inspection }: ApprovalRequest): string {
  const { impact } = inspection
  const rows: [string, readonly Target[]][] = [
    ['deletes', impact.filesDeleted],
    ['writes', impact.filesWritten],
    ['reads', impact.filesRead],
    ['talks to', impact.hosts],
    ['starts', impact.commands],
    ['changes data in', impact.dataModified],
  ]
  const touched = rows.flatMap(([verb, targets]) =>
    targets.slice(0, 12).map(({ target, expression, lines }) => {
      const what = target === null ? `something unknown (${visible(expression)})` : visible(target)
      return `  ${verb} ${what}${at(lines)}`
    }),
  )
  const reversible = { yes: 'can be undone', no: 'CANNOT be undone', unknown: 'may not be undone' }[impact.reversible]
  const read = inspection.complete ? '' : '; the code could not be read to its end'
  const reach = `  reach: ${impact.blastRadius}; ${reversible}; volume: ${impact.volume}${read}`
  return ['What it would do', ...touched, reach].join('\n')
}

function changes({ code }: ApprovalRequest, last: LastApproved | null): string {
  if (!last) return ''
  const when = new Date(last.decidedAt).toISOString().slice(0, 16).replace('T', ' ')
  const title = `Changes since ${visible(last.reviewer.name)} approved it on ${when} UTC`
  if (last.code === code) return `${title}: none`
  return [title, ...changedLines(linesOf(last.code), linesOf(code)).slice(0, 60)].join('\n')
}

/** Lines that went and lines that came, between a common beginning and end. */
export function changedLines(before: readonly string[], after: readonly string[]): string[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  const shorter = Math.min(before.length, after.length) - head
  while (tail < shorter && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  const went = before.slice(head, before.length - tail).map(line => `  - ${visible(line)}`)
  const came = after.slice(head, after.length - tail).map(line => `  + ${visible(line)}`)
  return [...went, ...came]
}

const at = (lines: readonly number[]): string =>
  lines.length === 0 ? '' : ` (line ${lines.slice(0, 8).join(', ')}${lines.length > 8 ? ', …' : ''})`
