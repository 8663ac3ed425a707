import type { Cell } from '../source.ts'
import { type Archive, NotReadable, openArchive } from './zip.ts'

/** A sheet as it is shown: rows of cells, from A1 on. */
export interface Sheet {
  readonly name: string
  readonly rows: readonly (readonly Cell[])[]
  /** More rows or columns stand in the file than are here. */
  readonly cut: boolean
}

const maxSheets = 100
export const maxRows = 20_000
export const maxColumns = 500

/** Reads a workbook (.xlsx): values, not formulas. Text is text, numbers are numbers, dates are written as ISO dates. */
export async function readWorkbook(bytes: Uint8Array<ArrayBuffer>, most = maxRows): Promise<Sheet[]> {
  const archive = openArchive(bytes)
  const workbook = await archive.text('xl/workbook.xml')
  if (workbook === null) throw new NotReadable('It is not an Excel workbook.')
  const targets = await relations(archive)
  const strings = sharedStrings((await archive.text('xl/sharedStrings.xml')) ?? '')
  const isDate = dateStyles((await archive.text('xl/styles.xml')) ?? '')
  const from1904 = /<(?:\w+:)?workbookPr\b[^>]*\bdate1904="(?:1|true)"/.test(workbook)
  const sheets: Sheet[] = []
  for (const [, attributes = ''] of workbook.matchAll(/<(?:\w+:)?sheet\b([^>]*)>/g)) {
    if (sheets.length === maxSheets) break
    const target = targets.get(attribute(attributes, '(?:\\w+:)?id') ?? '')
    const xml = target === undefined ? null : await archive.text(target)
    if (xml === null) continue
    const name = attribute(attributes, 'name') ?? `Sheet ${sheets.length + 1}`
    sheets.push({ name, ...readSheet(xml, most, { strings, isDate, from1904 }) })
  }
  return sheets
}

interface Meaning {
  readonly strings: readonly string[]
  readonly isDate: readonly boolean[]
  readonly from1904: boolean
}

function readSheet(xml: string, most: number, meaning: Meaning): Pick<Sheet, 'rows' | 'cut'> {
  const rows: Cell[][] = []
  let cut = false
  let row = -1
  let column = -1
  for (const [, tag, attributes = '', body = ''] of xml.matchAll(
    /<(?:\w+:)?(row|c)\b([^>]*?)(?:\/>|>(?=\s*<(?:\w+:)?c\b|\s*<\/(?:\w+:)?row>)|>([\s\S]*?)<\/(?:\w+:)?c>)/g,
  )) {
    if (tag === 'row') {
      const given = Number(attribute(attributes, 'r'))
      row = Number.isInteger(given) && given > 0 ? given - 1 : row + 1
      column = -1
      continue
    }
    const place = attribute(attributes, 'r')
    column = place ? columnOf(place) : column + 1
    if (row < 0 || row >= most || column >= maxColumns) {
      cut = true
      continue
    }
    const value = cellOf(attributes, body, meaning)
    if (value === null) continue
    while (rows.length <= row) rows.push([])
    const cells = rows[row] as Cell[]
    while (cells.length < column) cells.push(null)
    cells[column] = value
  }
  return { rows, cut }
}

function cellOf(attributes: string, body: string, { strings, isDate, from1904 }: Meaning): Cell {
  const type = attribute(attributes, 't') ?? 'n'
  if (type === 'inlineStr') return texts(body)
  const raw = /<(?:\w+:)?v\b[^>]*>([^<]*)</.exec(body)?.[1]
  if (raw === undefined || raw === '') return null
  switch (type) {
    case 's':
      return strings[Number(raw)] ?? null
    case 'b':
      return raw === '1' || raw === 'true'
    case 'str':
    case 'e':
    case 'd':
      return plain(raw)
    default: {
      const number = Number(raw)
      if (!Number.isFinite(number)) return plain(raw)
      return isDate[Number(attribute(attributes, 's') ?? 0)] ? dateOf(number, from1904) : number
    }
  }
}

/** Days since the end of 1899, with a 29th of February 1900 that never was. */
export function dateOf(serial: number, from1904 = false): string {
  const days = from1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial
  const ms = Math.round((days - 25_569) * 86_400_000)
  if (Math.abs(ms) > 8.64e15) return String(serial)
  const iso = new Date(ms).toISOString()
  if (serial >= 0 && serial < 1) return iso.slice(11, 19)
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ')
}

const columnOf = (place: string): number => {
  let column = 0
  for (const letter of /^[A-Z]{1,4}/.exec(place)?.[0] ?? 'A') column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

/** What a column without a heading is called. */
export function letters(column: number): string {
  let name = ''
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name
  return name
}

async function relations(archive: Archive): Promise<Map<string, string>> {
  const xml = (await archive.text('xl/_rels/workbook.xml.rels')) ?? ''
  const found = [...xml.matchAll(/<(?:\w+:)?Relationship\b([^>]*)>/g)].map(([, attributes = '']) => {
    const target = attribute(attributes, 'Target') ?? ''
    return [attribute(attributes, 'Id') ?? '', target.startsWith('/') ? target.slice(1) : `xl/${target}`] as const
  })
  return new Map(found)
}

const sharedStrings = (xml: string): string[] =>
  [...xml.matchAll(/<(?:\w+:)?si\b[^>]*?(?:\/>|>([\s\S]*?)<\/(?:\w+:)?si>)/g)].map(([, body = '']) => texts(body))

/** All runs of a text, without how it is pronounced. */
const texts = (body: string): string =>
  [...body.replace(/<(?:\w+:)?rPh\b[\s\S]*?<\/(?:\w+:)?rPh>/g, '').matchAll(/<(?:\w+:)?t\b[^>]*>([^<]*)</g)]
    .map(([, text = '']) => plain(text))
    .join('')

/** By style: whether its number format shows a date or a time. */
function dateStyles(xml: string): boolean[] {
  const custom = new Map(
    [...xml.matchAll(/<(?:\w+:)?numFmt\b([^>]*)>/g)].map(([, attributes = '']) => [
      attribute(attributes, 'numFmtId') ?? '',
      attribute(attributes, 'formatCode') ?? '',
    ]),
  )
  const styles = /<(?:\w+:)?cellXfs\b[^>]*>([\s\S]*?)<\/(?:\w+:)?cellXfs>/.exec(xml)?.[1] ?? ''
  return [...styles.matchAll(/<(?:\w+:)?xf\b([^>]*)>/g)].map(([, attributes = '']) => {
    const id = attribute(attributes, 'numFmtId') ?? '0'
    const code = custom.get(id)
    if (code !== undefined)
      return /[ymdhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, '')) && !/General/i.test(code)
    const number = Number(id)
    return (number >= 14 && number <= 22) || (number >= 45 && number <= 47)
  })
}

const attribute = (attributes: string, name: string): string | null => {
  const found = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1]
  return found === undefined ? null : plain(found)
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const plain = (text: string): string =>
  text
    .replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
      if (name) return named[name] ?? whole
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    })
    .replace(/_x([0-9A-F]{4})_/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
