import { isInternational, isNorthAmerican, isPossible } from '../../validators/phone.ts'
import { digit, separatorKinds, underscore, word } from '../classes.ts'
import { classAt, codeAt, separatorAt } from '../codes.ts'
import type { Scan } from '../scan.ts'

const longest = 15
const shortest = 7
/** Right behind a letter, where a sign and a few digits may be anything. */
const shortestGlued = 10
/** Within a country, with the zero that callers dial. */
const longestAtHome = 13

/** Digits in groups as people write them, with the places where it could end. */
interface Groups {
  readonly digits: string
  /** Digits so far, and the offset after them, for each group. */
  readonly ends: readonly (readonly [count: number, end: number])[]
  readonly dots: number
  readonly others: number
}

function readGroups(scan: Scan, from: number): Groups {
  const { text } = scan
  let digits = ''
  const ends: (readonly [number, number])[] = []
  let at = from
  let open = false
  let dots = 0
  let others = 0
  /** Separators that nothing has followed yet: the full stop of a sentence is none. */
  let dotsAhead = 0
  let othersAhead = 0
  while (at < text.length && digits.length <= longest && ends.length < 9) {
    const start = at
    while (at < text.length && classAt(at) & digit) at++
    if (at === start) break
    dots += dotsAhead
    others += othersAhead
    dotsAhead = 0
    othersAhead = 0
    const group = text.slice(start, at)
    // `+44 (0)20 …`: the zero is for callers at home.
    if (!(open && group === '0')) digits += group
    // `(+41) 22 …`: the bracket was opened before the sign.
    const bracketed = ends.length === 0 && codeAt(from - 2) === 0x28
    if ((open || bracketed) && codeAt(at) === 0x29) {
      at++
      open = false
    }
    if (!open) ends.push([digits.length, at])
    let gap = 0
    while (gap < 3 && at < text.length && !open) {
      const code = codeAt(at)
      const separator = separatorAt(at)
      if (code === 0x28) open = true
      else if (!separator) break
      if (separator === separatorKinds['.']) dotsAhead++
      else othersAhead++
      at++
      gap++
    }
    if (gap === 0 && !classAt(at) && codeAt(at - 1) !== 0x29) break
  }
  return { digits, ends, dots, others }
}

/** `x456`, `ext. 12`, `EXT623` right behind a number: digits that are dialled once somebody has answered. */
const extension = /(?:x|ext\.?) ?\d{1,6}(?![0-9A-Za-z_])/iy

/** Whether a number may end here: at no word, or at an extension. */
function canEnd(scan: Scan, end: number): boolean {
  if (!(classAt(end) & word)) return true
  extension.lastIndex = end
  return (codeAt(end) | 0x20) === 0x78 || (codeAt(end) | 0x20) === 0x65 ? extension.test(scan.text) : false
}

/** What everyone writes for a number that is nobody's, in the right length. */
const fives = '5555555555'
/** `777-77-7777`, `7777777777777`: a key held down. */
const isOneDigit = (digits: string): boolean => /^(\d)\1*$/.test(digits) && digits !== fives

/** Called at `+` before a digit, and at `00` before a country code. */
export function findInternational(scan: Scan, start: number, digitsFrom: number): number {
  // `2+3000000` is a sum; a sign right behind letters begins a number when it has the digits of one.
  const glued = start > 0 ? classAt(start - 1) & word : 0
  if (glued & (digit | underscore)) return 0
  const groups = readGroups(scan, digitsFrom)
  for (let at = groups.ends.length - 1; at >= 0; at--) {
    const [count, end] = groups.ends[at] ?? [0, 0]
    if (count < (glued ? shortestGlued : shortest) || count > longest || !canEnd(scan, end)) continue
    if (!isInternational(groups.digits.slice(0, count))) continue
    const detector = scan.compiled.finders.phoneInternational
    // `0049…` in one piece is as often the number of something else.
    const national = scan.compiled.finders.phoneNational
    const isOnePiece = groups.ends.length === 1 && codeAt(start) === 0x30
    if (isOnePiece && !scan.isAlone(start, end) && !(national && scan.near(national, start, end))) return 0
    if (detector) scan.keep(detector, start, end)
    return end
  }
  return glued || codeAt(start) !== 0x2b ? 0 : findPossible(scan, start, groups)
}

/** A number that no plan has assigned yet, of a length that its country has: enough with a word near, or alone. */
function findPossible(scan: Scan, start: number, groups: Groups): number {
  const [count, end] = groups.ends.at(-1) ?? [0, 0]
  const detector = scan.compiled.finders.phonePossible
  if (!detector || classAt(end) & word || !isPossible(groups.digits.slice(0, count))) return 0
  return scan.keep(detector, start, end) ? end : 0
}

/** `(495) 123-45-67`: Russia and its neighbours. */
const isRussian = (behindArea: string): boolean => /^\d{3}[ -]\d{2}[ -]\d{2}$/.test(behindArea)

/** `(11) 98456-5666`: mobile numbers of Brazil have a nine before them. */
const isBrazilian = (area: string, behindArea: string): boolean =>
  /^[1-9]\d$/.test(area) && /^9\d{4}[ -]?\d{4}$/.test(behindArea)

/** Called at `(` before a digit: `(415) 555-0132`, `(01) 234 5678`. */
export function findInBrackets(scan: Scan, start: number): number {
  const { text } = scan
  let close = start + 1
  while (close - start <= 6 && classAt(close) & digit) close++
  if (codeAt(close) !== 0x29) return 0
  const area = text.slice(start + 1, close)
  if (!/^\d{2,5}$/.test(area)) return 0
  let from = close + 1
  while (from < close + 3 && separatorAt(from)) from++
  const rest = readGroups(scan, from)
  for (let at = rest.ends.length - 1; at >= 0; at--) {
    const [count, end] = rest.ends[at] ?? [0, 0]
    if (!canEnd(scan, end)) continue
    const digits = area + rest.digits.slice(0, count)
    // Written so, even the number that forms are filled with is meant as one.
    const good = area.startsWith('0')
      ? digits.length >= 9 && digits.length <= 12
      : isNorthAmerican(digits) ||
        digits === fives ||
        isRussian(text.slice(from, end)) ||
        isBrazilian(area, text.slice(from, end))
    if (!good) continue
    const detector = scan.compiled.finders.phoneNational
    if (detector) scan.keep(detector, start, end)
    return end
  }
  return 0
}

/** The cheap look before the careful one: most numbers in a text are short. */
function hasEnoughDigits(start: number): boolean {
  let digits = 0
  let gap = 0
  for (let at = start; at < start + 24 && gap < 3; at++) {
    if (classAt(at) & digit) {
      gap = 0
      if (++digits >= shortest) return true
    } else if (separatorAt(at) || codeAt(at) === 0x28 || codeAt(at) === 0x29) gap++
    else return false
  }
  return false
}

/** `15.03.2024`, `03/15/2024`, `15-3-2024`. */
const dayFirst =
  /^(?:(?:0?[1-9]|[12]\d|3[01])([./-])(?:0?[1-9]|1[0-2])\1|(?:0?[1-9]|1[0-2])([./-])(?:0?[1-9]|[12]\d|3[01])\2)(?:19|20)\d\d(?!\d)/
/** `20250620` and `2025 06 20`, which may be eight digits of Denmark or Singapore as well. */
const yearFirst = /^(?:19|20)\d\d( ?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)/

/** A day on which somebody calls, or on which an option can be called, is not dialled. */
function isDate(text: string, start: number): boolean {
  const written = text.slice(start, start + 11)
  if (dayFirst.test(written)) return true
  if (!yearFirst.test(written)) return false
  const before = text.slice(Math.max(0, start - 24), start)
  return /\bcall/i.test(before) && !/tel|phone|mobil|cell|fax/i.test(before)
}

/** Called at a number that nothing else claims: digits that the words around call a phone number. */
export function findByContext(scan: Scan, start: number): number {
  const { text } = scan
  const detector = scan.compiled.finders.phoneNational
  if (!detector) return 0
  if (!hasEnoughDigits(start)) return 0
  // `Chrome/100.0.4896.58` is in every line of a log, and so is `2024-01-02 10`.
  if (codeAt(start - 1) === 0x2f || (codeAt(start + 4) === 0x2d && codeAt(start + 7) === 0x2d)) return 0
  if (!scan.near(detector, start, start + 7)) return 0
  // `1995-2011` is in every header of a file.
  if (codeAt(start + 4) === 0x2d && /^(?:19|20)\d\d-(?:19|20)\d\d(?!\d)/.test(text.slice(start, start + 10))) return 0
  const groups = readGroups(scan, start)
  // `3.1415926`, `2024-01-02 10` and `1,000,000.00` are not dialled.
  if (groups.dots === 1 && groups.others === 0) return 0
  if (/^(?:19|20)\d\d[-/.](?:0[1-9]|1[0-2])[-/.]/.test(text.slice(start, start + 8))) return 0
  if (isDate(text, start)) return 0
  for (let at = groups.ends.length - 1; at >= 0; at--) {
    const [count, end] = groups.ends[at] ?? [0, 0]
    if (count < shortest || count > longestAtHome) continue
    const follows = codeAt(end)
    if (!canEnd(scan, end) || (follows === 0x3a && classAt(end + 1) & digit)) continue
    if (isOneDigit(groups.digits.slice(0, count))) return 0
    // The first groups of something longer are no number of their own.
    if (separatorAt(end) > separatorKinds[' '] && classAt(end + 1) & digit) return 0
    if (!scan.near(detector, start, end)) return 0
    scan.keep(detector, start, end)
    return end
  }
  return 0
}
