import { day, html, Markup, moment, visible } from '../../audit/audit.ts'
import type { ReportContent, ReportFigure } from './content.ts'
import { style } from './style.ts'

/** The report as one file without script. `charts` are the drawings of the charts in it, in order, where there are any. */
export function renderPage(content: ReportContent, charts: readonly (string | null)[]): string {
  const { title, path, question, seal } = content
  const css = style(cssText(`Countersign · ${title}`), seal.checkpoint.root.slice(0, 32))
  const left = [...charts]
  const drawn = content.figures.map(figure =>
    figure.shown.kind === 'chart' && figure.shown.drawing.kind === 'spec' ? (left.shift() ?? null) : null,
  )
  const values = content.figures.filter(({ shown }) => shown.kind === 'value' || shown.kind === 'gone')
  const compared = content.comparison && left.shift()
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${title}</title><style>${new Markup(css)}</style></head><body><main>
<header class="top"><p class="brand">Countersign report</p><h1>${title}</h1>
<p class="path">${path === 'main' ? '' : `Path “${path}” · `}${day(content.madeAt)} · prepared by ${content.madeBy}</p></header>
${question && html`<p class="question">${question}</p>`}
${values.length > 0 && html`<section class="values">${values.map(value)}</section>`}
${content.figures.map((figure, at) => drawing(figure, drawn[at] ?? null))}
${content.comparison && comparison(content.comparison, compared ?? null)}
${decisions(content)}
<section><h2>Where each figure comes from</h2>${content.figures.map(origin)}</section>
${content.code.length > 0 && html`<section><h2>Code</h2>${content.code.map(cell => html`<h3>${cell.name}</h3><pre>${cell.text}</pre>`)}</section>`}
${sealed(content)}
</main></body></html>`.text
}

const mark = (is: boolean, words: string) => is && html` <span class="mark">${words}</span>`
const stale = (is: boolean) => mark(is, 'stale')
/** What a reader must know beside the figure itself, and not only where it comes from. */
const marks = ({ stale: isStale, lineage }: ReportFigure) =>
  html`${stale(isStale)}${mark(lineage.run === null, 'not on the record')}`

function value(figure: ReportFigure): Markup {
  const { name, shown } = figure
  if (shown.kind === 'gone')
    return html`<div class="value"><b>–</b>${name}<br><span class="quiet">${shown.sentence}</span></div>`
  if (shown.kind !== 'value') return html``
  const before = shown.before && html`<br><span class="quiet">before: ${shown.before}</span>`
  return html`<div class="value"><b>${shown.text}</b>${name}${marks(figure)}${before}</div>`
}

function drawing(figure: ReportFigure, svg: string | null): Markup | false {
  const { name, shown } = figure
  if (shown.kind === 'chart')
    return html`<section><h2>${name}${marks(figure)}</h2>${picture(name, shown.drawing, svg)}</section>`
  if (shown.kind !== 'table') return false
  const { columns, rows, more } = shown
  const numeric = columns.map((_, at) => rows.every(row => row[at] === null || isNumber(row[at])))
  return html`<section><h2>${name}${marks(figure)}</h2><table><thead><tr>${columns.map((column, at) => html`<th class="${numeric[at] && 'n'}">${column}</th>`)}</tr></thead>
<tbody>${rows.map(row => html`<tr>${columns.map((_, at) => html`<td class="${numeric[at] && 'n'}">${entry(row[at])}</td>`)}</tr>`)}</tbody></table>
${more > 0 && html`<p class="quiet small">${more.toLocaleString('en')} more rows are in the notebook.</p>`}</section>`
}

type Drawing = Extract<ReportFigure['shown'], { kind: 'chart' }>['drawing']

/** As the source of a picture an SVG runs no script and loads nothing. */
function picture(name: string, drawn: Drawing, svg: string | null): Markup {
  const source =
    drawn.kind === 'spec'
      ? svg && `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
      : drawn.mime === 'image/svg+xml'
        ? `data:image/svg+xml;base64,${Buffer.from(drawn.data).toString('base64')}`
        : /^[A-Za-z0-9+/=\s]+$/.test(drawn.data) && `data:${drawn.mime};base64,${drawn.data.replace(/\s/g, '')}`
  return source
    ? html`<figure><img alt="${name}" src="${source}"></figure>`
    : html`<p class="quiet">This chart could not be drawn on paper; it is in the notebook.</p>`
}

const isNumber = (entry: unknown) =>
  typeof entry === 'number' || (typeof entry === 'string' && /^[-+]?\d+\.\d+$/.test(entry))
const separated = new Intl.NumberFormat('en', { maximumFractionDigits: 6 })
function entry(each: unknown): string {
  if (typeof each === 'number') return separated.format(each)
  if (each === null || each === undefined) return ''
  return typeof each === 'string' ? each : JSON.stringify(each)
}

function comparison({ paths, rows }: NonNullable<ReportContent['comparison']>, svg: string | null): Markup {
  return html`<section><h2>Across paths</h2><table><thead><tr><th>Figure</th>${paths.map(path => html`<th class="n">${path}</th>`)}</tr></thead>
<tbody>${rows.map(row => html`<tr><td>${row.name}</td>${row.values.map(each => html`<td class="n">${each.text}${stale(each.stale)}</td>`)}</tr>`)}</tbody></table>
${svg && picture(`${rows[0]?.name} on each path`, { kind: 'spec', spec: null }, svg)}</section>`
}

function decisions({ decisions: all }: ReportContent): Markup {
  const signed = all.filter(({ by }) => by !== 'policy')
  const allowed = all.length - signed.length
  return html`<section><h2>Decisions</h2>
${signed.length > 0 && html`<table><thead><tr><th>Approved by</th><th>When</th><th>For</th><th>Comment</th></tr></thead><tbody>${signed.map(({ by, at, what, comment }) => html`<tr><td>${by}</td><td class="n">${moment(at)}</td><td>${what}</td><td>${comment}</td></tr>`)}</tbody></table>`}
<p>${signed.length === 0 ? 'No run behind these figures needed a reviewer. ' : ''}${allowed > 0 ? `${allowed} ${allowed === 1 ? 'run was' : 'runs were'} allowed by the policy without a reviewer, as ${allowed === 1 ? 'its' : 'their'} risk permits.` : ''}</p></section>`
}

const noRun = 'none on the record: it was imported, its entry was pruned, or the database was changed'

function origin({ name, lineage: { cell, run, decision, inputs, upstream } }: ReportFigure): Markup {
  const fact = (label: string, text: Markup | string | false | null) => text && html`<dt>${label}</dt><dd>${text}</dd>`
  const files = inputs.files.slice(0, 12)
  return html`<div class="origin"><h3>${name}</h3><dl class="facts">
${fact('Cell', `${cell.language}, revision ${cell.ranRevision ?? cell.revision ?? 'unknown'}`)}
${fact('Code', cell.codeHash && html`<code>${cell.codeHash}</code>`)}
${fact('Run', run ? html`${moment(run.at)} by ${run.by}, risk ${run.risk}<br><code>${run.id}</code>` : noRun)}
${fact('Decision', decision && (decision.by === 'policy' ? 'allowed by the policy' : `approved by ${decision.name}, ${moment(decision.at)}`))}
${fact('Sandbox', run && `${run.sandbox}, isolation ${run.isolation}${run.image ? `, image ${run.image}` : ''}`)}
${fact('Environment', run?.environment ? html`${run.environment.name}<br><code>${run.environment.digest}</code>` : null)}
${fact('Output', run?.outputsMatch === true && 'the same as on the record, by hash')}
${fact('Inputs', files.length > 0 && html`${files.map(file => html`${file.path}${file.read && ' (read)'}<br><code>${file.sha256}</code><br>`)}`)}
${fact('Rests on', upstream.length > 0 && html`${upstream.map(each => html`<code>${each.firstLine}</code><br>`)}`)}
</dl></div>`
}

function sealed({ seal: { checkpoint, ok, entries, findings, notices } }: ReportContent): Markup {
  return html`<section><h2>The record</h2>
<div class="verdict ${ok ? 'good' : 'bad'}"><b>${ok ? 'The record is intact.' : 'The record is damaged.'}</b>
${ok ? `All ${entries.toLocaleString('en')} entries were checked against their hashes, seals and signatures when this report was made.` : html`${findings.map(finding => html`${finding}<br>`)}`}</div>
<dl class="facts"><dt>Checkpoint</dt><dd>over ${checkpoint.size.toLocaleString('en')} entries, signed ${moment(checkpoint.at)}</dd>
<dt>Root</dt><dd><code>${checkpoint.root}</code></dd><dt>Log</dt><dd><code>${checkpoint.log}</code></dd>
<dt>Signing key</dt><dd><code>${checkpoint.key}</code></dd><dt>Signature</dt><dd><code>${checkpoint.signature}</code></dd></dl>
${notices.map(notice => html`<p class="quiet small">${notice}</p>`)}
<p class="quiet small">Compare the root and the fingerprint of the key with those that you noted earlier. An audit bundle of the same record can be checked without this application.</p></section>`
}

/** A text inside a string of a style sheet. */
const cssText = (text: string): string =>
  visible(text).replace(/[\\"<\n]/g, each => `\\${each.charCodeAt(0).toString(16)} `)
