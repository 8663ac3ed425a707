import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import type { Output } from '../../contract/run.ts'
import { isObject, type Json, type JsonObject } from '../notebooks/format.ts'
import { highlight } from './highlight.ts'
import type { ExportedItem, ExportedPath } from './load.ts'
import { errorText } from './markdown.ts'
import { plainText } from './plain.ts'
import { escapeHtml, safeHtml } from './safe-html.ts'
import { style } from './style.ts'

/** Makes the Markdown of messages, cells and outputs HTML, or shows it as it was written. */
type Markdown = (text: string) => string

/** A path as one page that needs nothing else: no script, nothing loaded, safe to send on. */
export function toHtml(title: string, path: ExportedPath, markdown: Markdown = rendered): string {
  const heading = path.name === 'main' ? title : `${title}: ${path.name}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(heading)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(heading)}</h1>
${path.items.map(item => itemHtml(item, markdown)).join('\n')}
</main>
</body>
</html>
`
}

function itemHtml(item: ExportedItem, markdown: Markdown): string {
  if (item.kind === 'message') {
    return `<section class="message ${item.author}"><p class="author">${item.author}</p>${markdown(item.text)}</section>`
  }
  if (item.language === 'markdown') return `<section class="text">${markdown(item.text)}</section>`
  const language = item.language ?? ''
  const count = item.run?.count
  const label = [
    escapeHtml(language),
    count ? `[${count}]` : '',
    item.run?.stale ? 'stale: changed after this run, or a cell before it that it depends on was' : '',
  ]
  const code = `<pre class="code"><code>${highlight(item.text, language)}</code></pre>`
  const outputs = item.outputs.map(({ output }) => outputHtml(output, markdown)).join('\n')
  return `<section class="cell"><p class="label">${label.filter(Boolean).join(' · ')}</p>${code}${outputs}</section>`
}

export const asWritten: Markdown = text => pre(text)

function rendered(text: string): string {
  // Two guards: micromark lets no HTML and no odd addresses through, and the allowed list drops pictures from elsewhere.
  return safeHtml(micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] }))
}

function outputHtml(output: Output, markdown: Markdown): string {
  switch (output.type) {
    case 'stream':
      return pre(plainText(output.text), output.name === 'stderr' ? 'output stderr' : 'output')
    case 'notice':
      return `<p class="notice">${escapeHtml(output.text)}</p>`
    case 'error':
      return pre(plainText(errorText(output.error)), 'output error')
    case 'display':
    case 'result':
      return `<div class="output">${dataHtml(output.data, markdown)}</div>`
  }
}

function dataHtml(data: JsonObject, markdown: Markdown): string {
  for (const type of ['image/png', 'image/jpeg', 'image/gif', 'image/webp']) {
    const image = data[type]
    if (typeof image === 'string' && /^[A-Za-z0-9+/=\s]+$/.test(image))
      return picture(type, image.replace(/\s/g, ''), data)
  }
  const svg = data['image/svg+xml']
  // As the source of a picture an SVG runs no script and loads nothing.
  if (typeof svg === 'string') return picture('image/svg+xml', Buffer.from(svg).toString('base64'), data)
  for (const [type, value] of Object.entries(data)) {
    if (/^application\/vnd\.dataresource\+json$/.test(type) && isObject(value)) return table(value.data)
    if (/^application\/vnd\.vegalite\./.test(type) && isObject(value)) return chart(value)
  }
  const html = data['text/html']
  if (typeof html === 'string') return `<div class="rich">${safeHtml(html)}</div>`
  const prose = data['text/markdown']
  if (typeof prose === 'string') return markdown(prose)
  const text = data['text/plain'] ?? data['text/latex']
  if (typeof text === 'string') return pre(plainText(text))
  const [value] = Object.values(data)
  return value === undefined ? '' : pre(typeof value === 'string' ? value : JSON.stringify(value, null, 2))
}

function picture(type: string, base64: string, data: JsonObject): string {
  const words = data['text/plain']
  const alt = typeof words === 'string' ? words.slice(0, 200) : 'output'
  return `<img alt="${escapeHtml(alt)}" src="data:${type};base64,${base64}">`
}

/** A page without script cannot draw a chart; it shows the numbers behind it. */
function chart(spec: JsonObject): string {
  const title = isObject(spec.title) ? spec.title.text : spec.title
  const caption = typeof title === 'string' ? title : 'Chart'
  const values = isObject(spec.data) ? spec.data.values : undefined
  return `<figure><figcaption>${escapeHtml(caption)} (data of the chart)</figcaption>${table(values)}</figure>`
}

const maxRows = 1000

function table(rows: Json | undefined): string {
  if (!Array.isArray(rows)) return pre(JSON.stringify(rows ?? null, null, 2))
  const shown = rows.slice(0, maxRows).filter(isObject)
  const columns = [...new Set(shown.flatMap(row => Object.keys(row)))]
  const head = columns.map(name => `<th scope="col">${escapeHtml(name)}</th>`).join('')
  const body = shown.map(row => `<tr>${columns.map(name => cellHtml(row[name])).join('')}</tr>`).join('\n')
  const more = rows.length > maxRows ? `<p class="notice">${rows.length - maxRows} more rows</p>` : ''
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>${more}`
}

function cellHtml(value: Json | undefined): string {
  if (typeof value === 'number') return `<td class="number">${value}</td>`
  const text = value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  return `<td>${escapeHtml(text)}</td>`
}

const pre = (text: string, name = 'output') => `<pre class="${name}">${escapeHtml(text)}</pre>`
