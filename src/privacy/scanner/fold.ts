import { digit, foldable, foldsTo, invisiblePair, word } from './classes.ts'
import { classAt, codeAt, separatorAt } from './codes.ts'
import type { Scan } from './scan.ts'

/** A stretch of text with look-alike characters made plain, and where each of its characters came from. */
export interface Folded {
  readonly text: string
  /** `origin[i]` is the offset in the original of folded character `i`; one more at the end. */
  readonly origin: Int32Array
}

/** Full-width and foreign digits become ASCII, invisible characters vanish: `４１１１​1111…` is a card all the same. */
export function fold(text: string, from: number, to: number): Folded {
  const codes = new Uint16Array(to - from)
  const origin = new Int32Array(to - from + 1)
  let length = 0
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    let becomes = foldsTo.get(code) ?? code
    const begins = at
    if (code === 0xd835 && at + 1 < to) {
      const plain = mathematical(text.charCodeAt(at + 1))
      if (plain) {
        becomes = plain
        at++
      }
    }
    if (becomes === 0) {
      if (code === invisiblePair && isSecondHalf(text.charCodeAt(at + 1))) at++
      continue
    }
    origin[length] = begins
    codes[length++] = becomes
  }
  origin[length] = to
  const parts: string[] = []
  for (let at = 0; at < length; at += 8192) {
    parts.push(String.fromCharCode(...codes.subarray(at, Math.min(length, at + 8192))))
  }
  return { text: parts.join(''), origin: origin.subarray(0, length + 1) }
}

const isSecondHalf = (code: number): boolean => (code & 0xfc00) === 0xdc00

/** The second half of a mathematical letter (U+1D400–1D6A3) or digit (U+1D7CE–1D7FF), as ASCII; 0 for others. */
function mathematical(low: number): number {
  if (low >= 0xdfce && low <= 0xdfff) return 0x30 + ((low - 0xdfce) % 10)
  if (low >= 0xdc00 && low <= 0xdea3) {
    const letter = (low - 0xdc00) % 52
    return letter < 26 ? 0x41 + letter : 0x61 + letter - 26
  }
  return 0
}

/** How far around a look-alike character a value and its context can reach. */
const foldReach = 160

/** A separator with a digit beyond it: the gap in `4242 4242`, beside which something invisible may stand as well. */
const joins = (gap: number, beyond: number): boolean => separatorAt(gap) !== 0 && (classAt(beyond) & digit) !== 0

/** A character that goes on with what stands beside it: a part of a word, or the `@`, dot or hyphen of an address. */
const goesOn = (at: number): boolean =>
  (classAt(at) & (word | foldable)) !== 0 || codeAt(at) === 0x40 || codeAt(at) === 0x2e || codeAt(at) === 0x2d

/** Notes a look-alike character that touches a word; an emoji with its variation selector does not. */
export function noteFoldable(scan: Scan, at: number, code: number): void {
  const { text, foldable: stretches } = scan
  const end = code === invisiblePair ? at + 2 : at + 1
  const before = goesOn(at - 1) || joins(at - 1, at - 2)
  if (foldsTo.get(code) === 0 && !(before && (goesOn(end) || joins(end, end + 1)))) return
  const last = stretches.at(-1)
  const from = Math.max(0, at - foldReach)
  const to = Math.min(text.length, at + foldReach)
  if (last && from <= last[1]) last[1] = to
  else stretches.push([from, to])
}
