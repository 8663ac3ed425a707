import { codeAt } from './codes.ts'
import type { Entry } from './compile.ts'
import { hashOf, isSame, isUnspaced, longestUnspaced, pair, smallLetters } from './words.ts'

/** Named in this file, so that the compiler knows its address. */
const smallLetter = smallLetters
const isLetter = (code: number): boolean => smallLetter[code] !== 0

/** What may stand between a label and its value besides signs: `no.`, `number is`. */
const wordsBetween =
  'is was no number num nr id nummer numero número numéro code card n č číslo numer numeris numurs številka száma szám jel ist lautet est es é è este jest wynosi är je من هو رقم عدد номер หมายเลข'.split(
    ' ',
  )
const mostBetween = 2
const longestGap = 5
const longestWord = 24

interface Label {
  readonly words: string
  /** Detectors that it speaks for; the form of the value decides between them. */
  readonly entries: Entry[]
}

/**
 * Labels that stand right before a value: `claim no. …`, `passport number is …`. Read backwards from the value, word by
 * word; nearly every word ends at a bit that is not set.
 */
export class Labels {
  readonly #known = new Map<number, Label[]>()
  readonly #between = new Set(wordsBetween.map(hashOf))
  /** One bit for each hash of a last word, or of a word between. */
  readonly bits = new Uint8Array(8192)
  /** By the last two letters of a word, before anything else is asked. */
  readonly ends = new Uint8Array(1024)

  constructor(entries: readonly Entry[]) {
    for (const entry of entries) {
      for (const phrase of entry.detector.find.by === 'label' ? entry.detector.find.labels : []) {
        const words = (phrase.toLowerCase().match(/[a-z\u0080-\uffff]+/g) ?? []).slice(-2)
        const hash = words.map(hashOf).reduce(pair, 0)
        this.#learn(hash, words.join(' '), entry)
        this.#mark(words.at(-1) ?? '')
      }
    }
    for (const word of wordsBetween) this.#mark(word)
  }

  #learn(hash: number, words: string, entry: Entry): void {
    const labels = this.#known.get(hash) ?? []
    this.#known.set(hash, labels)
    const known = labels.find(label => label.words === words)
    if (known) known.entries.push(entry)
    else labels.push({ words, entries: [entry] })
  }

  #mark(word: string): void {
    const hash = hashOf(word)
    this.ends[endOf(word.charCodeAt(word.length - 2), word.charCodeAt(word.length - 1))] = 1
    this.bits[(hash >>> 3) & 8191] = (this.bits[(hash >>> 3) & 8191] ?? 0) | (1 << (hash & 7))
  }

  /** The detectors whose label stands before `value`; null for none. */
  before(value: number): readonly Entry[] | null {
    let at = value - 1
    // A part of a path has no label.
    if (codeAt(at) === 0x2f) return null
    while (at > value - longestGap && isBetween(codeAt(at))) at--
    if (isUnspaced(codeAt(at))) return this.#readUnspaced(at + 1)
    if (at === value - 1 || this.ends[endOf(smallLetter[codeAt(at - 1)] ?? 0, smallLetter[codeAt(at)] ?? 0)] !== 1)
      return null
    return this.#read(value)
  }

  /** What a run of a script without spaces ends with: `居民身份证号码`, `我的身分證號碼是`. */
  #readUnspaced(end: number): readonly Entry[] | null {
    let start = end
    while (start > 0 && end - start < longestUnspaced && isUnspaced(codeAt(start - 1)) && isLetter(codeAt(start - 1)))
      start--
    for (let from = start; from < end; from++) {
      for (let to = end; to > from + 1; to--) {
        const entries = this.#find(hashAt(from, to), from, to)
        if (entries) return entries
      }
    }
    return null
  }

  #read(value: number): readonly Entry[] | null {
    let at = value
    for (let between = 0; between <= mostBetween; between++) {
      const end = wordEnd(at)
      if (end < 0) return null
      const start = wordStart(end)
      const hash = hashAt(start, end)
      if (!((this.bits[(hash >>> 3) & 8191] ?? 0) & (1 << (hash & 7)))) return null
      const previousEnd = wordEnd(start)
      const previous = previousEnd < 0 ? -1 : wordStart(previousEnd)
      const ofTwo = previous < 0 ? null : this.#find(pair(hashAt(previous, previousEnd), hash), previous, end)
      const entries = ofTwo ?? this.#find(hash, start, end)
      if (entries) return entries
      if (!this.#between.has(hash)) return null
      at = start
    }
    return null
  }

  #find(hash: number, start: number, end: number): readonly Entry[] | null {
    for (const { words, entries } of this.#known.get(hash) ?? []) if (isSame(words, start, end)) return entries
    return null
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

/** By character: 1 for signs of ours that may stand between a label and its value. */
export const betweenLabelAndValue = new Uint8Array(128)
for (const sign of ' \t:#=.,"\'()/-_') betweenLabelAndValue[sign.charCodeAt(0)] = 1
/** `n°`, `n.º`, `№`, and the colon of East Asia. */
const isBetween = (code: number): boolean =>
  code < 128
    ? betweenLabelAndValue[code] === 1
    : code === 0xa0 || code === 0xb0 || code === 0xba || code === 0x2116 || code === 0xff1a
