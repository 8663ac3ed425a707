import { ibanLength, isBic, isIban } from '../../validators/money.ts'
import { digit, letter, word } from '../classes.ts'
import { classAt, codeAt, separatorAt } from '../codes.ts'
import type { Scan } from '../scan.ts'

/**
 * Called at a word that begins with two letters and two digits: reads as many characters as its country has. Returns
 * where to go on: past the groups of one that has a wrong digit, too, or these would be taken for cards and the like.
 */
export function findIban(scan: Scan, start: number): number {
  const { text } = scan
  const length = ibanLength(codeAt(start), codeAt(start + 1))
  if (length === 0) return 0
  let plain = ''
  let at = start
  for (; at < text.length && plain.length < length; at++) {
    const code = codeAt(at)
    if (classAt(at) & (digit | letter)) plain += text[at]
    // One separator between groups; two end it.
    else if (!separatorAt(at) || code === 0x2f || separatorAt(at - 1)) break
  }
  if (at < text.length && classAt(at) & word) return 0
  if (plain.length < length - 1) return 0
  if (plain.length < length || !isIban(plain.toUpperCase())) return codeAt(start + 4) === 0x20 ? at : 0
  const detector = scan.compiled.finders.iban
  if (detector) scan.keep(detector, start, at)
  return at
}

/** Called at a word of eight or eleven capital letters and digits. */
export function findBic(scan: Scan, start: number, end: number): void {
  const detector = scan.compiled.finders.bic
  if (detector && isBic(scan.text.slice(start, end))) scan.keep(detector, start, end)
}
