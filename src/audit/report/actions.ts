import type { AnalysisMark } from '../../contract/analyses.ts'
import type { Report, ReportRun } from '../../contract/report.ts'
import { type RiskLevel, riskLevels } from '../../contract/run.ts'
import { bytes, duration, html, type Markup, moment, number } from './html.ts'
import { riskTag } from './marks.ts'

const nothingObserved: Record<ReportRun['result'], string> = {
  success: 'nothing outside memory',
  failure: 'nothing outside memory',
  syntax: 'it did not run',
  refused: 'it did not run',
  interrupted: 'its outcome was never written',
  running: 'it has not ended yet',
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
      <dt>${neverRan(run) ? 'would run' : 'ran'}</dt><dd>${run.language} in ${run.sandbox}${run.isolation ? ` (isolation: ${run.isolation})` : ''}</dd>
      ${run.asked.length > 0 && html`<dt>asked because</dt><dd>${run.asked.join(' ')}</dd>`}
      <dt>decision</dt><dd>${decisionWords(run)}</dd>
      ${run.decision?.signature && html`<dt>signature</dt><dd><code>${run.decision.signature}</code></dd>`}
      <dt>result</dt><dd>${resultWords(run)}</dd>
      <dt>code, SHA-256</dt><dd><code>${run.codeHash}</code></dd>
      ${run.analysis && html`<dt>analysis</dt><dd>${analysisWords(run.analysis)}</dd>`}
      <dt>entries</dt><dd>${run.seqs.join(', ')}</dd>
    </dl>
    ${
      run.code === null
        ? html`<p class="quiet small">The code itself is not on the record: policy keeps its hash only, or retention has removed it.</p>`
        : html`<p class="label">Code</p>${codeBlock(run)}`
    }
    ${run.output !== null && html`<p class="label">Output</p>${plainBlock(run.output)}`}
    ${!(run.result === 'syntax' && run.effects.observed.length === 0) && html`<p class="label">Effects</p>${effects(run)}`}
    ${run.warnings.length > 0 && html`<p class="small"><b>Warnings:</b> ${run.warnings.join(' ')}</p>`}
  </article>`
}

const results: Record<ReportRun['result'], string> = {
  success: 'Succeeded',
  failure: 'Failed',
  syntax: 'Syntax error',
  refused: 'Did not run',
  interrupted: 'Interrupted',
  running: 'Still running',
}

const neverRan = ({ result }: ReportRun): boolean => result === 'refused' || result === 'syntax'

function decisionWords(run: ReportRun): Markup {
  const { decision } = run
  if (!decision) {
    return html`<span class="quiet">${neverRan(run) ? 'nobody was asked: it did not run' : 'none on the record in this scope'}</span>`
  }
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
  return html`<div class="code${lines.length <= mostKept && ' keep'}">${lines.map((line, at) => {
    const found = run.violations.filter(each => each.line === at + 1)
    const note = notesOf(found)
    return html`<div${found.length > 0 && html` class="flag"`}><i>${at + 1}</i><span>${line || ' '}</span>${note && html`<span class="note">▸ ${note}</span>`}</div>`
  })}</div>`
}

/** A text of so many lines is not divided between two pages. */
const mostKept = 24

/** Each type once, at its highest severity. */
function notesOf(found: ReportRun['violations']): string {
  const highest = new Map<string, RiskLevel>()
  for (const { type, severity } of found) {
    const known = highest.get(type)
    if (!known || riskLevels.indexOf(severity) > riskLevels.indexOf(known)) highest.set(type, severity)
  }
  return [...highest].map(([type, severity]) => `${type} (${severity})`).join(', ')
}

const plainBlock = (text: string) =>
  html`<div class="code${text.split('\n').length <= mostKept && ' keep'}">${text
    .trimEnd()
    .split('\n')
    .map(line => html`<div><i></i><span>${line || ' '}</span></div>`)}</div>`

function effects({ effects: { foreseen, observed, unforeseen, unknown }, result }: ReportRun): Markup {
  const list = (items: readonly string[], none: string) =>
    items.length === 0
      ? html`<p class="quiet small">${none}</p>`
      : html`<ul>${items.slice(0, 40).map(item => html`<li>${item}</li>`)}</ul>`
  return html`<div class="effects keep"><div><b>Predicted</b>${foreseen === null ? html`<p class="quiet small">not on the record in this scope</p>` : list(foreseen, 'nothing outside memory')}</div><div><b>Observed</b>${list(observed, nothingObserved[result])}</div></div>
  ${unforeseen.length > 0 && html`<p class="small"><span class="warn">▲ Not foreseen:</span> ${unforeseen.slice(0, 40).join(', ')}</p>`}
  ${unknown > 0 && html`<p class="small quiet">${number(unknown)} place(s) could not be worked out before the run.</p>`}`
}

/** Which calculation it was, whether its code was touched, and the law that it cites. */
function analysisWords({
  analysis,
  version,
  sha256,
  untouched,
  status,
  count,
  citations,
  examples,
}: AnalysisMark): string {
  const tested = `${examples.official} official, ${examples.other} other and ${examples.computed} computed examples`
  const touched = untouched ? 'as in the catalogue' : 'code of the analyst'
  const cases = count === 1 ? '' : `, ${count} cases`
  return `${analysis} ${version} (${touched}${cases}, values ${status}), SHA-256 ${sha256}, ${tested}. ${citations.join('; ')}`
}
