import { tellingThree, wholeNames } from '../fields.ts'
import type { Compiled, Entry, Worded } from './compile.ts'
import { openers } from './finders/name.ts'
import { betweenLabelAndValue } from './labels.ts'
import { fourSlot, kindOf, looksSlot, runsSlot, wordSlot } from './marks/layout.ts'
import type { Sieve } from './marks/marks.ts'
import type { ShapeTree } from './shapes.ts'

/** What the marks are sifted by: a bit for each word, beginning or name that a finder would know. */
export const makeSieve = ({ prefixes, labels, shapes, words, context }: Omit<Compiled, 'sieve'>): Sieve => ({
  prefixes: bitsOf(prefixesOf(prefixes, false)),
  longPrefixes: bitsOf(prefixesOf(prefixes, true)),
  names: bitsOf(namesOf(openers())),
  threes: bitsOf(tellingThree),
  fields: bitsOf(wholeNames),
  labels: bitsOf(labels.ends),
  between: bitsOf(betweenLabelAndValue),
  runs: bitsOf(runsOf(shapes)),
  words: bitsOf(wordsOf(words)),
  speaking: labels.bits.map((bits, at) => bits | (context.lastWords[at] ?? 0)),
})

/** Beginnings of prefixes that are short, or with their fourth character those of longer ones. */
function prefixesOf(prefixes: Compiled['prefixes'], long: boolean): Uint8Array {
  const flags = new Uint8Array(1 << 16)
  for (const [slot, list] of prefixes) {
    for (const { prefix } of list)
      if (prefix.length > 3 === long) flags[long ? fourSlot(slot, prefix.charCodeAt(3)) : slot] = 1
  }
  return flags
}

function namesOf(openers: readonly string[]): Uint8Array {
  const flags = new Uint8Array(1 << 16)
  for (const word of openers) {
    const third = word.length < 3 ? 0 : word.charCodeAt(2)
    const last = word.charCodeAt(word.length - 1)
    flags[wordSlot(word.charCodeAt(0), word.charCodeAt(1), third, last, word.length)] = 1
  }
  return flags
}

/** Runs of digits stand in the first half of a tree, those of letters in the second. */
const half = 32

function runsOf({ runs }: ShapeTree): Uint8Array {
  const flags = new Uint8Array(1 << 13)
  for (const [place, first] of runs.entries()) {
    const isDigits = place < half
    for (const [second, run] of runsBehind(first, isDigits)) {
      flags[runsSlot(isDigits, place % half, second, 0)] = 1
      for (const [third] of runsBehind(run, !isDigits)) flags[runsSlot(isDigits, place % half, second, third)] = 1
    }
  }
  return flags
}

/** The runs of the other kind that may follow without a separator, by length. */
const runsBehind = (run: ShapeTree['runs'][number], isDigits: boolean): [number, ShapeTree['runs'][number]][] =>
  (run?.next[0]?.runs ?? []).flatMap((next, place) => (next && place < half !== isDigits ? [[place % half, next]] : []))

/** Which kinds of character may stand where `looks` says so. */
const kindsFor: Readonly<Record<string, readonly number[]>> = { '9': [0], A: [1, 2], '*': [0, 1, 2, 3] }

function wordsOf(words: Compiled['words']): Uint8Array {
  const flags = new Uint8Array(1 << 15)
  // A detector stands under every length that its words may have.
  const known = new Map<Entry, readonly number[]>()
  for (const [length, list] of words.entries()) {
    for (const word of list ?? []) {
      const kinds = known.get(word.entry) ?? kindsOf(word)
      known.set(word.entry, kinds)
      for (const kind of kinds) flags[looksSlot(length, kind)] = 1
    }
  }
  return flags
}

/** The kinds that its first four characters may be of, two bits each. */
function kindsOf({ starts, looks }: Worded): number[] {
  const first = new Set<number>()
  for (const [code, begins] of starts.entries()) if (begins) first.add(kindOf(code))
  const places = ['*', '*', '*', '*'].map((any, at) => kindsFor[looks[at] ?? any] ?? [])
  return places.reduce<number[]>(
    (sofar, kinds, at) =>
      sofar.flatMap(before => kinds.filter(kind => at > 0 || first.has(kind)).map(kind => before | (kind << (2 * at)))),
    [0],
  )
}

function bitsOf(flags: Uint8Array): Uint8Array {
  const bits = new Uint8Array(flags.length >> 3)
  for (let at = flags.indexOf(1); at >= 0; at = flags.indexOf(1, at + 1))
    bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
  return bits
}
