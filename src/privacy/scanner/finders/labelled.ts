import { digit, letter, lower, word } from '../classes.ts'
import { classAt, codeAt, separatorAt } from '../codes.ts'
import type { Scan } from '../scan.ts'
import { walkShapes } from '../shapes.ts'

const longestCode = 34
/** Groups that a space may stand between: `123 456 789`, `12-34-56 12345678`, `MORGA 753116SM91J`. */
const longestGroup = 6
const longestDigits = 8
const longestMixed = 11
/**
 * `12-3456789` and `911-89-1234`: the detectors of these know which numbers were never issued. `1234567.89` is an amount.
 */
const ownForm = /^\d{2}-\d{7}$|^\d{3}-\d{2}-\d{4}$|^\d+\.\d+$/

/** What fits a template from here on: then -1. Or else the end of what a label promises; 0 for nothing. */
export function findByForm(scan: Scan, start: number): number {
  const had = scan.found.length
  walkShapes(scan.compiled.shapes, scan, start)
  return scan.found.length > had ? -1 : findLabelled(scan, start)
}

/** Called at letters before a group of digits or of further letters: `AB 12 34 56 C`, `B AB 1234`, `visa TD 12 34 56`. */
export function findLettered(scan: Scan, start: number, length: number, capitals: boolean): number {
  if (length <= 5) walkShapes(scan.compiled.shapes, scan, start)
  return capitals ? findLabelled(scan, start) : 0
}

/**
 * Called at a word that may begin a code: reads what its label promises, in whatever groups it is written. Returns the
 * end, or 0 when no label stands before it.
 */
export function findLabelled(scan: Scan, start: number): number {
  const entries = scan.compiled.labels.before(start)
  if (!entries) return 0
  const end = codeEnd(start)
  if (end === 0 || ownForm.test(scan.text.slice(start, end))) return 0
  return entries.some(entry => scan.labelled(entry, start, end)) ? end : 0
}

/** Where a code that begins here ends: groups of letters and digits, one sign between them. */
function codeEnd(start: number): number {
  let end = 0
  let at = start
  let digits = 0
  while (at - start <= longestCode) {
    const from = at
    let inGroup = 0
    let small = false
    while (at - from <= longestCode && classAt(at) & (digit | letter)) {
      if (classAt(at) & digit) inGroup++
      else if (classAt(at) & lower) small = true
      at++
    }
    const length = at - from
    const spaced = from > start && codeAt(from - 1) === 0x20
    if (length === 0 || classAt(at) & word) break
    // Words behind a space belong to the sentence; so does a number that is too long for a group.
    if (spaced && (inGroup === 0 ? length > 2 || small : length > (inGroup === length ? longestDigits : longestMixed)))
      break
    if (from > start && !spaced && inGroup === 0 && (small || length > 5)) break
    digits += inGroup
    if (inGroup > 0 || from > start) end = at
    const sign = codeAt(at)
    if (!(separatorAt(at) || sign === 0x5f) || !(classAt(at + 1) & (digit | letter))) break
    if (sign === 0x20 && length > longestGroup) break
    at++
  }
  return digits >= 3 ? end : 0
}
