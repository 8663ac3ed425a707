import { hash, timingSafeEqual } from 'node:crypto'

const block = 64

/**
 * HMAC-SHA256 over an entry's number and hash, with a key that the database does not hold: who can write to the
 * database can make the chain anew, but not these. Made of two plain hashes, since the library's own object for it
 * takes three times as long and an entry is written at every step of every run.
 */
export class Seal {
  readonly #inner = Buffer.alloc(block + 40, 0x36)
  readonly #outer = Buffer.alloc(block + 32, 0x5c)

  constructor(key: Uint8Array) {
    if (key.length !== 32) throw new TypeError('the key of a seal has 32 bytes')
    for (const [at, byte] of key.entries()) {
      this.#inner[at] = byte ^ 0x36
      this.#outer[at] = byte ^ 0x5c
    }
  }

  of(seq: number, entryHash: string): Buffer {
    this.#inner.writeBigUInt64BE(BigInt(seq), block)
    this.#inner.write(entryHash, block + 8, 32, 'hex')
    hash('sha256', this.#inner, 'buffer').copy(this.#outer, block)
    return hash('sha256', this.#outer, 'buffer')
  }

  holds(seq: number, entryHash: string, seal: Uint8Array | null): boolean {
    return seal?.length === 32 && timingSafeEqual(this.of(seq, entryHash), seal)
  }
}
