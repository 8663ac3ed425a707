import type { ApprovalRequest, LastApproved } from '../../contract/approval.ts'
import type { Target } from '../../contract/inspection.ts'
import { linesOf } from '../../contract/lines.ts'
import { grantWords } from '../../contract/network.ts'
import { whyAsked } from '../../contract/reasons.ts'
import { visible } from '../../contract/visible.ts'

/** So many lines of each are shown at first; what is left out is counted, and shown whole on demand. */
const first = { code: 40, findings: 20, targets: 12, changes: 60, lines: 8 }
const everything = Number.POSITIVE_INFINITY
type Most = Readonly<Record<keyof typeof first, number>>
const all: Most = {
  code: everything,
  findings: everything,
  targets: everything,
  changes: everything,
  lines: everything,
}

/** What a reviewer reads before they answer, as lines of text. Everything that comes from outside is made visible. */
export const describeRequest = (request: ApprovalRequest, last: LastApproved | null): string =>
  written(request, last, first)

/** The same with nothing left out. */
export const describeWhole = (request: ApprovalRequest, last: LastApproved | null): string =>
  written(request, last, all)

function written(request: ApprovalRequest, last: LastApproved | null, most: Most): string {
  const sections = [
    heading(request),
    reasons(request, most),
    findings(request, most),
    impact(request, most),
    changes(request, last, most),
    numbered(request, most),
  ]
  return sections.filter(section => section !== '').join('\n\n')
}

const more = (left: number, what = ''): string[] => (left > 0 ? [`  … and ${left} more${what} (v shows all)`] : [])

/** The code with its line numbers. */
function numbered({ code, inspection }: ApprovalRequest, most: Most): string {
  const marked = new Set(inspection.violations.map(violation => violation.line))
  const lines = linesOf(code)
  const width = String(lines.length).length
  const shown = lines
    .slice(0, most.code)
    .map((line, i) => `  ${marked.has(i + 1) ? '▶' : ' '} ${String(i + 1).padStart(width)} │ ${visible(line)}`)
  const left = lines.length - shown.length
  return ['Code (▶ has a finding)', ...shown, ...more(left, left === 1 ? ' line' : ' lines')].join('\n')
}

function heading({ risk, language, placement, requester, authors, args, env, needs }: ApprovalRequest) {
  const { kind, network, limits } = placement
  const image = placement.image === null ? '' : `, image ${visible(placement.image)}`
  const where = `${language} in the ${kind} sandbox (${placement.isolation}${image})`
  const grants = network.length === 0 ? 'no network' : 'network as below'
  const memory = `${Math.round(limits.memoryBytes / 1024 / 1024)} MB`
  const lines = [
    `━━ Approval needed: ${risk.toUpperCase()} RISK ━━`,
    `  ${where}, ${grants}, at most ${limits.timeoutMs / 1000} s and ${memory}`,
    `  asked by ${visible(requester.name)}${needs === 'four-eyes' ? '; whoever wrote it may not approve it' : ''}`,
  ]
  const others = authors.filter(author => author.id !== requester.id)
  if (others.length > 0) lines.push(`  written by ${authors.map(author => visible(author.name)).join(', ')}`)
  for (const why of [...placement.reasons, ...placement.warnings]) lines.push(`  ${visible(why)}`)
  for (const grant of network) lines.push(`  may ${visible(grantWords(grant))}`)
  if (args.length > 0) lines.push(`  arguments: ${args.map(arg => visible(JSON.stringify(arg))).join(' ')}`)
  for (const [name, value] of Object.entries(env)) lines.push(`  environment: ${visible(`${name}=${value}`)}`)
  for (const mount of placement.mounts) {
    lines.push(
      `  sees ${visible(mount.source)} as ${visible(mount.target)} (${mount.writable ? 'can write' : 'read only'})`,
    )
  }
  return lines.join('\n')
}

function reasons(request: ApprovalRequest, most: Most): string {
  const why = whyAsked(request.reasons).map(({ text, lines }) => `  · ${visible(text)}${at(lines, most)}`)
  return ['Why it needs approval', ...why].join('\n')
}

function findings({ inspection: { violations } }: ApprovalRequest, most: Most): string {
  if (violations.length === 0) return ''
  const shown = violations.slice(0, most.findings).map(({ line, severity, type, message, recommendation }) => {
    const first = `  line ${line}: ${severity.toUpperCase()} ${type}: ${visible(message)}`
    return `${first}\n      instead: ${visible(recommendation)}`
  })
  return [`Findings (${violations.length})`, ...shown, ...more(violations.length - shown.length)].join('\n')
}

function impact({ inspection }: ApprovalRequest, most: Most): string {
  const { impact } = inspection
  const rows: [string, readonly Target[]][] = [
    ['deletes', impact.filesDeleted],
    ['writes', impact.filesWritten],
    ['reads', impact.filesRead],
    ['talks to', impact.hosts],
    ['starts', impact.commands],
    ['changes data in', impact.dataModified],
    ['calls', impact.unknownCalls ?? []],
  ]
  const touched = rows.flatMap(([verb, targets]) => {
    const shown = targets.slice(0, most.targets).map(({ target, expression, lines }) => {
      const what = target === null ? `something unknown (${visible(expression)})` : visible(target)
      return `  ${verb} ${what}${at(lines, most)}`
    })
    return [...shown, ...more(targets.length - shown.length, ` that it ${verb}`)]
  })
  const reversible = { yes: 'can be undone', no: 'CANNOT be undone', unknown: 'may not be undone' }[impact.reversible]
  const read = inspection.complete ? '' : '; the code could not be read to its end'
  const reach = `  reach: ${impact.blastRadius}; ${reversible}; volume: ${impact.volume}${read}`
  return ['What it would do', ...touched, reach].join('\n')
}

function changes({ code }: ApprovalRequest, last: LastApproved | null, most: Most): string {
  if (!last) return ''
  const when = new Date(last.decidedAt).toISOString().slice(0, 16).replace('T', ' ')
  const title = `Changes since ${visible(last.reviewer.name)} approved it on ${when} UTC`
  if (last.code === code) return `${title}: none`
  const changed = changedLines(linesOf(last.code), linesOf(code))
  const shown = changed.slice(0, most.changes)
  return [title, ...shown, ...more(changed.length - shown.length, ' changed lines')].join('\n')
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

const at = (lines: readonly number[], most: Most): string =>
  lines.length === 0 ? '' : ` (line ${lines.slice(0, most.lines).join(', ')}${lines.length > most.lines ? ', …' : ''})`
