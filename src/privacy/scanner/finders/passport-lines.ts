import { isTravelDocument } from '../../validators/further.ts'
import { codeAt } from '../codes.ts'
import type { Scan } from '../scan.ts'

/** The line of numbers: document, its digit, nation, birth, its digit, sex, expiry (or these first, on cards). */
const bookLine = /([A-Z0-9<]{9}\d)[A-Z<]{3}(\d{7})[MFX<]\d{7}[A-Z0-9<]{9,16}(?![A-Z0-9<])/y
const cardLine = /(\d{7})[MFX<]\d{7}[A-Z<]{3}[A-Z0-9<]{11}\d(?![A-Z0-9<])/y
const nameLines = /(?:[A-Z][A-Z<][A-Z]{3}[A-Z0-9<]{25,39}\r?\n)$/
const lineBehind = /\r?\n[A-Z]{2}[A-Z<]{28}(?![A-Z0-9<])/y

/**
 * Called at a word with digits and `<` behind it: the lines at the foot of a passport, a visa or an identity card, which
 * hold a whole person. The check digit of the birth date confirms them.
 */
export function findPassportLines(scan: Scan, start: number): number {
  const { text } = scan
  const before = codeAt(start - 1)
  if (start > 0 && before !== 0x0a && before !== 0x20 && before !== 0x22) return 0
  bookLine.lastIndex = start
  const book = bookLine.exec(text)
  cardLine.lastIndex = start
  const card = book ? null : cardLine.exec(text)
  const birth = book?.[2] ?? card?.[1]
  if (!birth || !isTravelDocument(birth)) return 0
  let end = book ? bookLine.lastIndex : cardLine.lastIndex
  lineBehind.lastIndex = end
  if (card && lineBehind.test(text)) end = lineBehind.lastIndex
  const above = nameLines.exec(text.slice(Math.max(0, start - 48), start))
  const detector = scan.compiled.finders.passportLines
  if (detector) scan.keep(detector, start - (above?.[0].length ?? 0), end)
  return end
}
