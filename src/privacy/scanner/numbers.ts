import { digit, joiner, letter, lower, underscore, upper, word } from './classes.ts'
import { classAt, codeAt, isQuoteAt, separatorAt } from './codes.ts'
import { longestWord } from './compile.ts'
import { findBic, findIban } from './finders/iban.ts'
import { findAzureSecret, findTelegramToken } from './finders/keys.ts'
import { findByForm, findLabelled } from './finders/labelled.ts'
import { findInColons, findIpv4, findIpv6, findMac } from './finders/network.ts'
import { findAttached } from './finders/option.ts'
import { findPassportLines } from './finders/passport-lines.ts'
import { findByContext, findInBrackets, findInternational } from './finders/phone.ts'
import { findDateInWords, findDecimalPair, findDegrees } from './finders/places.ts'
import { findSecond, findSecretAfterLabel } from './finders/secret-after-label.ts'
import { findServiceKey, mayBeServiceKey } from './finders/service-key.ts'
import { goesOn } from './marks/traits.ts'
import { tryPrefixes } from './prefixes.ts'
import type { Scan } from './scan.ts'
import { walkShapes } from './shapes.ts'

/** A word with a digit in it: numbers, identifiers, keys. Returns where to go on. */
export function numbered(scan: Scan, start: number, end: number, mask: number): number {
  const { text, compiled } = scan
  const follows = codeAt(end)
  const length = end - start
  if (!(mask & (letter | underscore))) return plainNumber(scan, start, end, follows)
  if (length === 8 && follows === 0x2d && isUuid(scan, start)) {
    if (!isBehindSpace(start) || !findSecretAfterLabel(scan, start)) findServiceKey(scan, start, end)
    return start + 36
  }
  // `0.56192146j`, `9.9990000e+07`: the digits behind a point.
  if (codeAt(start - 1) === 0x2e && classAt(start - 2) & digit && classAt(start) & digit) return end
  // `42ms`, `v2`, `x86`: too short for anything but a part of a log. Four may begin an IBAN.
  if (length < 6 && length !== 4 && mask & lower && !(mask & underscore) && !(classAt(end) & joiner)) {
    // `passport: k40 718 265`
    const goesOn = follows === 0x20 && classAt(end + 1) & digit && classAt(start) & letter
    return goesOn ? Math.max(end, findLabelled(scan, start)) : end
  }
  if (follows === 0x3c && length >= 9 && !(mask & lower)) {
    const ends = findPassportLines(scan, start)
    if (ends) return ends
  }
  if (follows === 0x7e && codeAt(end - 1) === 0x51) {
    const ends = findAzureSecret(scan, end - 1)
    if (ends > end) return ends
  }
  if (isGlued(start, length)) return numberedFrom(scan, start + 2, end)
  const first = codeAt(start)
  const ends = tryPrefixes(scan, start)
  if (ends > end) return ends
  if (length >= 6) {
    const ends = isBehindSpace(start)
      ? findSecretAfterLabel(scan, start)
      : secondBehind[codeAt(start - 1) & 127]
        ? findSecond(scan, start)
        : codeAt(start - 1) === 0x2d || isQuoteAt(start - 1)
          ? findAttached(scan, start)
          : 0
    if (ends > end) return ends
  }
  const byLength = length <= longestWord ? compiled.words[length] : undefined
  if (byLength) {
    for (const { entry, pattern, starts } of byLength) {
      if (starts[first] !== 1) continue
      pattern.lastIndex = start
      if (pattern.test(text)) scan.candidate(entry, start, pattern.lastIndex)
    }
  }
  if (mayBeServiceKey(length, end)) {
    const ends = findServiceKey(scan, start, end)
    if (ends > end) return ends
  }
  if ((classAt(start + 1) & letter) !== 0 && (classAt(start + 2) & digit) !== 0) {
    const ends = findIban(scan, start)
    if (ends > end) return ends
  }
  if (length <= 24) {
    const ends = findByForm(scan, start)
    if (ends > end) return ends
  }
  if (length <= 4 && follows === 0x3a)
    return Math.max(end, findIpv6(scan, start), length === 2 ? findMac(scan, start) : 0)
  if (length === 2 && follows === 0x2d) return Math.max(end, findMac(scan, start))
  if (length === 4 && follows === 0x2e) return Math.max(end, findMac(scan, start))
  if ((length === 8 || length === 11) && !(mask & (lower | underscore))) findBic(scan, start, end)
  return end
}

/** `my code is199003052397`: the space was forgotten. */
const isGlued = (start: number, length: number): boolean =>
  length >= 11 && codeAt(start) === 0x69 && codeAt(start + 1) === 0x73 && (classAt(start + 2) & digit) !== 0

function numberedFrom(scan: Scan, start: number, end: number): number {
  let mask = 0
  for (let at = start; at < end; at++) mask |= classAt(at)
  return numbered(scan, start, end, mask)
}

/** Signs between the two parts of a pair. */
const secondBehind = new Uint8Array(128)
for (const sign of '/:,(') secondBehind[sign.charCodeAt(0)] = 1

/** A space before it, or a quote and a space. */
const isBehindSpace = (start: number): boolean =>
  codeAt(start - 1) === 0x20 || (isQuoteAt(start - 1) && codeAt(start - 2) === 0x20)

function plainNumber(scan: Scan, start: number, end: number, follows: number): number {
  const length = end - start
  if (goesOn[follows & 255]) {
    const ends = joinedNumber(scan, start, end, follows)
    if (ends) return ends
  } else if (length < 6) {
    // Most numbers are short and end where they end: counts, ports, lines. Five digits may be a postal code.
    if (length === 4) maybeYear(scan, start, end)
    return length === 5 ? Math.max(end, findLabelled(scan, start)) : end
  }
  if (length > 31) return end
  const before = start > 0 ? codeAt(start - 1) : 0x20
  // `3.14159265` and `2024-078-05-1123`: the number began earlier. A money sign makes it an amount.
  if ((before === 0x2e || before === 0x2d || before === 0x2f) && classAt(start - 2) & digit) return end
  if (before === 0x2d && codeAt(start - 2) === 0x2d && classAt(start - 3) & digit) return end
  if (before === 0x24 || before === 0x20ac || before === 0xa3 || before === 0xa5) return end
  if (before === 0x2b || before === 0x28) {
    const ends = before === 0x2b ? findInternational(scan, start - 1, start) : findInBrackets(scan, start - 1)
    if (ends) return ends
  }
  if (length === 4) maybeYear(scan, start, end)
  // Nothing that is issued to anyone is this short and ends here, but for the province of a plate: `34 ABC 1234`.
  if (length < 6 && !(separatorAt(end) && classAt(end + 1) & digit) && follows !== 0x28) {
    if (length === 2 && follows === 0x20 && classAt(end + 1) & letter) walkShapes(scan.compiled.shapes, scan, start)
    const may = length === 5 || (separatorAt(end) && classAt(end + 1) & (upper | digit))
    return may ? Math.max(end, findLabelled(scan, start)) : end
  }
  const found = findByForm(scan, start)
  if (found) return Math.max(end, found)
  if (codeAt(start) === 0x30 && codeAt(start + 1) === 0x30 && length >= 3) {
    const ends = findInternational(scan, start, start + 2)
    if (ends) return ends
  }
  // From North America other countries are dialled so.
  if (length === 3 && codeAt(start) === 0x30 && codeAt(start + 1) === 0x31 && codeAt(start + 2) === 0x31) {
    const ends = findInternational(scan, start, end + 1)
    if (ends) return ends
  }
  if (length >= 7 ? length <= 15 : separatorAt(end) !== 0 || follows === 0x28) findByContext(scan, start)
  return end
}

/** A number with a sign behind it that other things than identifiers are written with; 0 when it is none of them. */
function joinedNumber(scan: Scan, start: number, end: number, follows: number): number {
  const length = end - start
  switch (follows) {
    case 0x2d: // -
      if (length === 4) return timestampEnd(start)
      if (length === 8) return isUuid(scan, start) ? start + 36 : 0
      return length === 2 && codeAt(end + 3) === 0x2d ? findMac(scan, start) : 0
    case 0x2e: {
      // .
      if (length === 4) return findMac(scan, start)
      if (length > 3) return 0
      const decimals = digitsFrom(end + 1)
      const ends = decimals > 0 && decimals <= 3 && codeAt(end + 1 + decimals) === 0x2e ? findIpv4(scan, start) : 0
      return ends || (decimals >= 3 && mayGoOnAsPair(end + 1 + decimals) ? findDecimalPair(scan, start) : 0)
    }
    case 0x3a: {
      // :
      const time = length === 2 ? timeEnd(start) : 0
      if (time) return time
      if (length === 4 && codeAt(end + 5) === 0x3a) findInColons(scan, start)
      if (length <= 4) return Math.max(findIpv6(scan, start), length === 2 ? findMac(scan, start) : 0)
      return length <= 16 && codeAt(end + 1) === 0x41 ? Math.max(end, findTelegramToken(scan, start)) : 0
    }
    case 0x24: // `$6$…$…`, the hash of a password
    case 0x2f: // `1//0…` and `0/1234…:…`: keys with a prefix of digits alone are few.
      return length === 1 ? tryPrefixes(scan, start) : 0
    case 0xb0: // °
      return Math.max(end, findDegrees(scan, start))
    default:
      return 0
  }
}

/** `53.3498, -6.2603`, `53.3498°N 6.2603`: most decimals have something else behind them. */
const mayGoOnAsPair = (at: number): boolean =>
  separatorAt(at) !== 0 ||
  codeAt(at) === 0x2c ||
  codeAt(at) === 0x3b ||
  codeAt(at) === 0xb0 ||
  codeAt(at) === 0x4e ||
  codeAt(at) === 0x53

/** `12 March 1980`, `March 12, 1980`: called at the year. */
function maybeYear(scan: Scan, start: number, end: number): void {
  const first = codeAt(start)
  if (codeAt(start - 1) !== 0x20 || (first !== 0x31 && first !== 0x32)) return
  if (codeAt(start - 2) === 0x2c || classAt(start - 2) & letter) findDateInWords(scan, start, end)
}

/** End of `2026-01-05T09:30:00.123Z`, which every line of a log begins with; 0 when it is no such thing. */
function timestampEnd(start: number): number {
  if (codeAt(start + 7) !== 0x2d || codeAt(start + 10) !== 0x54) return 0
  return areTwoDigits(start + 5) && areTwoDigits(start + 8) && areTwoDigits(start + 11) ? timeEnd(start + 11) : 0
}

/** End of `09:30:00` or `09:30:00.123`; 0 when more colons follow, as in a hardware address. */
function timeEnd(start: number): number {
  if (codeAt(start + 2) !== 0x3a || codeAt(start + 5) !== 0x3a) return 0
  if (!areTwoDigits(start + 3) || !areTwoDigits(start + 6)) return 0
  let end = start + 8
  if ((codeAt(end) === 0x2e || codeAt(end) === 0x2c) && classAt(end + 1) & digit) end += 1 + digitsFrom(end + 1)
  if (codeAt(end) === 0x5a) end++
  return classAt(end) & word || codeAt(end) === 0x3a ? 0 : end
}

const areTwoDigits = (at: number): boolean => (classAt(at) & classAt(at + 1) & digit) !== 0

function digitsFrom(from: number): number {
  let at = from
  while (at < from + 16 && classAt(at) & digit) at++
  return at - from
}

const uuid = /[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?![0-9A-Za-z_])/y

/** A UUID is passed over whole: its groups would look like parts of cards and hardware addresses. */
function isUuid(scan: Scan, start: number): boolean {
  const { text } = scan
  if (codeAt(start + 13) !== 0x2d || codeAt(start + 18) !== 0x2d) return false
  uuid.lastIndex = start
  return uuid.test(text)
}
