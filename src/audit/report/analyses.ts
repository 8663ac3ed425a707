import type { Report, ReportRun, WorkedExample } from '../../contract/report.ts'
import { counted, html, type Markup, number } from './html.ts'

type Ran = Report['analyses'][number]

/** Gathers the analyses that ran, each version by the hash that the record has of it. */
export class AnalysesThatRan {
  readonly #ran = new Map<string, Ran>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  take({ analysis: mark, result }: Pick<ReportRun, 'analysis' | 'result'>): void {
    if (!mark || result === 'refused' || result === 'syntax') return
    const { analysis, version, title, origin, status, sha256, citations, examples, untouched, count } = mark
    const key = `${analysis} ${version} ${sha256}`
    if (!this.#ran.has(key) && this.#ran.size >= this.#most) return
    const about = { analysis, version, title, origin, status, sha256, citations, examples }
    const known = this.#ran.get(key) ?? { ...about, untouched: 0, touched: 0, cases: 0, worked: null }
    this.#ran.set(key, known)
    known[untouched ? 'untouched' : 'touched']++
    known.cases += count
  }

  list(): Ran[] {
    return [...this.#ran.values()].sort((a, b) => compare(a.analysis, b.analysis) || compare(a.version, b.version))
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export function analysesThatRan({ analyses }: Pick<Report, 'analyses'>): Markup {
  if (analyses.length === 0) return html`<p>None ran in this scope.</p>`
  return html`<p>Calculations of the catalogue that ran, whatever their risk. The hash is over the definition, the dated
    values, the code and the examples of that version; an evidence bundle holds these texts under it.</p>${analyses.map(one)}`
}

function one({ analysis, version, title, origin, status, sha256, citations, examples, worked, ...ran }: Ran): Markup {
  return html`<article class="action">
    <header><h3>${title}</h3></header>
    <dl class="facts">
      <dt>analysis</dt><dd>${analysis} ${version}, ${origin === 'own' ? 'of the user’s own folder' : 'of the catalogue'}</dd>
      <dt>SHA-256</dt><dd><code>${sha256}</code></dd>
      <dt>values</dt><dd>${status}</dd>
      <dt>ran</dt><dd>${counted(ran.untouched + ran.touched, 'run')} with ${counted(ran.cases, 'case')}; ${number(ran.touched)} with code of the analyst</dd>
      <dt>examples</dt><dd>${number(examples.official)} official, ${number(examples.other)} other, ${number(examples.computed)} computed</dd>
      <dt>law</dt><dd>${citations.length === 0 ? 'none cited' : citations.map(each => html`<div>${each}</div>`)}</dd>
    </dl>
    ${worked === null ? html`<p>The texts of this version are not here any more, or may not leave.</p>` : workedExamples(worked)}
  </article>`
}

function workedExamples(worked: readonly WorkedExample[]): Markup {
  return html`<table>
    <caption>Worked examples, which this version was tested with</caption>
    <thead><tr><th>example</th><th>inputs</th><th>must come to</th></tr></thead>
    <tbody>${worked.map(
      ({ name, kind, source, input, output }) => html`<tr>
        <td>${name} (${kind}${source === null ? '' : `: ${source}`})</td><td><code>${input}</code></td><td><code>${output}</code></td>
      </tr>`,
    )}</tbody>
  </table>`
}
