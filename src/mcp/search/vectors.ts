import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'

const digestBytes = 32
const mostNumbers = 8_192

/**
 * Vectors of texts in a file, by the text's hash: count, digest and numbers, one record behind the other. It can be made
 * again at any time; whatever is no whole record at its end is cut off.
 */
export class VectorFile {
  readonly #file: string
  #known: Map<string, Float32Array> | null = null

  constructor(file: string) {
    this.#file = file
  }

  get(text: string): Float32Array | undefined {
    return this.#all().get(digest(text).toString('hex'))
  }

  add(texts: readonly string[], vectors: readonly Float32Array[]): void {
    const known = this.#all()
    const pieces: Buffer[] = []
    for (const [at, text] of texts.entries()) {
      const vector = vectors[at]
      const key = digest(text)
      if (!vector || vector.length > mostNumbers || known.has(key.toString('hex'))) continue
      known.set(key.toString('hex'), vector)
      const count = Buffer.alloc(4)
      count.writeUInt32LE(vector.length)
      pieces.push(count, key, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength))
    }
    if (pieces.length === 0) return
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
    appendFileSync(this.#file, Buffer.concat(pieces), { mode: 0o600 })
  }

  #all(): Map<string, Float32Array> {
    if (this.#known) return this.#known
    this.#known = new Map()
    const bytes = contents(this.#file)
    let at = 0
    while (at + 4 + digestBytes <= bytes.length) {
      const count = bytes.readUInt32LE(at)
      const from = at + 4 + digestBytes
      if (count === 0 || count > mostNumbers || from + count * 4 > bytes.length) break
      const vector = new Float32Array(count)
      Buffer.from(vector.buffer).set(bytes.subarray(from, from + count * 4))
      this.#known.set(bytes.toString('hex', at + 4, from), vector)
      at = from + count * 4
    }
    if (at < bytes.length) truncateSync(this.#file, at)
    return this.#known
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function contents(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}
