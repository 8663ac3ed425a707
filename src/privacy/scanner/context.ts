import { codeAt } from './codes.ts'
import type { Entry } from './compile.ts'
import type { Scan } from './scan.ts'
import { hashOf, isSame, isUnspaced, longestUnspaced, pair, smallLetters } from './words.ts'

/** Named in this file, so that the compiler knows its address. */
const smallLetter = smallLetters

const charactersBefore = 80
const charactersAfter = 40

/** A context word that was met: where, where the letters begin among which it stands, and whom it speaks for. */
interface Met {
  readonly letters: number
  readonly start: number
  readonly end: number
  readonly ids: readonly number[]
}

const namesOfNothing = ['number', 'no', 'nr', 'id']

interface Phrase {
  readonly words: string
  readonly ids: number[]
}

/**
 * Which detectors are spoken for by words near a place in the text. Only the neighbourhood of candidates is read, each
 * character of it once: every word is hashed, and nearly all words end at a bit that is not set.
 */
export class ContextWords {
  readonly #known = new Map<number, Phrase[]>()
  readonly #bits = new Uint8Array(8192)
  /** One bit for each hash of a last word: what has none of these as its name is spoken for by nobody. */
  readonly lastWords = bitsOfWords(namesOfNothing)
  readonly #seen: Uint32Array
  #look = 0
  #any = false
  #met: Met[] = []
  /** Up to where the text was read, and the word that ended there. */
  #readFrom = 0
  #readTo = 0
  #previous = 0
  #previousStart = 0
  /** Where the letters begin among which it is read, and the word before it was; -1: before all that was read. */
  #letters = -1
  #previousLetters = -1

  constructor(entries: readonly Entry[]) {
    this.#seen = new Uint32Array(entries.length)
    for (const entry of entries) {
      for (const phrase of entry.detector.context ?? []) this.#learn(phrase, entry.id)
    }
  }

  /** Phrases count by their last two words: `driver's licence number` is known by `licence number`. */
  #learn(phrase: string, id: number): void {
    const words = phrase.toLowerCase().match(/[a-z\u0080-\uffff]+/g) ?? []
    const last = words.slice(-2)
    let hash = 0
    for (const word of last) hash = pair(hash, hashOf(word))
    const phrases = this.#known.get(hash) ?? []
    this.#known.set(hash, phrases)
    const known = phrases.find(phrase => phrase.words === last.join(' '))
    if (known) known.ids.push(id)
    else phrases.push({ words: last.join(' '), ids: [id] })
    setBit(this.#bits, hash)
    setBit(this.lastWords, hashOf(last.at(-1) ?? ''))
  }

  /** A new text begins. */
  reset(): void {
    this.#met = []
    this.#readFrom = 0
    this.#readTo = 0
    this.#previous = 0
  }

  /** Turns to the neighbourhood of `start`–`end`; `near` then answers for it. */
  look(scan: Scan, start: number, end: number): void {
    const given = givenBy(start)
    const from = given >= 0 ? given : Math.max(0, start - charactersBefore)
    const to = given >= 0 ? start : Math.min(scan.length, end + charactersAfter)
    if (from < this.#readFrom) {
      this.#met = []
      this.#readFrom = from
      this.#readTo = from
    }
    if (to > this.#readTo) this.#read(from, to)
    this.#look++
    this.#any = false
    for (let at = this.#met.length - 1; at >= 0; at--) {
      const met = this.#met[at]
      if (!met || met.end <= from) break
      // It began further away. Whether that was read depends on what was asked before, and must not count.
      if (met.letters < from) continue
      if (met.end > start && (met.start < end || met.end > to)) continue
      this.#any = true
      for (const id of met.ids) this.#seen[id] = this.#look
    }
  }

  /** Whether any word of any detector stands there. */
  get any(): boolean {
    return this.#any
  }

  near(id: number): boolean {
    return this.#seen[id] === this.#look
  }

  #read(from: number, to: number): void {
    let at = this.#readTo
    if (from >= at) {
      at = from
      // What lies between was not read: a look that needs it starts over.
      if (from > this.#readTo) this.#readFrom = from
      this.#previous = 0
      // The neighbourhood may begin inside a word; half a word is not one.
      this.#letters = -1
      while (at < to && isLetter(codeAt(at - 1)) && isLetter(codeAt(at))) at++
    }
    while (at < to) {
      if (!isLetter(codeAt(at))) {
        at++
        continue
      }
      const start = at
      if (!isLetter(codeAt(at - 1))) this.#letters = at
      const unspaced = isUnspaced(codeAt(at))
      let hash = 0
      let afterSmall = false
      // Read past `to` to the end of the word, so that the next look goes on between words.
      for (; at - start < 64; at++) {
        const code = codeAt(at)
        const small = smallLetter[code] ?? 0
        // `userSsn` is two words, and so is `HKID號碼`.
        if (small === 0 || (small !== code && afterSmall) || isUnspaced(code) !== unspaced) break
        hash = (Math.imul(hash, 31) + small) | 0
        afterSmall = small === code
      }
      if (unspaced) this.#readUnspaced(start, at)
      else this.#check(hash, start, at, this.#letters)
      if (this.#previous) this.#check(pair(this.#previous, hash), this.#previousStart, at, this.#previousLetters)
      this.#previous = hash
      this.#previousStart = start
      this.#previousLetters = this.#letters
    }
    this.#readTo = at
  }

  /** Words without spaces between them: `居民身份证号码` speaks for what `身份证` does. */
  #readUnspaced(start: number, end: number): void {
    for (let from = start; from < end; from++) {
      let hash = 0
      for (let at = from; at < end && at - from < longestUnspaced; at++) {
        hash = (Math.imul(hash, 31) + (smallLetter[codeAt(at)] ?? 0)) | 0
        this.#check(hash, from, at + 1, this.#letters)
      }
    }
  }

  #check(hash: number, start: number, end: number, letters: number): void {
    if (!((this.#bits[(hash >>> 3) & 8191] ?? 0) & (1 << (hash & 7)))) return
    for (const { words, ids } of this.#known.get(hash) ?? []) {
      if (isSame(words, start, end)) this.#met.push({ letters, start, end, ids })
    }
  }
}

function setBit(bits: Uint8Array, hash: number): void {
  bits[(hash >>> 3) & 8191] = (bits[(hash >>> 3) & 8191] ?? 0) | (1 << (hash & 7))
}

function bitsOfWords(words: readonly string[]): Uint8Array {
  const bits = new Uint8Array(8192)
  for (const word of words) setBit(bits, hashOf(word))
  return bits
}

/**
 * Start of the name that a value is given to (`bytes=12345678`), or -1. There the name alone speaks for the value: an
 * account earlier in the line does not make a count of bytes an account number.
 */
function givenBy(start: number): number {
  let at = start - 1
  if (codeAt(at) === 0x22 || codeAt(at) === 0x27) at--
  if (codeAt(at) !== 0x3d) return -1
  let name = at
  while (name > 0 && at - name < 48 && (isLetter(codeAt(name - 1)) || isNamePart(codeAt(name - 1)))) name--
  return saysNothing(name, at) ? wordBefore(name) : name
}

/** `routing number=…`, `NHS no=…`: the word before says what it is the number of. */
const saysNothing = (name: number, end: number): boolean => namesOfNothing.some(word => isSame(word, name, end))

function wordBefore(name: number): number {
  let start = name
  while (start > 0 && codeAt(start - 1) === 0x20) start--
  while (start > 0 && name - start < 48 && isLetter(codeAt(start - 1))) start--
  return start
}

const isNamePart = (code: number): boolean =>
  code === 0x5f || code === 0x2d || code === 0x2e || (code >= 0x30 && code <= 0x39)

const isLetter = (code: number): boolean => smallLetter[code] !== 0
