import { hash } from 'node:crypto'
import { literal, TokenBook, type TokenEntry, type ValueKind } from './tokens.ts'

/**
 * A book for texts of any size. Of a value it remembers a digest and which token it has: some forty bytes, however long
 * the value is. It cannot put anything back; what it added is taken away and kept elsewhere, or by nobody.
 */
export class DigestBook extends TokenBook {
  /** Open addressing: four words of the digest, then the number and the type of the token, which is 0 for a free place. */
  #slots = new Uint32Array(width * 1024)
  #used = 0
  readonly #types: string[] = ['']
  readonly #numbers = new Map<string, { index: number; last: number }>()
  readonly #keeps: boolean
  #fresh: TokenEntry[] = []

  /** `keeps`: whether somebody takes what is added; without, values are gone at once. */
  constructor(keeps: boolean) {
    super()
    this.#keeps = keeps
  }

  /** Takes up tokens that were given out before. */
  know(entries: Iterable<TokenEntry>): void {
    for (const { type, value, kind, token } of entries) {
      const number = Number(token.slice(type.length + 2, -1))
      const counter = this.#counter(type)
      counter.last = Math.max(counter.last, number)
      this.#put(digestOf(kind, value), number, counter.index)
    }
  }

  override tokenFor(type: string, value: string, kind: ValueKind = 'text'): string {
    const digest = digestOf(kind, value)
    const at = placeOf(this.#slots, digest)
    const known = this.#slots[at + 5] ?? 0
    if (known !== 0) return `[${this.#types[known]}_${this.#slots[at + 4]}]`
    const counter = this.#counter(type)
    counter.last++
    // A token that stood in a text before is somebody else's.
    while (this.#numbers.has(literal) && this.#has(`[${type}_${counter.last}]`)) counter.last++
    this.#put(digest, counter.last, counter.index)
    const token = `[${type}_${counter.last}]`
    if (this.#keeps) this.#fresh.push({ token, type, value, kind })
    return token
  }

  override takeAdded(): TokenEntry[] {
    const added = this.#fresh
    this.#fresh = []
    return added
  }

  #has(text: string): boolean {
    return this.#slots[placeOf(this.#slots, digestOf('text', text)) + 5] !== 0
  }

  #counter(type: string): { index: number; last: number } {
    const known = this.#numbers.get(type)
    if (known) return known
    const made = { index: this.#types.push(type) - 1, last: 0 }
    this.#numbers.set(type, made)
    return made
  }

  #put(digest: Uint32Array, number: number, type: number): void {
    if (++this.#used * width * 1.5 > this.#slots.length) this.#grow()
    const at = placeOf(this.#slots, digest)
    this.#slots.set(digest, at)
    this.#slots[at + 4] = number
    this.#slots[at + 5] = type
  }

  #grow(): void {
    const before = this.#slots
    this.#slots = new Uint32Array(before.length * 2)
    for (let at = 0; at < before.length; at += width) {
      if (before[at + 5] === 0) continue
      this.#slots.set(before.subarray(at, at + width), placeOf(this.#slots, before.subarray(at, at + 4)))
    }
  }
}

const width = 6

/** Where a digest is, or the free place where it belongs. */
function placeOf(slots: Uint32Array, digest: Uint32Array): number {
  const count = slots.length / width
  let slot = (digest[0] ?? 0) & (count - 1)
  for (;;) {
    const at = slot * width
    if (slots[at + 5] === 0) return at
    if (
      slots[at] === digest[0] &&
      slots[at + 1] === digest[1] &&
      slots[at + 2] === digest[2] &&
      slots[at + 3] === digest[3]
    )
      return at
    slot = (slot + 1) & (count - 1)
  }
}

/** 128 bits, so that no two values ever share a token. From UTF-16: in UTF-8 all broken characters are the same one. */
function digestOf(kind: ValueKind, value: string): Uint32Array {
  const bytes = hash('sha256', Buffer.from(`${kind}:${value}`, 'utf16le'), 'buffer')
  return Uint32Array.of(bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8), bytes.readUInt32LE(12))
}
