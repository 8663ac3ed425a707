import { isDate } from '../../validators/checksums.ts'
import type { Scan } from '../scan.ts'

const decimalPair = /(\d{1,3})\.\d{3,15}°?[ ]?[NS]?[ ]?[,;/ ][ ]?([+-]?)(\d{1,3})\.\d{3,15}(?![0-9A-Za-z_]|\.\d)/y
const degrees =
  /(\d{1,3})°[ ]?(?:\d{1,2}(?:\.\d{1,6})?[′'’][ ]?)?(?:\d{1,2}(?:\.\d{1,6})?[″"”][ ]?)?[NS][ ,;]{0,3}\d{1,3}°[ ]?(?:\d{1,2}(?:\.\d{1,6})?[′'’][ ]?)?(?:\d{1,2}(?:\.\d{1,6})?[″"”][ ]?)?[EWO]/y

/** Called at a number of at most three digits with a dot after it: latitude, then longitude. */
export function findDecimalPair(scan: Scan, start: number): number {
  const { text } = scan
  decimalPair.lastIndex = start
  const match = decimalPair.exec(text)
  if (!match || Number(match[1]) > 90 || Number(match[3]) > 180) return 0
  const detector = scan.compiled.finders.gps
  const from = /[+-]/.test(text[start - 1] ?? '') ? start - 1 : start
  if (detector) scan.keep(detector, from, decimalPair.lastIndex)
  return decimalPair.lastIndex
}

/** Called at a number with a degree sign after it; the form alone says what it is. */
export function findDegrees(scan: Scan, start: number): number {
  degrees.lastIndex = start
  if (!degrees.test(scan.text)) return findHalf(scan, start)
  scan.found.push({ start, end: degrees.lastIndex, type: 'GPS_COORDINATES', rule: 'gps', score: 0.85 })
  return degrees.lastIndex
}

const oneAngle = /(\d{1,3})°[ ]?\d{1,2}[′'’][ ]?\d{1,2}(?:\.\d{1,6})?[″"”][ ]?[NSEW](?![0-9A-Za-z_])/y

/** Latitude or longitude by itself, to the second: a cell of a table, or a line of a form. */
function findHalf(scan: Scan, start: number): number {
  oneAngle.lastIndex = start
  const match = oneAngle.exec(scan.text)
  const detector = scan.compiled.finders.gps
  if (!match || Number(match[1]) > 180) return 0
  if (detector) scan.keep(detector, start, oneAngle.lastIndex)
  return oneAngle.lastIndex
}

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre'
const wordsBefore = new RegExp(
  `(?:(\\d{1,2})(?:st|nd|rd|th|\\.)?[ -](?:of )?(?:${months})\\.?|(?:${months})\\.? (\\d{1,2})(?:st|nd|rd|th)?),?[ -]$`,
  'i',
)

/** Called at a year with a word or comma before it: `12 March 1980`, `March 12, 1980`. */
export function findDateInWords(scan: Scan, year: number, end: number): void {
  const detector = scan.compiled.finders.birthInWords
  if (!detector) return
  const before = scan.text.slice(Math.max(0, year - 24), year)
  const match = wordsBefore.exec(before)
  if (!match || !isDate(0, 1, Number(match[1] ?? match[2]))) return
  scan.keep(detector, year - match[0].length, end)
}
