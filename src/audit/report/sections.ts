import type { Report, ReportEvent, ReportRun, RunCounts } from '../../contract/report.ts'
import { bars, columns, legend } from './charts.ts'
import { controls } from './controls.ts'
import { bytes, duration, html, type Markup, moment, number, share } from './html.ts'

/** A shape and a word before a colour: readable on any paper and by any eye. */
const shapes: Record<string, string> = { critical: '◆', high: '▲', medium: '■', low: '●' }
export const riskMark = (risk: string): string => (shapes[risk] ? `${shapes[risk]} ${risk}` : risk)
const riskTag = (risk: string | null) =>
  html`<span class="risk ${risk ?? ''}">${riskMark((risk ?? 'unknown').toUpperCase().toLowerCase())}</span>`

export function scopeAndMethod(report: Report): Markup {
  return html`<p>${scopeWords(report)} It was made from ${number(report.entries)} entries of the audit record, read on
    ${moment(report.generatedAt)} by ${report.generatedBy}. Times are in UTC.</p>
  <h3>How the record is kept</h3>
  <p>Countersign writes an entry before code runs (the intent) and one after it (the outcome); code whose intent cannot
    be written does not run. Each entry is canonical JSON (RFC 8785) and carries a SHA-256 hash over itself and the hash of
    the entry before it, so that none can be changed, removed, inserted or moved without breaking the chain. A Merkle tree
    (RFC 9162) over all entries is signed with Ed25519; the signed checkpoints are also kept outside the database, so that
    a cut-off end or an older copy is noticed. Personal values stand on the record only as salted commitments.</p>
  <h3>How this report was made</h3>
  <p>Before anything was counted, the whole record up to entry ${report.record.checkpoint.size - 1} was verified:
    ${report.record.verified ? 'it is intact.' : 'it is damaged, as the cover says.'} Every figure below follows from those entries; appendix
    A gives the hashes and says how anyone can check them without this application.</p>
  ${report.record.notices.length > 0 && html`<p class="small quiet">Noted while verifying: ${report.record.notices.join(' ')}</p>`}`
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

export function summary(report: Report): Markup {
  const { totals, approvals, security } = report
  const figure = (value: string, label: string) => html`<div class="figure"><b>${value}</b>${label}</div>`
  return html`<div class="figures">
    ${figure(number(totals.runs), 'runs')}
    ${figure(share(totals.success, totals.runs), `succeeded (${number(totals.success)})`)}
    ${figure(number(totals.refused), 'refused by policy or reviewer')}
    ${figure(number(report.highRisk.filter(isRisky).length + report.highRiskOmitted), 'of high or critical risk')}
    ${figure(number(approvals.approved), `approved by a reviewer, ${number(approvals.denied)} denied`)}
    ${figure(number(approvals.byPolicy), 'let through by policy')}
    ${figure(number(security.unforeseen), 'with unforeseen effects')}
    ${figure(number(totals.people), `people in ${number(totals.conversations)} conversations`)}
  </div>
  ${legend()}
  <div class="charts"><div><h3>Runs by risk</h3>${bars(
    report.byRisk.filter(row => row.runs > 0),
    riskMark,
  )}</div><div><h3>Runs by sandbox</h3>${bars(report.bySandbox, name => name)}</div></div>
  ${report.byDay.length > 1 && html`<div class="keep"><h3>Runs over time</h3>${columns(report.byDay)}</div>`}
  <div class="keep"><h3>In figures</h3><table class="counts"><thead><tr><th></th><th class="n">runs</th><th class="n">succeeded</th><th class="n">failed</th><th class="n">refused</th><th class="n">interrupted</th></tr></thead>
  <tbody>${countRows('By risk', report.byRisk, riskMark)}${countRows('By sandbox', report.bySandbox, name => name)}</tbody></table></div>`
}

const isRisky = (run: ReportRun) => run.risk === 'high' || run.risk === 'critical'

function countRows(title: string, rows: readonly (RunCounts & { name: string })[], mark: (name: string) => string) {
  return html`<tr class="group"><td colspan="6">${title}</td></tr>${rows.map(
    row =>
      html`<tr><td>${mark(row.name)}</td><td class="n">${number(row.runs)}</td><td class="n">${number(row.success)}</td><td class="n">${number(row.failure)}</td><td class="n">${number(row.refused)}</td><td class="n">${number(row.interrupted)}</td></tr>`,
  )}`
}

export function actions(report: Report): Markup {
  if (report.highRisk.length === 0) return html`<p>There were none.</p>`
  return html`${report.highRisk.map((run, place) => action(run, place + 1))}
  ${report.highRiskOmitted > 0 && html`<p>${number(report.highRiskOmitted)} more are not printed here; they are in the audit bundle.</p>`}`
}

function action(run: ReportRun, place: number): Markup {
  return html`<article class="action">
    <header><h3>3.${place} ${results[run.result]}, ${moment(run.at)}</h3>${riskTag(run.risk)}</header>
    <dl class="facts">
      <dt>asked for by</dt><dd>${run.who}</dd>
      <dt>ran</dt><dd>${run.language} in ${run.sandbox}${run.isolation ? ` (isolation: ${run.isolation})` : ''}</dd>
      <dt>decision</dt><dd>${decisionWords(run)}</dd>
      ${run.decision?.signature && html`<dt>signature</dt><dd><code>${run.decision.signature}</code></dd>`}
      <dt>result</dt><dd>${resultWords(run)}</dd>
      <dt>code, SHA-256</dt><dd><code>${run.codeHash}</code></dd>
      <dt>entries</dt><dd>${run.seqs.join(', ')}</dd>
    </dl>
    ${
      run.code === null
        ? html`<p class="quiet small">The code itself is not on the record: policy keeps its hash only, or retention has removed it.</p>`
        : html`<p class="label">Code</p>${codeBlock(run)}`
    }
    ${run.output !== null && html`<p class="label">Output</p>${plainBlock(run.output)}`}
    <p class="label">Effects</p>${effects(run)}
    ${run.warnings.length > 0 && html`<p class="small"><b>Warnings:</b> ${run.warnings.join(' ')}</p>`}
  </article>`
}

const results: Record<ReportRun['result'], string> = {
  success: 'Succeeded',
  failure: 'Failed',
  refused: 'Refused',
  interrupted: 'Interrupted',
  running: 'Still running',
}

function decisionWords({ decision }: ReportRun): Markup {
  if (!decision) return html`<span class="quiet">none on the record in this scope</span>`
  const verb = decision.verdict === 'approve' ? 'approved' : 'denied'
  const comment = decision.comment ? `: “${decision.comment}”` : ''
  if (decision.by === 'policy') return html`${verb} by policy${comment}`
  return html`${verb} by <b>${decision.reviewer ?? 'a reviewer'}</b> on ${moment(decision.at)}${comment} ${signatureWords(decision)}`
}

function signatureWords({ signature, signatureHolds }: NonNullable<ReportRun['decision']>): Markup {
  if (signature === null) return html`<span class="warn">(not signed)</span>`
  if (signatureHolds === true) return html`(signature holds)`
  if (signatureHolds === false) return html`<span class="warn">(signature does not hold)</span>`
  return html`<span class="quiet">(signed outside this scope)</span>`
}

function resultWords(run: ReportRun): Markup {
  const figures = [
    run.exitCode === null ? '' : `exit code ${run.exitCode}`,
    run.durationMs === null ? '' : duration(run.durationMs),
    run.cpuMs === null ? '' : `${duration(run.cpuMs)} of processor time`,
    run.peakMemoryBytes === null ? '' : `${bytes(run.peakMemoryBytes)} of memory at most`,
  ].filter(Boolean)
  return html`${results[run.result].toLowerCase()}${run.reason && `: ${run.reason}`}${figures.length > 0 && ` (${figures.join(', ')})`}`
}

/** Every line is there, long ones wrap, and the lines that a rule spoke of say so. */
function codeBlock(run: ReportRun): Markup {
  const lines = (run.code ?? '').replace(/\n$/, '').split('\n')
  return html`<div class="code">${lines.map((line, at) => {
    const found = run.violations.filter(each => each.line === at + 1)
    const note = [...new Set(found.map(each => `${each.type} (${each.severity})`))].join(', ')
    return html`<div${found.length > 0 && html` class="flag"`}><i>${at + 1}</i><span>${line || ' '}</span>${note && html`<span class="note">▸ ${note}</span>`}</div>`
  })}</div>`
}

const plainBlock = (text: string) =>
  html`<div class="code">${text
    .trimEnd()
    .split('\n')
    .map(line => html`<div><i></i><span>${line || ' '}</span></div>`)}</div>`

function effects({ effects: { foreseen, observed, unforeseen, unknown }, result }: ReportRun): Markup {
  const list = (items: readonly string[], none: string) =>
    items.length === 0
      ? html`<p class="quiet small">${none}</p>`
      : html`<ul>${items.slice(0, 40).map(item => html`<li>${item}</li>`)}</ul>`
  const ran = result === 'success' || result === 'failure'
  return html`<div class="effects keep"><div><b>Predicted</b>${foreseen === null ? html`<p class="quiet small">not on the record in this scope</p>` : list(foreseen, 'nothing outside memory')}</div><div><b>Observed</b>${list(observed, ran ? 'nothing' : 'did not run to its end')}</div></div>
  ${unforeseen.length > 0 && html`<p class="small"><span class="warn">▲ Not foreseen:</span> ${unforeseen.slice(0, 40).join(', ')}</p>`}
  ${unknown > 0 && html`<p class="small quiet">${number(unknown)} place(s) could not be worked out before the run.</p>`}`
}

export function violations(report: Report): Markup {
  if (report.violations.length === 0) return html`<p>The guard found nothing in the code of this scope.</p>`
  return html`<p>What the guard found in code before it ran, by type. A finding is a reason to look, not proof of harm.</p>
  <table class="keep"><thead><tr><th>Type</th><th>Highest severity</th><th class="n">findings</th><th class="n">runs</th></tr></thead><tbody>${report.violations.map(
    each =>
      html`<tr><td>${each.type}</td><td>${riskTag(each.severity)}</td><td class="n">${number(each.count)}</td><td class="n">${number(each.runs)}</td></tr>`,
  )}</tbody></table>`
}

export function unforeseenEffects(report: Report): Markup {
  if (report.unforeseen.length === 0) {
    return html`<p>Every effect that was observed had been foreseen by the guard, and shown to whoever approved the run.</p>`
  }
  return html`<p>Runs that touched something which could not be shown to a reviewer beforehand.</p>
  <table><thead><tr><th>Time</th><th>Entry</th><th>Observed, not predicted</th></tr></thead><tbody>${report.unforeseen.map(
    each =>
      html`<tr><td class="tight">${moment(each.at)}</td><td>${each.seq}</td><td>${each.effects.join(', ')}</td></tr>`,
  )}</tbody></table>`
}

export function performance(report: Report): Markup {
  const { medianMs, p95Ms, longestMs, cpuMs, peakMemoryBytes } = report.performance
  const row = (name: string, value: string) => html`<tr><td>${name}</td><td class="n">${value}</td></tr>`
  return html`<table class="keep"><thead><tr><th>Measure</th><th class="n">value</th></tr></thead><tbody>
    ${row('Half of the runs took at most', duration(medianMs))}${row('95 % of the runs took at most', duration(p95Ms))}
    ${row('The longest run took', duration(longestMs))}${row('Processor time of all runs', duration(cpuMs))}
    ${row('Most memory held by one run', bytes(peakMemoryBytes))}</tbody></table>`
}

export function security(report: Report): Markup {
  const { security: figures, totals, approvals, violations: found } = report
  const critical = found.filter(each => each.severity === 'critical').reduce((sum, each) => sum + each.count, 0)
  const row = (name: string, value: number) => html`<tr><td>${name}</td><td class="n">${number(value)}</td></tr>`
  return html`<table class="keep"><thead><tr><th>Event</th><th class="n">count</th></tr></thead><tbody>
    ${row('Runs refused by policy or reviewer', totals.refused)}${row('Approval requests that expired unanswered', approvals.expired)}
    ${row('Findings of critical severity', critical)}${row('Network requests that were allowed', figures.networkAllowed)}
    ${row('Network requests that were refused', figures.networkRefused)}${row('Runs without confinement', figures.unconfined)}
    ${row('Runs interrupted before their outcome was written', totals.interrupted)}${row('Personal values revealed to a person', figures.reveals)}</tbody></table>`
}

export function events(rows: readonly ReportEvent[], none: string): Markup {
  if (rows.length === 0) return html`<p>${none}</p>`
  return html`<table${rows.length < 10 && html` class="keep"`}><thead><tr><th style="width:34mm">Time</th><th style="width:24mm">Who</th><th style="width:30mm">Action</th><th>Details</th><th class="n">Entry</th></tr></thead><tbody>${rows.map(
    row =>
      html`<tr><td class="tight">${moment(row.at)}</td><td>${row.who}</td><td>${row.action}</td><td class="small">${row.what}</td><td class="n">${row.seq}</td></tr>`,
  )}</tbody></table>`
}

export const answers =
  (): Markup => html`<p>For reviewers who work from a framework: what it asks, and which part of this report answers.</p>
  <table><thead><tr><th style="width:42mm">Framework</th><th>It asks</th><th style="width:52mm">Answered in part</th></tr></thead><tbody>${controls.map(
    each => html`<tr><td><b>${each.framework}</b></td><td>${each.asks}</td><td>${each.parts}</td></tr>`,
  )}</tbody></table>`

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
  <table class="hashes"><thead><tr><th class="n" style="width:12mm">Entry</th><th style="width:32mm">Time</th><th style="width:34mm">Action</th><th>Hash</th></tr></thead><tbody>${report.hashes.map(
    each =>
      html`<tr><td class="n">${each.seq}</td><td class="tight">${moment(each.at)}</td><td class="tight">${each.action}</td><td><code>${each.hash}</code></td></tr>`,
  )}</tbody></table>`
}
