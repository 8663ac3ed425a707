import { mayBePersonal } from './fields.ts'

/** Longest header between the lines of a text: a longer line of names is a list of words. */
export const longestHeaderBelow = 400

/** What a character can be in a line of names: a letter (1–26 whatever its case), or one of these; 0 is nothing of them. */
const digit = 27
const inName = 28
const edge = 29
const gap = 30
const separator = 31
const separators = [',', ';', '\t', '|']
const parts = new Uint8Array(1 << 16).fill(edge, 128)
for (let code = 0x41; code <= 0x5a; code++) {
  parts[code] = code & 31
  parts[code + 32] = code & 31
}
for (let code = 0x30; code <= 0x39; code++) parts[code] = digit
for (const sign of ".#()/'-") parts[sign.charCodeAt(0)] = inName
for (const sign of '"_\r\v\f') parts[sign.charCodeAt(0)] = edge
for (const sign of separators) parts[sign.charCodeAt(0)] = separator
parts[0x20] = gap

/** Longest name of a column, with its quotes and what else may stand beside it. */
const longestName = 52
/** Longest first name of a printed table: gaps cannot be searched for as signs can, and are looked for in every line. */
const longestBeforeGap = 32

/**
 * Characters of a part of the text, as numbers: reading a typed array costs a fraction of `charCodeAt`. One for all,
 * since nobody who looks waits for anything.
 */
const block = 1 << 13
const codes = new Uint16Array(block + 2)
const bytes = Buffer.from(codes.buffer)
const codeAt = (at: number): number => codes[at] ?? 0

/**
 * The cheap look that tells nearly every line of a text to be no header of a table. All text gets it, so that it must
 * cost no more than a small part of what a scan does.
 */
export class HeaderLook {
  readonly #text: string
  /** What part of the text is in `codes`. */
  #from = 0
  #to = 0
  /** Where the next signs between columns stand: each is searched for by what is quicker than any loop. */
  readonly #next = [-1, -1, -1, -1]
  #nearest = -1

  constructor(text: string) {
    this.#text = text
  }

  /** Whether a line may be names alone, more than one, and one of them of a personal field. */
  mayBeHeader(start: number, end: number): boolean {
    if (end - start < 3 || end - start > longestHeaderBelow) return false
    if (end >= this.#to || start < this.#from) this.#read(start)
    const stop = end - this.#from
    let from = start - this.#from
    while (from < stop && codeAt(from) === 0x20) from++
    const first = parts[codeAt(from)] ?? 0
    if (first === 0 || first === digit || first === inName || parts[codeAt(stop - 1)] === 0) return false
    const limit = Math.min(end, this.#from + from + longestName)
    return (this.#hasSeparator(start, limit) || hasGap(from, stop)) && namesPersonal(from, stop)
  }

  #read(from: number): void {
    this.#from = from
    this.#to = Math.min(this.#text.length, from + block)
    bytes.write(this.#text.slice(from, this.#to), 'utf16le')
    codes[this.#to - from] = 0x0a
  }

  #hasSeparator(start: number, end: number): boolean {
    if (this.#nearest < start) {
      this.#nearest = this.#text.length
      for (let kind = 0; kind < 4; kind++) {
        let next = this.#next[kind] ?? 0
        if (next < start) {
          next = this.#text.indexOf(separators[kind] ?? '', start)
          if (next < 0) next = this.#text.length
          this.#next[kind] = next
        }
        if (next < this.#nearest) this.#nearest = next
      }
    }
    return this.#nearest < end
  }
}

/** Whether two spaces stand behind the first name. Only every other character is looked at: one of the two is met. */
function hasGap(start: number, end: number): boolean {
  for (let at = start + 1, limit = Math.min(end, start + longestBeforeGap); at < limit; at += 2)
    if (codeAt(at) === 0x20 && (codeAt(at + 1) === 0x20 || codeAt(at - 1) === 0x20)) return true
  return false
}

function namesPersonal(start: number, end: number): boolean {
  let named = false
  let names = 0
  let three = 0
  let letters = 0
  let length = 0
  let nameStart = start
  for (let at = start; at <= end; at++) {
    const part = at < end ? (parts[codeAt(at)] ?? 0) : separator
    if (part <= 26) {
      if (part === 0) return false
      if (letters < 3) three |= part << (10 - 5 * letters)
      letters++
      length++
    } else if (part === separator || (part === gap && codeAt(at + 1) === 0x20)) {
      if (at > nameStart) names++
      named ||= length > 0 && mayBePersonal(three, length)
      three = letters = length = 0
      nameStart = at + 1
    } else if (part <= inName) {
      // A name begins with a letter: no number does, and no item of a list.
      if (letters === 0 && at === nameStart) return false
      if (part === digit) length++
    }
    if (at - nameStart > longestName) return false
  }
  return named && names > 1
}
