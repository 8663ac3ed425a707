import { type FieldMeaning, meaningOf } from '../../fields.ts'
import { digit, letter, word } from '../classes.ts'
import { classAt, codeAt } from '../codes.ts'
import { betweenNameAndSign } from '../marks/traits.ts'
import type { Scan } from '../scan.ts'

/** Where the identifier before the sign at `at` ends, quotes and brackets left out. */
export function nameEnd(at: number): number {
  let end = at
  // `+=` and `.=` add to a value that may be a secret as well.
  if (codeAt(at) === 0x3d && (codeAt(at - 1) === 0x2b || codeAt(at - 1) === 0x2e)) end--
  for (let signs = 0, spaces = 0; signs < 4 && spaces < 24 && end > 0; end--) {
    const code = codeAt(end - 1)
    if (code > 127 || !betweenNameAndSign[code]) break
    // `password[255] = "…"`, `keys[] = "…"`.
    if (code === 0x5d) {
      let bracket = end - 1
      while (classAt(bracket - 1) & digit && end - bracket < 8) bracket--
      if (codeAt(bracket - 1) === 0x5b && classAt(bracket - 2) & word) end = bracket
    }
    // Columns of settings are filled up with spaces.
    if (code === 0x20) spaces++
    else signs++
  }
  return end
}

/** Last words of phrases that mean more than their last word: `api key: …`, `secret access key = …`. */
const lastOfPhrase = /^(?:key|token|code|string|secret|password)$/i
const wordsBefore = /[A-Za-z]{2,14}(?: [A-Za-z]{2,14})?$/

/** A name that was met before, so that the few names of a log or table are understood without cutting them out. */
interface Known {
  readonly name: string
  readonly meaning: FieldMeaning | null
  readonly endsPhrase: boolean
}
const knownNames = new Array<Known | undefined>(1024).fill(undefined)

/** What a value would be that is given to the name from `start` to `end`; null for nothing private. */
export function meaningAt(scan: Scan, start: number, end: number): FieldMeaning | null {
  const { text } = scan
  let hash = end - start
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + codeAt(at)) | 0
  const slot = (hash ^ (hash >>> 15)) & 1023
  let known = knownNames[slot]
  if (!known || !isSame(known.name, start, end)) {
    const name = text.slice(start, end)
    known = { name, meaning: meaningOf(name), endsPhrase: lastOfPhrase.test(name) }
    knownNames[slot] = known
  }
  if (known.endsPhrase && codeAt(start - 1) === 0x20 && classAt(start - 2) & letter) {
    const before = wordsBefore.exec(text.slice(Math.max(0, start - 31), start - 1))
    if (before) return meaningOf(`${before[0]} ${known.name}`)
  }
  return known.meaning
}

function isSame(name: string, start: number, end: number): boolean {
  if (name.length !== end - start) return false
  for (let at = start; at < end; at++) if (name.charCodeAt(at - start) !== codeAt(at)) return false
  return true
}
