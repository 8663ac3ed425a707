import { tellingThree, wholeNames } from '../fields.ts'
import { openers } from './finders/name.ts'
import { wordSlot } from './marks/layout.ts'
import type { Sieve } from './marks/marks.ts'

/** What the marks are sifted by: a bit for each word, beginning or name that a finder would know. */
export function makeSieve(prefixes: Uint8Array): Sieve {
  const names = new Uint8Array(1 << 16)
  for (const word of openers()) {
    const third = word.length < 3 ? 0 : word.charCodeAt(2)
    const last = word.charCodeAt(word.length - 1)
    names[wordSlot(word.charCodeAt(0), word.charCodeAt(1), third, last, word.length)] = 1
  }
  return {
    prefixes: bitsOf(prefixes),
    names: bitsOf(names),
    threes: bitsOf(tellingThree),
    fields: bitsOf(wholeNames),
  }
}

function bitsOf(flags: Uint8Array): Uint8Array {
  const bits = new Uint8Array(flags.length >> 3)
  for (const [at, flag] of flags.entries()) if (flag) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
  return bits
}
