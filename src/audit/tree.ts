import { Frontier, nodeHash } from '../../resources/verify.mjs'
import type { Finding } from '../contract/audit.ts'
import type { Transaction } from '../storage/storage.ts'

/** Full subtrees of 2^8, 2^16 … entries are kept as tiles, so that a root or a proof reads few hashes. */
const tileLevels = [8, 16, 24] as const

/** Roots of any stretch of the record, from its tiles and entries. Holds on to what it has read. */
export class StoredTree {
  readonly #db: Transaction
  readonly #known = new Map<string, string>()
  readonly #leaves = new Map<number, readonly string[]>()

  constructor(db: Transaction) {
    this.#db = db
  }

  /** The root over entries `start` to `end - 1`; `start` is where a subtree of that width begins. */
  async root(start: number, end: number): Promise<string> {
    const name = `${start}-${end}`
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const root = (await this.frontier(start, end)).root()
    this.#known.set(name, root)
    return root
  }

  /** The tree over the same entries, or as many of them as there are. */
  async frontier(start: number, end: number): Promise<Frontier> {
    const frontier = new Frontier()
    let from = start
    for (const level of [...tileLevels].reverse()) {
      const width = 2 ** level
      const tiles = await this.#tiles(level, from / width, Math.floor(end / width))
      for (const tile of tiles) frontier.push(tile, level)
      from += tiles.length * width
    }
    for (const leaf of await this.#hashes(from, end)) frontier.push(leaf)
    return frontier
  }

  /** RFC 9162 inclusion proof of entry `index` in the tree of the first `size` entries. */
  async path(index: number, size: number): Promise<string[]> {
    const path: string[] = []
    let start = 0
    let end = size
    while (end - start > 1) {
      const middle = start + largestPowerBelow(end - start)
      if (index < middle) {
        path.unshift(await this.root(middle, end))
        end = middle
      } else {
        path.unshift(await this.root(start, middle))
        start = middle
      }
    }
    return path
  }

  /** Keeps the roots of all full subtrees up to `size` that are not kept yet. */
  async keepTiles(size: number): Promise<void> {
    for (const [below, level] of tileLevels.entries()) {
      const last = await this.#db
        .selectFrom('audit_tiles')
        .select(eb => eb.fn.max('place').as('place'))
        .where('level', '=', level)
        .executeTakeFirst()
      const full = Math.floor(size / 2 ** level)
      for (let place = (last?.place ?? -1) + 1; place < full; place++) {
        const parts =
          below === 0 ? await this.#block(place) : await this.#tiles(level - 8, place * 256, place * 256 + 256)
        await this.#db
          .insertInto('audit_tiles')
          .values({ level, place, hash: fold(parts) })
          .execute()
      }
    }
  }

  async #tiles(level: number, first: number, end: number): Promise<readonly string[]> {
    if (!Number.isInteger(first) || first >= end) return []
    const rows = await this.#db
      .selectFrom('audit_tiles')
      .select(['place', 'hash'])
      .where('level', '=', level)
      .where('place', '>=', first)
      .where('place', '<', end)
      .orderBy('place')
      .execute()
    // Tiles are kept at checkpoints; beyond the last one there is a gap, and the entries speak for themselves.
    const upToGap = rows.findIndex((row, at) => row.place !== first + at)
    return (upToGap === -1 ? rows : rows.slice(0, upToGap)).map(row => row.hash)
  }

  async #hashes(start: number, end: number): Promise<readonly string[]> {
    const hashes: string[] = []
    for (let from = start; from < end; ) {
      const place = Math.floor(from / 256)
      const to = Math.min(end, (place + 1) * 256)
      const block = await this.#block(place)
      hashes.push(...block.slice(from - place * 256, to - place * 256))
      from = to
    }
    return hashes
  }

  async #block(place: number): Promise<readonly string[]> {
    const known = this.#leaves.get(place)
    if (known) return known
    const rows = await this.#db
      .selectFrom('audit_entries')
      .select('hash')
      .where('seq', '>=', place * 256)
      .where('seq', '<', place * 256 + 256)
      .orderBy('seq')
      .execute()
    const hashes = rows.map(row => row.hash)
    if (this.#leaves.size > 64) this.#leaves.clear()
    if (hashes.length === 256) this.#leaves.set(place, hashes)
    return hashes
  }
}

/** The kept subtrees, to be compared with what the entries give. */
export class KeptTiles {
  readonly #kept: Map<string, string>
  readonly #wrong: { level: number; place: number }[] = []

  private constructor(kept: Map<string, string>) {
    this.#kept = kept
  }

  static async read(db: Transaction): Promise<KeptTiles> {
    const rows = await db.selectFrom('audit_tiles').selectAll().execute()
    return new KeptTiles(new Map(rows.map(({ level, place, hash }) => [`${level} ${place}`, hash])))
  }

  compare(level: number, place: number, root: string): void {
    if (level < tileLevels[0]) return
    const name = `${level} ${place}`
    const kept = this.#kept.get(name)
    this.#kept.delete(name)
    if (kept !== undefined && kept !== root) this.#wrong.push({ level, place })
  }

  /** Also those that belong to no entries at all. */
  findings(): Finding[] {
    const left = [...this.#kept.keys()].map(name => name.split(' ').map(Number))
    for (const [level = 0, place = 0] of left) this.#wrong.push({ level, place })
    return this.#wrong.slice(0, 100).map(({ level, place }) => {
      const first = place * 2 ** level
      const last = first + 2 ** level - 1
      return { kind: 'index', message: `The kept hash over entries ${first} to ${last} is wrong.`, seq: first, last }
    })
  }
}

function fold(hashes: readonly string[]): string {
  let level = [...hashes]
  while (level.length > 1) {
    level = level.flatMap((hash, at) => (at % 2 === 0 ? [nodeHash(hash, level[at + 1] ?? '')] : []))
  }
  return level[0] ?? ''
}

function largestPowerBelow(count: number): number {
  let power = 1
  while (power * 2 < count) power *= 2
  return power
}
