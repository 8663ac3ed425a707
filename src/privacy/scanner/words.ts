import { classOf, letter, upper, wideLetter } from './classes.ts'
import { codeAt } from './codes.ts'

/** Words of a text, compared without regard to case. */

/** A letter as a small one, by character code; 0 for what is no letter. */
const smallLetter = new Uint16Array(65536)
for (let code = 0; code < smallLetter.length; code++) {
  const bits = classOf[code] ?? 0
  if (bits & (letter | wideLetter) || code > 0x2ff) smallLetter[code] = bits & upper ? code + 32 : code
}
// Latin, Greek and Cyrillic have capitals beyond ASCII.
for (let code = 0xc0; code < 0x530; code++) {
  const small = String.fromCharCode(code).toLowerCase()
  if (smallLetter[code] && small.length === 1) smallLetter[code] = small.charCodeAt(0)
}
export const smallLetters = smallLetter

/** Whether one or two words of the text are these, which are small and have one space between them. */
export function isSame(words: string, start: number, end: number): boolean {
  let at = start
  for (let place = 0; place < words.length; place++, at++) {
    const expected = words.charCodeAt(place)
    if (expected !== 0x20) {
      if (smallLetter[codeAt(at)] !== expected) return false
      continue
    }
    while (at < end && smallLetter[codeAt(at)] === 0) at++
    at--
  }
  return at === end
}

export const pair = (first: number, second: number): number =>
  first === 0 ? second : (Math.imul(first, 16777619) ^ second) | 0

export function hashOf(word: string): number {
  let hash = 0
  for (let at = 0; at < word.length; at++) hash = (Math.imul(hash, 31) + word.charCodeAt(at)) | 0
  return hash
}
