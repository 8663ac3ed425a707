import type { Report } from '../../contract/report.ts'
import { actions } from './actions.ts'
import { analysesThatRan } from './analyses.ts'
import { day, html, Markup, moment, number, visible } from './html.ts'
import {
  answers,
  appendix,
  events,
  performance,
  scopeAndMethod,
  security,
  summary,
  unforeseenEffects,
  violations,
} from './sections.ts'
import { style } from './style.ts'

/** The report as one HTML file without script, for the screen and for paper. */
export function renderReport(report: Report): string {
  const period = periodWords(report)
  const css = style(
    cssText(`Countersign · ${report.title}`),
    cssText(period),
    report.record.checkpoint.root.slice(0, 32),
  )
  const parts = partsOf(report)
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${report.title} · ${period}</title><style>${new Markup(css)}</style></head><body><main>
${cover(report, period)}
<section><h2>Contents</h2><ol class="contents">${parts.map(({ number: no, title }) => html`<li><a href="#part-${no}"><b>${no}</b>${title}</a></li>`)}</ol></section>
${parts.map(
  ({ number: no, title, body, flow = '' }) =>
    html`<section id="part-${no}" class="${flow}"><h2><span class="no">${no}</span>${title}</h2>${body}</section>`,
)}
</main></body></html>`
  return page.text
}

interface Part {
  readonly number: string
  readonly title: string
  readonly body: Markup
  /** Begins a page of its own on paper. */
  readonly flow?: 'new-page'
}

function partsOf(report: Report): Part[] {
  const all = report.scope.kind === 'conversation' || report.scope.kind === 'run'
  return [
    { number: '1', title: 'Scope and method', body: scopeAndMethod(report) },
    { number: '2', title: 'Summary', body: summary(report), flow: 'new-page' },
    {
      number: '3',
      title: all ? 'Runs, one by one' : 'High-risk, reviewed and denied actions',
      body: actions(report),
      flow: 'new-page',
    },
    { number: '4', title: 'Findings in code', body: violations(report) },
    { number: '5', title: 'Predicted against observed', body: unforeseenEffects(report) },
    { number: '6', title: 'Performance', body: performance(report) },
    { number: '7', title: 'Security and privacy', body: security(report) },
    {
      number: '8',
      title: 'Access to the record, and changes to the rules',
      body: html`<h3>Who read, exported or verified</h3>${events(report.access, 'Nobody did, in this scope.')}
        <h3>Settings, policy, people, keys and removals</h3>${events(report.changes, 'Nothing was changed, in this scope.')}`,
    },
    { number: '9', title: 'What this report answers', body: answers() },
    { number: 'A', title: 'Hashes, and how to verify', body: appendix(report), flow: 'new-page' },
    { number: 'B', title: 'Analyses that ran', body: analysesThatRan(report), flow: 'new-page' },
  ]
}

function cover(report: Report, period: string): Markup {
  const { checkpoint, verified, findings } = report.record
  return html`<div class="cover"><div class="brand">Countersign</div>
  <h1>${report.title}</h1><div class="period">${period}</div>
  ${
    verified
      ? html`<div class="verdict good"><b>✓ The record is intact</b>All ${number(checkpoint.size)} entries were verified against the chain, the tree and its signatures before this report was made.</div>`
      : html`<div class="verdict bad"><b>✕ The record is damaged</b>${findings.slice(0, 6).map(each => html`<div>${each}</div>`)}${findings.length > 6 && html`<div>… and ${number(findings.length - 6)} more findings.</div>`}</div>`
  }
  <div class="figures">${keyFigures(report).map(([value, label]) => html`<div class="figure"><b>${value}</b>${label}</div>`)}</div>
  <dl class="facts"><dt>prepared</dt><dd>${moment(report.generatedAt)} by ${report.generatedBy}</dd>
    <dt>record</dt><dd><code>${report.record.log}</code></dd>
    <dt>entries</dt><dd>${number(report.entries)} in scope, ${number(checkpoint.size)} on the record</dd>
    <dt>root</dt><dd><code>${checkpoint.root}</code></dd>
    <dt>first key</dt><dd><code>${report.record.firstKey ?? 'none'}</code></dd></dl></div>`
}

/** What a reader wants to know before anything else. */
function keyFigures({ totals, approvals }: Report): [string, string][] {
  return [
    [number(totals.runs), totals.runs === 1 ? 'run' : 'runs'],
    [number(approvals.approved + approvals.denied), 'decided by a reviewer'],
    [number(totals.refused + totals.syntax), 'did not run'],
    [number(totals.people), totals.people === 1 ? 'person' : 'people'],
  ]
}

function periodWords({ from, to, scope }: Report): string {
  if (from === null || to === null) return scope.kind === 'all' ? 'everything on record' : ''
  return day(from) === day(to) ? day(from) : `${day(from)} – ${day(to)}`
}

/** Text inside a CSS string: nothing that could end it. */
const cssText = (text: string) => visible(text).replace(/["\\\n\r<>]/g, ' ')
