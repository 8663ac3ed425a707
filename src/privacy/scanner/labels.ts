import { codeAt } from './codes.ts'
import type { Entry } from './compile.ts'
import { hashOf, isSame, pair, smallLetters } from './words.ts'

/** Named in this file, so that the compiler knows its address. */
const smallLetter = smallLetters
const isLetter = (code: number): boolean => smallLetter[code] !== 0

/** What may stand between a label and its value besides signs: `no.`, `number is`. */
const wordsBetween = 'is was no number num nr id nummer numero número numéro code card'.split(' ')
const mostBetween = 2
const longestGap = 5
const longestWord = 24

interface Label {
  readonly words: string
  readonly id: number
}

/**
 * Labels that stand right before a value: `claim no. …`, `passport number is …`. Read backwards from the value, word by
 * word; nearly every word ends at a bit that is not set.
 */
export class Labels {
  readonly #known = new Map<number, Label[]>()
  readonly #between = new Set(wordsBetween.map(hashOf))
  /** By the hash of a last word. */
  readonly #bits = new Uint8Array(8192)
  /** By the last two letters of a word, before anything else is asked. */
  readonly #ends = new Uint8Array(1024)

  constructor(entries: readonly Entry[]) {
    for (const entry of entries) {
      for (const phrase of entry.detector.find.by === 'label' ? entry.detector.find.labels : []) {
        const words = (phrase.toLowerCase().match(/[a-z\u0080-\uffff]+/g) ?? []).slice(-2)
        const hash = words.map(hashOf).reduce(pair, 0)
        this.#known.set(hash, [...(this.#known.get(hash) ?? []), { words: words.join(' '), id: entry.id }])
        this.#mark(words.at(-1) ?? '')
      }
    }
    for (const word of wordsBetween) this.#mark(word)
  }

  #mark(word: string): void {
    const hash = hashOf(word)
    this.#ends[endOf(word.charCodeAt(word.length - 2), word.charCodeAt(word.length - 1))] = 1
    this.#bits[(hash >>> 3) & 8191] = (this.#bits[(hash >>> 3) & 8191] ?? 0) | (1 << (hash & 7))
  }

  /** The detector whose label stands before `value`; -1 for none. */
  before(value: number): number {
    let at = value - 1
    while (at > value - longestGap && isBetween(codeAt(at))) at--
    if (at === value - 1 || this.#ends[endOf(smallLetter[codeAt(at - 1)] ?? 0, smallLetter[codeAt(at)] ?? 0)] !== 1)
      return -1
    return this.#read(value)
  }

  #read(value: number): number {
    let at = value
    for (let between = 0; between <= mostBetween; between++) {
      const end = wordEnd(at)
      if (end < 0) return -1
      const start = wordStart(end)
      const hash = hashAt(start, end)
      if (!((this.#bits[(hash >>> 3) & 8191] ?? 0) & (1 << (hash & 7)))) return -1
      const previousEnd = wordEnd(start)
      const previous = previousEnd < 0 ? -1 : wordStart(previousEnd)
      const ofTwo = previous < 0 ? -1 : this.#find(pair(hashAt(previous, previousEnd), hash), previous, end)
      const label = ofTwo < 0 ? this.#find(hash, start, end) : ofTwo
      if (label >= 0) return label
      if (!this.#between.has(hash)) return -1
      at = start
    }
    return -1
  }

  #find(hash: number, start: number, end: number): number {
    for (const { words, id } of this.#known.get(hash) ?? []) if (isSame(words, start, end)) return id
    return -1
  }
}

const endOf = (second: number, last: number): number => ((second & 31) << 5) | (last & 31)

/** End of the word before `at`, with nothing but a few signs between; -1 when there is none. */
function wordEnd(at: number): number {
  let end = at
  while (end > 0 && at - end < longestGap && isBetween(codeAt(end - 1))) end--
  return end > 0 && end < at && isLetter(codeAt(end - 1)) ? end : -1
}

function wordStart(end: number): number {
  let start = end - 1
  while (start > 0 && end - start < longestWord && isLetter(codeAt(start - 1))) start--
  return start
}

function hashAt(start: number, end: number): number {
  let hash = 0
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (smallLetter[codeAt(at)] ?? 0)) | 0
  return hash
}

const between = new Uint8Array(128)
for (const sign of ' \t:#=.,"\'()/-_') between[sign.charCodeAt(0)] = 1
const isBetween = (code: number): boolean => (code < 128 ? between[code] === 1 : code === 0xa0 || code === 0xff1a)
