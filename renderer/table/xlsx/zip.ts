/** A ZIP archive as far as spreadsheets use it. Whatever its headers say is a claim: every read is inside the file. */
export interface Archive {
  readonly names: readonly string[]
  /** The text of an entry; null where there is none by that name. */
  text(name: string): Promise<string | null>
}

export class NotReadable extends Error {}

const maxEntries = 10_000
/** A small file can unfold to gigabytes. */
const maxUnfolded = 128 * 1024 * 1024

interface Entry {
  readonly method: number
  readonly size: number
  readonly at: number
}

export function openArchive(bytes: Uint8Array<ArrayBuffer>): Archive {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endRecord(view)
  const count = view.getUint16(end + 10, true)
  if (count > maxEntries) throw new NotReadable('It holds too many parts.')
  const entries = new Map<string, Entry>()
  let at = view.getUint32(end + 16, true)
  for (let n = 0; n < count; n++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) throw damaged()
    const nameLength = view.getUint16(at + 28, true)
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength))
    entries.set(name.replace(/^\//, ''), {
      method: view.getUint16(at + 10, true),
      size: view.getUint32(at + 20, true),
      at: view.getUint32(at + 42, true),
    })
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  let budget = maxUnfolded
  return {
    names: [...entries.keys()],
    async text(name) {
      const entry = entries.get(name)
      if (!entry) return null
      const unfolded = await unfold(dataOf(bytes, view, entry), entry.method, budget)
      budget -= unfolded.length
      return new TextDecoder().decode(unfolded)
    },
  }
}

const damaged = () => new NotReadable('The file is damaged, or it is no workbook.')

function endRecord(view: DataView): number {
  const lowest = Math.max(0, view.byteLength - 65_557)
  for (let at = view.byteLength - 22; at >= lowest; at--) if (view.getUint32(at, true) === 0x06054b50) return at
  throw damaged()
}

function dataOf(bytes: Uint8Array<ArrayBuffer>, view: DataView, { at, size }: Entry): Uint8Array<ArrayBuffer> {
  if (at + 30 > bytes.length || view.getUint32(at, true) !== 0x04034b50) throw damaged()
  const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  if (start + size > bytes.length) throw damaged()
  return bytes.subarray(start, start + size)
}

async function unfold(data: Uint8Array<ArrayBuffer>, method: number, most: number): Promise<Uint8Array> {
  if (method === 0) return data
  if (method !== 8) throw new NotReadable('It is packed in a way that is not known here.')
  const reader = new Blob([data]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw damaged()
    })
    if (done) break
    length += value.length
    if (length > most) {
      await reader.cancel()
      throw new NotReadable('It unpacks to more than can be shown.')
    }
    pieces.push(value)
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}
