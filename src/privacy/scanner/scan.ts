import type { Finding } from '../../contract/privacy.ts'
import { reported } from '../detectors/detector.ts'
import { digit, letter } from './classes.ts'
import { classAt, codeAt } from './codes.ts'
import type { Compiled, Entry } from './compile.ts'
import { Run } from './finders/run.ts'
import { readCodes } from './marks/marks.ts'

/** Numbers that come right after such a word are counted, not issued to a person. */
const countedThings =
  /(?:order|invoice|ticket|tracking|isbn|issn|sku|build|commit|revision|version|serial|part|batch|lot|request|trace|event|transaction|txn|port|pid|seq|offset|size|bytes|count|total|amount|timestamp|epoch|checksum|hash|record|row|item|case|job|task|units?)[ _-]{0,2}(?:no\.?|number|id|nr\.?|num|#)?[ \t]{0,2}[:=#]?[ \t"']{0,2}#?$/i
const unitsAfter = /^ ?(?:units?|bytes|items|packets|rows|records|files|lines|users|people|[KMGT]i?B)\b/

/** Texts of at most this length can be one identifier and nothing else, but for signs around it. */
const longestAlone = 96
const before = /^[\s"'`([{<]+/
const behind = /[\s"'`)\]}>.,;:!?]+$/

const and = /\s+(?:and|et|und|y|e|en|och|og|i)\s+|[,;]\s|\n/
/** More of them are a list of numbers, and one in a list passes some scheme by chance. */
const mostAlone = 3
const isValue = (part: string): boolean => /(?:\d\D{0,3}){4}/.test(part) && !/[A-Za-z]{5}/.test(part)
const nothingAlone: readonly number[] = []

/** Where the values stand in a text that is nothing but one, or one and another, with a word, a comma or a line between. */
function aloneIn(text: string): number[] {
  const parts = text.split(and).filter(part => part.trim() !== '')
  const isList = parts.length > 1 && parts.length <= mostAlone && parts.every(isValue)
  const places: number[] = []
  let from = 0
  // A pair of coordinates has a comma inside and is one value all the same.
  for (const part of isList ? [...parts, text] : [text]) {
    from = part === text ? 0 : text.indexOf(part, from)
    const end = from + part.length
    places.push(end - part.replace(before, '').length, from + part.replace(behind, '').length)
    from = end
  }
  return places
}

/** `1234567890`, `987654321`: fingers on a keyboard, whatever check digit they happen to hit. */
function isCounting(start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!(classAt(at) & digit)) return false
  const first = codeAt(start)
  const step = codeAt(start + 1) - first
  if (step === 1 ? first > 0x31 : step !== -1 || first !== 0x39) return false
  for (let at = start + 1; at < end; at++) {
    if ((codeAt(at) - codeAt(at - 1) + 10 - step) % 10 !== 0) return false
  }
  return true
}

/** Thirteen digits from 14 to 19 on are a time, in every log and in many a table, whatever else they could be. */
function isMilliseconds(start: number, end: number): boolean {
  if (end - start !== 13 || codeAt(start) !== 0x31 || codeAt(start + 1) < 0x34) return false
  for (let at = start + 1; at < end; at++) if (!(classAt(at) & digit)) return false
  return true
}

/** `415-555-0132$`, `¥415…`, `…0132%`: what is measured in money or parts was issued to nobody. */
const isAmountSign = (code: number): boolean =>
  code === 0x25 ||
  code === 0x24 ||
  (code >= 0xa2 && code <= 0xa5) ||
  (code >= 0x20a0 && code <= 0x20bf) ||
  code === 0xffe5

/** One text being scanned: what is found goes through here, whoever found it. */
export class Scan {
  readonly text: string
  readonly length: number
  readonly compiled: Compiled
  readonly found: Finding[] = []
  /** Where the next end of a key block stands; looked up once, so that a thousand beginnings cost no more than one. */
  keyBlockEnd = -1
  /** End of the last value that was given to a name: a sign inside it gives nothing to anyone. */
  assignedTo = 0
  /** What was last read as a value without quotes. */
  readonly run = new Run()
  /** What was last read as the key of a service. */
  readonly keyRun = new Run()
  /** An `@` that belongs to a template of an address, and to nobody's mail. */
  noAddressAt = -1
  /** Whether `-u` or `--user` stands anywhere: if not, no colon is between a user and a password. */
  readonly userOption: boolean
  readonly onlySure: boolean
  /** Stretches around look-alike characters, to be read once more. */
  readonly foldable: [from: number, to: number][] = []
  readonly #least: number
  /** Starts and ends of values that are all there is: of the whole text, or of both sides of `and`. */
  readonly #alone: readonly number[]
  #contextStart = -1
  #contextEnd = -1
  #plainStart = -1
  #plainEnd = -1
  #plain = ''

  constructor(compiled: Compiled, text: string, least: number, whole: boolean) {
    this.compiled = compiled
    this.text = text
    this.length = text.length
    this.userOption = text.includes('-u')
    this.#least = least
    this.onlySure = least >= reported
    this.#alone = whole && text.length <= longestAlone ? aloneIn(text) : nothingAlone
    readCodes(text)
    compiled.context.reset()
  }

  /** A candidate of some detector; it is confirmed, scored with its context and kept when it is sure enough. */
  candidate(entry: Entry, start: number, end: number): boolean {
    // Most detectors of bare numbers need a word near, and most numbers have none: that is asked before the checksum.
    if (entry.score < this.#least && !this.isAlone(start, end) && !(entry.near >= 0 && this.near(entry, start, end)))
      return false
    if (entry.valid !== null) {
      const plain = entry.byShape ? this.#withoutSeparators(start, end) : this.text.slice(start, end)
      if (!entry.valid(plain)) return false
    }
    return this.keep(entry, start, end)
  }

  /** As `candidate`, for values that a finder has confirmed itself. */
  keep(entry: Entry, start: number, end: number): boolean {
    let score = entry.score
    if (entry.near >= 0 && this.near(entry, start, end)) {
      // A number in the path of an address is spoken for by no word near it, unless it says much by itself.
      if (entry.byShape && entry.score < 0.3 && codeAt(start - 1) === 0x2f && classAt(start - 2) & letter) return false
      score = entry.near
    } else {
      if (this.isAlone(start, end)) {
        if (isCounting(start, end)) return false
        if (entry.alone >= 0) score = entry.alone
      } else if (entry.byShape && isMilliseconds(start, end)) return false
      if (score < this.#least) return false
      if (score < 0.9 && entry.byShape && (this.#isCounted(start, end) || this.#beganEarlier(start, end))) return false
    }
    if (score < this.#least) return false
    this.found.push({ start, end, type: entry.type, rule: entry.rule, score })
    return true
  }

  /** Whether it is the whole text, or all that stands on one side of `and`. */
  isAlone(start: number, end: number): boolean {
    for (let at = 0; at < this.#alone.length; at += 2)
      if (this.#alone[at] === start && this.#alone[at + 1] === end) return true
    return false
  }

  /** Whether a context word of the detector stands near. */
  near(entry: Entry, start: number, end: number): boolean {
    this.#look(start, end)
    return this.compiled.context.near(entry.id)
  }

  #look(start: number, end: number): void {
    if (this.#contextStart === start && this.#contextEnd === end) return
    this.#contextStart = start
    this.#contextEnd = end
    this.compiled.context.look(this, start, end)
  }

  /** Whether a word near speaks for any detector at all, or the text is nothing else. */
  isSpokenFor(start: number, end: number): boolean {
    if (!this.onlySure || this.isAlone(start, end)) return true
    this.#look(start, end)
    return this.compiled.context.any
  }

  /** A code right behind the label of a detector. */
  labelled(entry: Entry, start: number, end: number): boolean {
    if (entry.valid !== null && !entry.valid(this.#withoutSeparators(start, end))) return false
    if (unitsAfter.test(this.text.slice(end, end + 10))) return false
    this.found.push({ start, end, type: entry.type, rule: entry.rule, score: entry.score })
    return true
  }

  #isCounted(start: number, end: number): boolean {
    return (
      codeAt(start - 1) === 0x23 ||
      isAmountSign(codeAt(start - 1)) ||
      isAmountSign(codeAt(end)) ||
      countedThings.test(this.text.slice(Math.max(0, start - 32), start)) ||
      unitsAfter.test(this.text.slice(end, end + 10))
    )
  }

  /** `51 824 753 5564`: groups with a group before them are the end of something else. */
  #beganEarlier(start: number, end: number): boolean {
    if (codeAt(start - 1) !== 0x20 || !(classAt(start - 2) & digit)) return false
    for (let at = start; at < end; at++) if (codeAt(at) === 0x20) return true
    return false
  }

  /** The same stretch is asked about by every detector whose shape it has. */
  #withoutSeparators(start: number, end: number): string {
    if (start !== this.#plainStart || end !== this.#plainEnd) {
      this.#plainStart = start
      this.#plainEnd = end
      this.#plain = this.#makePlain(start, end)
    }
    return this.#plain
  }

  #makePlain(start: number, end: number): string {
    let plain = ''
    let from = start
    for (let at = start; at < end; at++) {
      if (classAt(at) & (digit | letter)) continue
      plain += this.text.slice(from, at)
      from = at + 1
    }
    return (plain + this.text.slice(from, end)).toUpperCase()
  }
}
