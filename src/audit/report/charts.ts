import type { RunCounts } from '../../contract/report.ts'
import { html, type Markup, number } from './html.ts'

type Row = RunCounts & { readonly name: string }

/** Told apart by lightness as well as by colour: reports are printed in black and white. */
const parts = [
  { key: 'success', label: 'succeeded' },
  { key: 'failure', label: 'failed' },
  { key: 'syntax', label: 'syntax error' },
  { key: 'refused', label: 'did not run' },
  { key: 'interrupted', label: 'interrupted' },
] as const

export const legend = (): Markup =>
  html`<p class="legend">${parts.map(
    ({ key, label }) =>
      html`<span><svg width="11" height="11" class="piece" aria-hidden="true"><rect width="11" height="11" class="${key}"/></svg> ${label}</span>`,
  )}</p>`

/** One bar a row, as long as its runs, divided by how they ended. */
export function bars(title: string, rows: readonly Row[], mark: (name: string) => string): Markup {
  const most = Math.max(1, ...rows.map(row => row.runs))
  const [left, width, step] = [62, 150, 22]
  const height = rows.length * step + 4
  return html`<svg class="chart" viewBox="0 0 250 ${height}" role="img" aria-label="${inWords(title, rows)}"><title>${inWords(title, rows)}</title>${rows.map(
    (row, place) => {
      const y = place * step + 4
      let x = left
      const pieces = parts.map(({ key }) => {
        const length = (row[key] / most) * width
        const piece = html`<rect x="${x.toFixed(1)}" y="${y}" width="${length.toFixed(1)}" height="15" class="${length > 0 ? key : 'none'}"/>`
        x += length
        return piece
      })
      return html`<text x="${left - 8}" y="${y + 11.5}" text-anchor="end">${mark(row.name)}</text>${pieces}<text x="${(x + 7).toFixed(1)}" y="${y + 11.5}" class="value">${number(row.runs)}</text>`
    },
  )}<line x1="${left}" x2="${left}" y1="0" y2="${height}" class="axis"/></svg>`
}

/** A column a day; at most a quarter of a year, beyond that the days are put together. */
export function columns(title: string, days: readonly Row[]): Markup {
  const grouped = days.length > 92 ? byMonth(days) : days
  const most = Math.max(1, ...grouped.map(row => row.runs))
  const [left, width, height] = [34, 486, 104]
  const step = width / Math.max(1, grouped.length)
  const wide = Math.min(26, step * 0.72)
  const every = Math.ceil(grouped.length / 9)
  return html`<svg class="chart" viewBox="0 0 528 ${height + 26}" role="img" aria-label="${inWords(title, grouped)}"><title>${inWords(title, grouped)}</title>
    ${[0, 0.5, 1].map(
      part =>
        html`<line x1="${left}" x2="${left + width}" y1="${4 + height * (1 - part)}" y2="${4 + height * (1 - part)}" class="grid"/><text x="${left - 5}" y="${8 + height * (1 - part)}" text-anchor="end" class="value">${number(most * part)}</text>`,
    )}
    ${grouped.map((row, place) => {
      const x = left + place * step + (step - wide) / 2
      let y = 4 + height
      const pieces = parts.map(({ key }) => {
        const tall = (row[key] / most) * height
        y -= tall
        return html`<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${wide.toFixed(1)}" height="${tall.toFixed(1)}" class="${tall > 0 ? key : 'none'}"/>`
      })
      const label =
        place % every === 0
          ? html`<text x="${(x + wide / 2).toFixed(1)}" y="${height + 18}" text-anchor="middle" class="value">${row.name.slice(days.length > 92 ? 0 : 5)}</text>`
          : ''
      return [...pieces, label]
    })}</svg>`
}

/** For who hears the page: the rows with their figures, as far as one would listen. */
function inWords(title: string, rows: readonly Row[]): string {
  const told = rows.slice(0, 12).map(row => `${row.name} ${number(row.runs)}`)
  return `${title}: ${told.join(', ')}${rows.length > 12 ? ` and ${rows.length - 12} more` : ''}`
}

function byMonth(days: readonly Row[]): Row[] {
  const months = new Map<string, Row>()
  for (const { name, ...counts } of days) {
    const month = name.slice(0, 7)
    const sum = months.get(month) ?? {
      name: month,
      runs: 0,
      success: 0,
      failure: 0,
      syntax: 0,
      refused: 0,
      interrupted: 0,
    }
    for (const key of Object.keys(counts) as (keyof RunCounts)[]) sum[key] += counts[key]
    months.set(month, sum)
  }
  return [...months.values()]
}
