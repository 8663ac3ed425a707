import type { Finding } from '../contract/audit.ts'
import type { Anchor } from './anchor.ts'

export interface SealedRow {
  readonly seq: number
  readonly hash: string
  readonly seal: Uint8Array | null
}

interface Stretch {
  first: number
  last: number
  readonly kind: 'forged' | 'foreign'
}

/** Looks at the seal of every entry and names the stretches where it does not hold. */
export class SealCheck {
  readonly #anchor: Anchor
  readonly #stretches: Stretch[] = []

  constructor(anchor: Anchor) {
    this.#anchor = anchor
  }

  take({ seq, hash, seal }: SealedRow): void {
    const { sealedFrom } = this.#anchor.head
    if (seq < sealedFrom) {
      // From before there were seals. One that has a seal all the same was sealed by another key store.
      if (seal !== null) this.#note(seq, 'foreign')
    } else if (!this.#anchor.seal.holds(seq, hash, seal)) this.#note(seq, 'forged')
  }

  findings(): Finding[] {
    return this.#stretches.map(({ first, last, kind }) => ({
      kind: 'seal',
      message: `${first === last ? `Entry ${first} was` : `Entries ${first} to ${last} were`} ${words[kind]}`,
      seq: first,
      last,
    }))
  }

  #note(seq: number, kind: Stretch['kind']): void {
    const current = this.#stretches.at(-1)
    if (current && current.kind === kind && current.last === seq - 1) current.last = seq
    else if (this.#stretches.length < 1000) this.#stretches.push({ first: seq, last: seq, kind })
  }
}

const words = {
  forged: 'not written by this application: the seal does not hold.',
  foreign: 'sealed with a key that this key store does not hold: the keys were lost or the database was replaced.',
}
