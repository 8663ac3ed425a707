import { hash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { workerFile } from '../places.ts'
import { damageIn, RecordScan } from '../storage/record/scan.ts'
import { bodyBytes } from './bodies.ts'
import { checkIndex, type IndexAnswer } from './check-index.ts'

export interface BodiesAnswer {
  /** 32 bytes for each text that is there. */
  readonly hashes: Uint8Array
  readonly changed: readonly string[]
  /** What the database said where it could not be read on. */
  readonly damage: string | null
}

/** So many texts and entries are checked sooner than a thread is started. */
const few = 3000

export interface StoresAnswer {
  readonly bodies: BodiesAnswer
  readonly index: IndexAnswer
}

/** Checks the body store and the index, beside the caller who walks the chain where there is much of it. */
export async function checkStores(
  { file, texts, entries }: { file: string; texts: number; entries: number },
  signal: AbortSignal,
): Promise<StoresAnswer> {
  if (texts <= few && entries <= few) return { bodies: hashAll(file), index: checkIndex(file, entries) }
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile('audit'), { workerData: { file, entries } })
    const stop = () => void worker.terminate()
    signal.addEventListener('abort', stop)
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop)
      reject(new Error('the check beside the chain ended without an answer'))
    })
  })
}

/** Hashes every text of the body store, in the order in which they lie on the disk. */
export function hashAll(file: string): BodiesAnswer {
  const scan = new RecordScan(file)
  const hashes: Buffer[] = []
  const changed: string[] = []
  let damage: string | null = null
  try {
    for (const row of scan.bodies()) {
      hashes.push(Buffer.from(row.hash, 'hex'))
      const bytes = bodyBytes(row)
      if (!bytes || hash('sha256', bytes) !== row.hash) changed.push(row.hash)
    }
  } catch (error) {
    damage = damageIn(error)
  } finally {
    scan.close()
  }
  return { hashes: new Uint8Array(Buffer.concat(hashes)), changed, damage }
}

/** Which texts entries refer to, kept as bytes: as strings a million of them would keep a million entries in memory. */
export class References {
  #hashes = Buffer.alloc(32 * 1024)
  #seqs: number[] = []

  add(hash: string, seq: number): void {
    const at = this.#seqs.length * 32
    if (at === this.#hashes.length) this.#hashes = Buffer.concat([this.#hashes, Buffer.alloc(at)])
    this.#hashes.write(hash, at, 32, 'hex')
    this.#seqs.push(seq)
  }

  /** Those that are not there or not whole, with the first entry that refers to each. */
  *wrong({ hashes, changed }: BodiesAnswer): Generator<{ hash: string; state: 'missing' | 'changed'; seq: number }> {
    const bad = new Set(changed)
    const present = new Set<string>()
    const all = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.length)
    for (let at = 0; at < all.length; at += 32) present.add(all.toString('latin1', at, at + 32))
    const told = new Set<string>()
    for (const [place, seq] of this.#seqs.entries()) {
      const isThere = present.has(this.#hashes.toString('latin1', place * 32, place * 32 + 32))
      if (isThere && bad.size === 0) continue
      const hash = this.#hashes.toString('hex', place * 32, place * 32 + 32)
      if ((isThere && !bad.has(hash)) || told.has(hash)) continue
      told.add(hash)
      yield { hash, state: isThere ? 'changed' : 'missing', seq }
    }
  }
}
