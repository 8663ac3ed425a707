import { classOf, letter, upper, wideLetter } from './classes.ts'
import { codeAt } from './codes.ts'

/** Words of a text, compared without regard to case. */

/** A letter as a small one, by character code; 0 for what is no letter. */
const smallLetter = new Uint16Array(65536)
for (let code = 0; code < smallLetter.length; code++) {
  const bits = classOf[code] ?? 0
  if (bits & (letter | wideLetter) || code > 0x2ff) smallLetter[code] = bits & upper ? code + 32 : code
}
// Signs of other scripts end a word as ours do: `號碼：A123…`, `№ 123`, `رقم، …`.
for (const [from, to] of [
  [0x2000, 0x206f],
  [0x2100, 0x214f],
  [0x3000, 0x3003],
  [0x3008, 0x301f],
  [0xff00, 0xff0f],
  [0xff1a, 0xff20],
  [0xff3b, 0xff40],
  [0xff5b, 0xff65],
  [0x60c, 0x60c],
  [0x61b, 0x61f],
] as const)
  smallLetter.fill(0, from, to + 1)
// Latin, Greek and Cyrillic have capitals beyond ASCII.
for (let code = 0xc0; code < 0x530; code++) {
  const small = String.fromCharCode(code).toLowerCase()
  if (smallLetter[code] && small.length === 1) smallLetter[code] = small.charCodeAt(0)
}
export const smallLetters = smallLetter

/** A letter of a script that puts no spaces between words, or hangs its particles on them: Thai, Chinese, Japanese, Korean. */
export const isUnspaced = (code: number): boolean => code >= 0xe00 && (code < 0x1e00 || code > 0x1fff)
/** A word of these scripts is looked for at every place of a run, so its length is bounded. */
export const longestUnspaced = 20

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
