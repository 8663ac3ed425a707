import type { Finding } from '../../contract/privacy.ts'
import { type Detector, reported } from '../detectors/detector.ts'
import { digit, joiner, letter, lower, underscore, upper, word } from './classes.ts'
import { classAt, codeAt } from './codes.ts'
import { type Compiled, compile } from './compile.ts'
import { findEncodedEmails } from './finders/email.ts'
import { fold } from './fold.ts'
import { plainWord } from './letters.ts'
import { longestPiece, marks, markWords, maskShift, siftMarks, startMask } from './marks/marks.ts'
import { numbered } from './numbers.ts'
import { addDecided, contextStart, cutPoint } from './pieces.ts'
import { resolve } from './resolve.ts'
import { Scan } from './scan.ts'
import { walkShapes } from './shapes.ts'
import { sign } from './signs.ts'

export interface ScanOptions {
  /** Findings below this score are left out. */
  readonly least?: number
  /** False when the text is a piece of a longer one: nothing in it then stands alone. */
  readonly whole?: boolean
}

/** Finds what is private in a text, in one pass and in time that grows with its length alone. */
export class Scanner {
  readonly #compiled: Compiled

  constructor(detectors: readonly Detector[]) {
    this.#compiled = compile(detectors)
  }

  scan(text: string, options: ScanOptions = {}): Finding[] {
    if (text.length <= longestPiece) return this.#scanPiece(text, options)
    const found: Finding[] = []
    let decided = 0
    while (decided < text.length) {
      const from = contextStart(text, decided)
      const to = Math.min(text.length, from + longestPiece)
      const piece = text.slice(from, to)
      const inPiece = this.#scanPiece(piece, { ...options, whole: false })
      const cut = from + (to === text.length ? piece.length : cutPoint(piece, inPiece, decided - from))
      addDecided(found, inPiece, from, decided, cut)
      decided = cut
    }
    return found
  }

  #scanPiece(text: string, { least = reported, whole = true }: ScanOptions): Finding[] {
    const scan = new Scan(this.#compiled, text, least, whole)
    pass(scan)
    for (const [from, to] of scan.foldable) this.#foldedPass(scan, from, to, least, whole)
    // Not every finder asks how sure it must be; before the others win over it, what is not sure enough has to go.
    return resolve(least > reported ? scan.found.filter(({ score }) => score >= least) : scan.found)
  }

  /** Around look-alike characters the text is read once more with these made plain. */
  #foldedPass(scan: Scan, from: number, to: number, least: number, whole: boolean): void {
    const { text } = scan
    const folded = fold(text, from, to)
    const again = new Scan(this.#compiled, folded.text, least, whole && from === 0 && to === text.length)
    pass(again)
    for (const found of again.found) {
      const start = folded.origin[found.start] ?? from
      const last = folded.origin[found.end - 1] ?? to - 1
      // A first half without its second is one character, also at the very end.
      const isPair = (text.charCodeAt(last) & 0xfc00) === 0xd800 && (text.charCodeAt(last + 1) & 0xfc00) === 0xdc00
      scan.found.push({ ...found, start, end: last + (isPair ? 2 : 1) })
    }
  }
}

/** The one pass, from mark to mark. The finder that fits the look of a word, or the sign between words, is asked. */
function pass(scan: Scan): void {
  const end = siftMarks(markWords(scan.length), scan.compiled.sieve, scan)
  const list = marks
  let at = 0
  for (let next = 0; next < end; next += 2) {
    const mark = list[next] ?? 0
    const start = mark & startMask
    // A finder has read further than this.
    if (start < at) continue
    const mask = mark >>> maskShift
    if (mask === 0) {
      at = sign(scan, start)
      continue
    }
    const stop = list[next + 1] ?? 0
    if (mask & digit) {
      if (start > at + 2 && codeAt(start - 1) === 0x20) twoLetters(scan, start)
      at = numbered(scan, start, stop, mask)
    } else at = plainWord(scan, start, stop, mask)
    while (at > stop && classAt(at - 1) & word && classAt(at) & word) at = restOfWord(scan, at)
  }
  findEncodedEmails(scan)
}

/** A finder may stop inside a word, such as at the `_` behind a key: what is left of it is a word of its own. */
function restOfWord(scan: Scan, start: number): number {
  let mask = 0
  let end = start
  while (classAt(end) & word) mask |= classAt(end++)
  if (mask & digit) return numbered(scan, start, end, mask)
  const first = classAt(start)
  return first & upper || mask & underscore || classAt(end) & joiner || end - start === 2
    ? plainWord(scan, start, end, mask)
    : end
}

/** Two small letters, a space and a digit: `ab 12 34 56 c`; or the three of a register: `hrb 12345`. Called at the digit. */
function twoLetters(scan: Scan, digits: number): void {
  const isRegister = codeAt(digits - 3) === 0x72 && codeAt(digits - 4) === 0x68
  if (isRegister && !(classAt(digits - 5) & word)) walkShapes(scan.compiled.shapes, scan, digits - 4)
  const small = classAt(digits - 3) & lower && classAt(digits - 2) & letter
  if (small && !(classAt(digits - 4) & word)) walkShapes(scan.compiled.shapes, scan, digits - 3)
}
