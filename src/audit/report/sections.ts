import type { Report, ReportEvent, RunCounts } from '../../contract/report.ts'
import { bars, columns, legend } from './charts.ts'
import { controls } from './controls.ts'
import { bytes, counted, duration, html, type Markup, moment, number, share } from './html.ts'
import { riskMark, riskTag } from './marks.ts'

export function scopeAndMethod(report: Report): Markup {
  return html`<p>${scopeWords(report)} It was made from ${number(report.entries)} entries of the audit record, read on
    ${moment(report.generatedAt)} by ${report.generatedBy}. Times are in UTC.</p>
  <h3>Who took part</h3>${people(report)}
  <h3>How the record is kept</h3>
  <p>Countersign writes an entry before code runs (the intent) and one after it (the outcome); code whose intent cannot
    be written does not run. Each entry is canonical JSON (RFC 8785) and carries a SHA-256 hash over itself and the hash of
    the entry before it, so that none can be changed, removed, inserted or moved without breaking the chain. A Merkle tree
    (RFC 9162) over all entries is signed with Ed25519; the signed checkpoints are also kept outside the database, so that
    a cut-off end or an older copy is noticed. Personal values are on the record only as salted commitments. Entries
    are kept for as long as the settings say; what retention removes leaves its hash and a signed tombstone (part 8).</p>
  <h3>How code is let through</h3>
  <p>A guard reads the syntax tree of the code, names what it would do and rates its risk. A policy then lets it run,
    asks a reviewer, or refuses it. A reviewer’s decision is signed with the reviewer’s own key over the code, its
    language, sandbox, limits, network grants and findings: whatever is changed afterwards is not what was approved, and
    does not run.</p>
  <h3>How this report was made</h3>
  <p>Before anything was counted, the whole record up to entry ${report.record.checkpoint.size - 1} was verified:
    ${report.record.verified ? 'it is intact.' : 'it is damaged, as the cover says.'} Every figure below follows from those entries; appendix
    A gives the hashes and says how anyone can check them without this application.</p>
  ${report.record.notices.length > 0 && html`<p class="small quiet">Noted while verifying: ${report.record.notices.join(' ')}</p>`}`
}

function people({ people: rows }: Report): Markup {
  if (rows.length === 0) return html`<p>Nobody: every entry was written by the application itself.</p>`
  const shown = rows.slice(0, 30)
  return html`<table class="keep"><thead><tr><th scope="col">Person</th><th scope="col" class="n">entries</th><th scope="col" class="n">runs asked for</th><th scope="col" class="n">decisions signed</th><th scope="col" class="n">readings of the record</th></tr></thead><tbody>${shown.map(
    each =>
      html`<tr><td>${each.name}</td><td class="n">${number(each.entries)}</td><td class="n">${number(each.runs)}</td><td class="n">${number(each.decisions)}</td><td class="n">${number(each.readings)}</td></tr>`,
  )}</tbody></table>${rows.length > shown.length && html`<p class="small quiet">And ${number(rows.length - shown.length)} more.</p>`}`
}

function scopeWords({ scope, from, to }: Report): string {
  const period = from !== null && to !== null ? ` from ${moment(from)} to ${moment(to)}` : ''
  switch (scope.kind) {
    case 'all':
      return `This report covers everything on the record${period}.`
    case 'period':
      return `This report covers all activity${period}.`
    case 'conversation':
      return `This report covers the conversation ${scope.conversation}${period}.`
    case 'run':
      return `This report covers one calculation, run ${scope.run}${period}.`
  }
}

const figure = (value: string, label: string) => html`<div class="figure"><b>${value}</b>${label}</div>`

export function summary(report: Report): Markup {
  const { totals, approvals, security, byRisk } = report
  const risky = byRisk.filter(row => row.name === 'high' || row.name === 'critical')
  return html`<div class="figures">
    ${figure(number(totals.runs), totals.runs === 1 ? 'run' : 'runs')}
    ${figure(share(totals.success, totals.runs), `succeeded (${number(totals.success)})`)}
    ${figure(number(totals.refused), 'denied by policy or reviewer')}
    ${figure(number(risky.reduce((sum, row) => sum + row.runs, 0)), 'of high or critical risk')}
    ${figure(number(approvals.approved), `approved by a reviewer, ${number(approvals.denied)} denied`)}
    ${figure(number(approvals.byPolicy), 'let through by policy')}
    ${figure(number(security.unforeseen), 'with unforeseen effects')}
    ${figure(number(totals.people), `${totals.people === 1 ? 'person' : 'people'} in ${counted(totals.conversations, 'conversation')}`)}
  </div>
  ${legend()}
  <div class="charts"><div><h3>Runs by risk</h3>${bars(
    'Runs by risk',
    byRisk.filter(row => row.runs > 0),
    riskMark,
  )}</div><div><h3>Runs by sandbox</h3>${bars('Runs by sandbox', report.bySandbox, name => name)}</div></div>
  ${report.byDay.length > 1 && html`<div class="keep"><h3>Runs over time</h3>${columns('Runs over time', report.byDay)}</div>`}
  <div class="keep"><h3>In figures</h3><table class="counts"><thead><tr><th scope="col">Group</th><th scope="col" class="n">runs</th><th scope="col" class="n">succeeded</th><th scope="col" class="n">failed</th><th scope="col" class="n">syntax error</th><th scope="col" class="n">did not run</th><th scope="col" class="n">interrupted</th></tr></thead>
  <tbody>${countRows('By risk', byRisk, riskMark)}${countRows('By sandbox', report.bySandbox, name => name)}</tbody></table></div>`
}

function countRows(title: string, rows: readonly (RunCounts & { name: string })[], mark: (name: string) => string) {
  return html`<tr class="group"><td colspan="7">${title}</td></tr>${rows.map(
    row =>
      html`<tr><td>${mark(row.name)}</td><td class="n">${number(row.runs)}</td><td class="n">${number(row.success)}</td><td class="n">${number(row.failure)}</td><td class="n">${number(row.syntax)}</td><td class="n">${number(row.refused)}</td><td class="n">${number(row.interrupted)}</td></tr>`,
  )}`
}

export function violations(report: Report): Markup {
  if (report.violations.length === 0) return html`<p>The guard found nothing in the code of this scope.</p>`
  return html`<p>What the guard found in code before it ran, by type. A finding is a reason to look, not proof of harm.</p>
  <table class="keep"><thead><tr><th scope="col">Type</th><th scope="col">Highest severity</th><th scope="col" class="n">findings</th><th scope="col" class="n">runs</th></tr></thead><tbody>${report.violations.map(
    each =>
      html`<tr><td>${each.type}</td><td>${riskTag(each.severity)}</td><td class="n">${number(each.count)}</td><td class="n">${number(each.runs)}</td></tr>`,
  )}</tbody></table>`
}

export function unforeseenEffects(report: Report): Markup {
  if (report.unforeseen.length === 0) {
    return html`<p>Every effect that was observed had been foreseen by the guard, and shown to whoever approved the run.</p>`
  }
  return html`<p>Runs that touched something which could not be shown to a reviewer beforehand.</p>
  <table><thead><tr><th scope="col" style="width:36mm">Time</th><th scope="col">Observed, not predicted</th><th scope="col" class="n">Entry</th></tr></thead><tbody>${report.unforeseen.map(
    each =>
      html`<tr><td class="tight">${moment(each.at)}</td><td>${each.effects.join(', ')}</td><td class="n">${each.seq}</td></tr>`,
  )}</tbody></table>`
}

export function performance(report: Report): Markup {
  const { medianMs, p95Ms, longestMs, cpuMs, peakMemoryBytes } = report.performance
  return html`<div class="figures five">
    ${figure(duration(medianMs), 'half of the runs took at most')}
    ${figure(duration(p95Ms), '95 % of the runs took at most')}
    ${figure(duration(longestMs), 'the longest run took')}
    ${figure(duration(cpuMs), 'processor time of all runs')}
    ${figure(bytes(peakMemoryBytes), 'most memory held by one run')}</div>`
}

export function security(report: Report): Markup {
  const { security: figures, totals, approvals, violations: found } = report
  const critical = found.filter(each => each.severity === 'critical').reduce((sum, each) => sum + each.count, 0)
  const row = (name: string, value: number) => html`<tr><td>${name}</td><td class="n">${number(value)}</td></tr>`
  const table = (...rows: Markup[]) =>
    html`<table class="keep"><thead><tr><th scope="col">Event</th><th scope="col" class="n">count</th></tr></thead><tbody>${rows}</tbody></table>`
  return html`<div class="charts">${table(
    row('Runs denied by policy or reviewer', totals.refused),
    row('Runs of code that the compiler rejected', totals.syntax),
    row('Approval requests that expired unanswered', approvals.expired),
    row('Runs interrupted before their outcome was written', totals.interrupted),
    row('Runs without confinement', figures.unconfined),
  )}${table(
    row('Findings of critical severity', critical),
    row('Network requests that were allowed', figures.networkAllowed),
    row('Network requests that were denied', figures.networkRefused),
    row('Personal values revealed to a person', figures.reveals),
  )}</div>
  <h3>Texts that left for a model, a cloud sandbox or an alert</h3>${departures(report)}
  ${report.cloud.sandboxes + report.cloud.allowed > 0 && html`<h3>Sandboxes in the cloud</h3><p>${cloudWords(report.cloud)}</p>`}`
}

function cloudWords({ sandboxes, seconds, allowed, revoked }: Report['cloud']): string {
  const asked = `People let ${counted(allowed, 'path')} go to the cloud, and took that back for ${counted(revoked, 'path')}.`
  const used = `${sandboxes === 1 ? '1 sandbox' : `${number(sandboxes)} sandboxes`} ran there and ${sandboxes === 1 ? 'was' : 'were'} awake for at most ${duration(seconds * 1000)}.`
  return `${asked} ${used} Requests to hosts that were granted there are not on this record: the service keeps none.`
}

function departures({ departures: rows }: Report): Markup {
  if (rows.length === 0) return html`<p>None left, in this scope.</p>`
  const found = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([type, count]) => `${type} ${number(count)}`)
      .join(', ') || 'nothing personal'
  return html`<table><thead><tr><th scope="col">Destination</th><th scope="col">To</th><th scope="col" class="n">sent</th><th scope="col" class="n">held back</th><th scope="col">Found and dealt with</th></tr></thead>${inGroups(
    rows.map(
      each =>
        html`<tr><td>${each.destination}</td><td>${each.to}</td><td class="n">${number(each.sent)}</td><td class="n">${number(each.held)}</td><td>${found(each.found)}</td></tr>`,
    ),
  )}</table>`
}

export function events(rows: readonly ReportEvent[], none: string): Markup {
  if (rows.length === 0) return html`<p>${none}</p>`
  return html`<table><thead><tr><th scope="col" style="width:36mm">Time</th><th scope="col" style="width:32mm">Who</th><th scope="col">What happened</th><th scope="col" class="n">Entry</th></tr></thead>${inGroups(
    rows.map(
      row =>
        html`<tr><td class="tight">${moment(row.at)}</td><td>${row.who}</td><td>${row.what}</td><td class="n">${row.seq}</td></tr>`,
    ),
  )}</table>`
}

/** The last rows stay together: a page with nothing but the end of a table looks like a mistake. */
function inGroups(rows: readonly Markup[]): Markup {
  const split = Math.max(0, rows.length - 5)
  return html`${split > 0 && html`<tbody>${rows.slice(0, split)}</tbody>`}<tbody class="keep">${rows.slice(split)}</tbody>`
}

export const answers =
  (): Markup => html`<p>For reviewers who work from a framework: what it asks, and which part of this report answers.</p>
  <table><thead><tr><th scope="col" style="width:42mm">Framework</th><th scope="col">It asks</th><th scope="col" style="width:56mm">Answered in part</th></tr></thead>${inGroups(
    controls.map(each => html`<tr><td><b>${each.framework}</b></td><td>${each.asks}</td><td>${each.parts}</td></tr>`),
  )}</table>
  <div class="sign keep"><p>Reviewed by the auditor, on paper:</p><div><span>name</span><span>signature</span><span>date</span></div></div>`

export function appendix(report: Report): Markup {
  const { checkpoint, firstKey, log } = report.record
  return html`<h3>The signed checkpoint</h3>
  <dl class="facts"><dt>record</dt><dd><code>${log}</code></dd><dt>entries</dt><dd>${number(checkpoint.size)}</dd>
    <dt>root</dt><dd><code>${checkpoint.root}</code></dd><dt>signed</dt><dd>${moment(checkpoint.at)}</dd>
    <dt>key</dt><dd><code>${checkpoint.key}</code></dd><dt>first key</dt><dd><code>${firstKey ?? ''}</code></dd>
    <dt>signature</dt><dd><code>${checkpoint.signature}</code></dd></dl>
  <h3>How to verify</h3>
  <p>Ask for the audit bundle of the same scope. It holds the entries, their proofs, the public keys and <code>verify.mjs</code>,
    a single script that needs nothing but Node.js: <code>node verify.mjs BUNDLE.zip --trust ${firstKey?.slice(0, 16) ?? ''}…</code> (give the whole
    fingerprint of the first key). It names any entry that was changed, removed, inserted, moved or cut off, and checks every
    reviewer’s signature. On the machine itself, <code>countersign audit verify</code> does the same. An entry’s hash is
    SHA-256 over a zero byte, the hash of the entry before it, and the entry’s canonical JSON.</p>
  <h3>Entries that this report relies on</h3>
  <table class="hashes"><thead><tr><th scope="col" class="n">Entry</th><th scope="col">Time</th><th scope="col">Action</th><th scope="col">Hash</th></tr></thead>${inGroups(
    report.hashes.map(
      each =>
        html`<tr><td class="n">${each.seq}</td><td class="tight">${moment(each.at)}</td><td class="tight">${each.action}</td><td><code>${each.hash}</code></td></tr>`,
    ),
  )}</table>
  ${report.hashes.length < report.entries && html`<p class="small quiet">The other ${number(report.entries - report.hashes.length)} entries in scope are counted in the figures; all of them are in the bundle.</p>`}`
}
