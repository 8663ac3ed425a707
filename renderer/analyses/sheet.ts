import type { Cells } from './columns.ts'

/** A workbook unpacks to no more than this: a small file could otherwise fill the memory. */
const mostUnpacked = 256 * 1024 * 1024

/** The first sheet of an Excel workbook: its first row as names, the rest as text. */
export async function readSheet(bytes: Uint8Array): Promise<Cells> {
  const entries = directory(bytes)
  const read = async (name: string) => {
    const entry = entries.get(name)
    return entry ? new TextDecoder().decode(await unpack(bytes, entry)) : null
  }
  const shared = texts(await read('xl/sharedStrings.xml'))
  const first = [...entries.keys()].filter(name => /^xl\/worksheets\/sheet\d+\.xml$/.test(name)).sort(byNumber)[0]
  const sheet = first ? await read(first) : null
  if (!sheet) throw new Error('This is not an Excel workbook, or it has no sheet.')
  const [names = [], ...rows] = cellsOf(sheet, shared)
  return { names, rows }
}

interface Entry {
  readonly offset: number
  readonly packed: number
  readonly size: number
  readonly method: number
}

const byNumber = (a: string, b: string) => Number(/\d+/.exec(a)?.[0]) - Number(/\d+/.exec(b)?.[0])

/** The files of a ZIP archive by its central directory, which stands at its end. */
function directory(bytes: Uint8Array): Map<string, Entry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries = new Map<string, Entry>()
  let end = bytes.length - 22
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--
  if (end < 0) return entries
  let at = view.getUint32(end + 16, true)
  for (let left = view.getUint16(end + 10, true); left > 0 && at + 46 <= bytes.length; left--) {
    if (view.getUint32(at, true) !== 0x02014b50) break
    const [name, extra, comment] = [28, 30, 32].map(place => view.getUint16(at + place, true)) as [
      number,
      number,
      number,
    ]
    entries.set(new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + name)), {
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    })
    at += 46 + name + extra + comment
  }
  return entries
}

async function unpack(bytes: Uint8Array, { offset, packed, size, method }: Entry): Promise<Uint8Array> {
  if (size > mostUnpacked) throw new Error('The workbook is too large.')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true)
  const data = bytes.slice(start, start + packed)
  if (method === 0) return data
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const parts: Uint8Array<ArrayBuffer>[] = []
  let total = 0
  // The size in the directory is a claim; what comes out is counted.
  for (let reader = stream.getReader(); ; ) {
    const { value, done } = await reader.read()
    if (done) break
    total += value.length
    if (total > mostUnpacked) throw new Error('The workbook is too large.')
    parts.push(value as Uint8Array<ArrayBuffer>)
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

function parse(xml: string): Document {
  return new DOMParser().parseFromString(xml, 'application/xml')
}

function texts(xml: string | null): string[] {
  if (!xml) return []
  return [...parse(xml).getElementsByTagName('si')].map(item =>
    [...item.getElementsByTagName('t')].map(t => t.textContent ?? '').join(''),
  )
}

function cellsOf(xml: string, shared: readonly string[]): string[][] {
  return [...parse(xml).getElementsByTagName('row')].map(row => {
    const cells: string[] = []
    for (const cell of row.getElementsByTagName('c')) {
      const at = columnOf(cell.getAttribute('r') ?? '') ?? cells.length
      while (cells.length < at) cells.push('')
      const value = cell.getElementsByTagName('v')[0]?.textContent ?? ''
      const type = cell.getAttribute('t')
      cells[at] =
        type === 's'
          ? (shared[Number(value)] ?? '')
          : type === 'inlineStr'
            ? (cell.textContent ?? '')
            : type === 'b'
              ? String(value === '1')
              : value
    }
    return cells
  })
}

/** `AB12` is the column 27, counted from nil. */
function columnOf(place: string): number | null {
  const letters = /^[A-Z]{1,3}/.exec(place)?.[0]
  return letters ? [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1 : null
}
