import { guessType } from './dataresource.ts'
import { type Cell, type Column, cellText, columnTable, type TableSource } from './source.ts'

/**
 * A selection as spreadsheets take it with its types: text is marked as such, so that 007 stays 007 and text that looks
 * like a formula is none; numbers go to the last digit.
 */
export function toHtml(
  source: TableSource,
  rows: ArrayLike<number>,
  columns: readonly number[],
  header: boolean,
): string {
  const heading = columns.map(column => `<th${asText}>${escaped(source.columns[column]?.name ?? '')}</th>`)
  const lines = header ? [`<tr>${heading.join('')}</tr>`] : []
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? 0
    lines.push(`<tr>${columns.map(column => htmlCell(source, row, column)).join('')}</tr>`)
  }
  return `<table>${lines.join('')}</table>`
}

const asText = ` style="mso-number-format:'\\@'"`

function htmlCell(source: TableSource, row: number, column: number): string {
  const cell = source.value(row, column)
  if (cell === null) return '<td></td>'
  if (typeof cell === 'boolean') return `<td>${cell ? 'TRUE' : 'FALSE'}</td>`
  const type = source.columns[column]?.type
  // Exact decimals and dates are kept as text here, and meant as what they are.
  const isText = typeof cell === 'string' && type !== 'number' && type !== 'time'
  return `<td${isText ? asText : ''}>${escaped(cellText(cell))}</td>`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const mostRows = 200_000
const mostColumns = 1_000

/** A range that was copied in a spreadsheet; null where it is none: a single value, or prose. */
export function pastedTable(html: string, text: string): TableSource | null {
  const cells = fromHtml(html) ?? fromText(text)
  const width = cells.reduce((most, row) => Math.max(most, row.length), 0)
  if (cells.length < 2 || width < 2 || width > mostColumns || cells.length > mostRows) return null
  const first = cells[0] ?? []
  const hasHeadings = first.length === width && first.every(cell => cell.shown !== '' && typed(cell) === cell.shown)
  const body = hasHeadings ? cells.slice(1) : cells
  const values = Array.from({ length: width }, (_, column) => columnOf(body.map(row => row[column] ?? nothing)))
  const columns = values.map((column, index): Column => {
    const isText = column.some(value => typeof value === 'string')
    const type = guessType(column)
    const name = hasHeadings ? (first[index]?.shown ?? '') : `column ${index + 1}`
    return { name, type: isText && type === 'number' ? 'text' : type }
  })
  return columnTable(columns, values)
}

/** A cell as it was shown, and the value behind it where the spreadsheet tells. */
interface Pasted {
  readonly shown: string
  readonly value?: Cell
}

const nothing: Pasted = { shown: '' }

/** Values where the whole column has them; one odd cell, and the column stays as it was shown. */
function columnOf(cells: readonly Pasted[]): Cell[] {
  const found = cells.map(cell => (cell.shown === '' && cell.value === undefined ? null : typed(cell)))
  const kinds = new Set(found.filter(value => value !== null).map(value => typeof value))
  return kinds.size <= 1 ? found : cells.map(({ shown }) => (shown === '' ? null : shown))
}

function typed({ shown, value }: Pasted): Cell {
  if (value !== undefined) return value
  if (/^(true|false)$/i.test(shown)) return shown.toLowerCase() === 'true'
  const match = /^(\()?([+-]?)(0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)?(\.\d+)?(e[+-]?\d{1,3})?(\))?(\s?%)?$/i.exec(shown)
  if (!match || (match[3] === undefined && match[4] === undefined) || Boolean(match[1]) !== Boolean(match[6]))
    return shown
  const number = Number(`${match[2]}${(match[3] ?? '0').replaceAll(',', '')}${match[4] ?? ''}${match[5] ?? ''}`)
  const signed = match[1] ? -number : number
  return match[7] ? Number((signed / 100).toPrecision(15)) : signed
}

function fromText(text: string): Pasted[][] {
  if (!text.includes('\t')) return []
  const lines = text
    .replace(/\r\n?/g, '\n')
    .replace(/\n$/, '')
    .split('\n', mostRows + 1)
  return lines.map(line => line.split('\t').map(shown => ({ shown: shown.trim() })))
}

/** The first table of what a spreadsheet puts on the clipboard. Parsed, never put on the page. */
function fromHtml(html: string): Pasted[][] | null {
  if (!/<table/i.test(html)) return null
  const table = new DOMParser().parseFromString(html, 'text/html').querySelector('table')
  if (!table) return null
  const rows = [...table.querySelectorAll('tr')].map(row => [...row.querySelectorAll('td, th')].map(behind))
  return rows.filter(row => row.length > 0)
}

/** Each spreadsheet has an attribute of its own for the value behind what is shown. */
function behind(cell: Element): Pasted {
  const shown = (cell.textContent ?? '').replace(/\s+/g, ' ').trim()
  const number = cell.getAttribute('sdval') ?? cell.getAttribute('x:num')
  if (number && Number.isFinite(Number(number))) return { shown, value: Number(number) }
  const isText = /mso-number-format:\s*['"]?\\?@/.test(cell.getAttribute('style') ?? '') || cell.hasAttribute('x:str')
  if (isText) return { shown, value: shown }
  const google = cell.getAttribute('data-sheets-value')
  const value = google === null ? undefined : fromGoogle(google)
  return value === undefined ? { shown } : { shown, value }
}

function fromGoogle(json: string): Cell | undefined {
  try {
    const { 1: kind, 2: text, 3: number, 4: truth } = JSON.parse(json) as Record<string, unknown>
    if (kind === 2 && typeof text === 'string') return text
    if (kind === 3 && typeof number === 'number') return number
    return kind === 4 ? truth === 1 : undefined
  } catch {
    return undefined
  }
}

/** Python that reads what was pasted with its types. */
export function readingCode(file: string, { columns }: TableSource): string {
  const named = (type: Column['type']) =>
    columns.filter(column => column.type === type).map(({ name }) => JSON.stringify(name))
  const texts = named('text').map(name => `${name}: "string"`)
  const times = named('time')
  const options = [
    ...(texts.length > 0 ? [`dtype={${texts.join(', ')}}`] : []),
    ...(times.length > 0 ? [`parse_dates=[${times.join(', ')}]`] : []),
  ]
  return `import pandas as pd\n\npasted = pd.read_csv(${[JSON.stringify(file), ...options].join(', ')})\npasted`
}
