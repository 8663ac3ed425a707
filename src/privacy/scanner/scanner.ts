import type { Finding } from '../../contract/privacy.ts'
import { type Detector, reported } from '../detectors/detector.ts'
import {
  beginning,
  digit,
  foldable,
  foldsTo,
  joiner,
  letter,
  lower,
  separatorOf,
  underscore,
  upper,
  word,
} from './classes.ts'
import { classAt, codeAt, separatorAt } from './codes.ts'
import { type Compiled, compile, longestWord, type Prefixed } from './compile.ts'
import { findAssignment, findElement, findListed } from './finders/assignment.ts'
import { findCommandLinePassword, findOptionPair, findPgpass } from './finders/command-line.ts'
import { findEmail } from './finders/email.ts'
import { findBic, findIban } from './finders/iban.ts'
import { findAzureSecret, findKeyBlock, findTelegramToken } from './finders/keys.ts'
import { findKubernetesSecret } from './finders/kubernetes.ts'
import { findByForm, findLabelled, findLettered } from './finders/labelled.ts'
import { findName } from './finders/name.ts'
import { findIpv4, findIpv6, findMac } from './finders/network.ts'
import { findPassportLines } from './finders/passport-lines.ts'
import { findByContext, findInBrackets, findInternational } from './finders/phone.ts'
import { findDateInWords, findDecimalPair, findDegrees } from './finders/places.ts'
import { findServiceKey, mayBeServiceKey } from './finders/service-key.ts'
import { findQuoted, findSecond, findTold } from './finders/told.ts'
import { findUrl } from './finders/url.ts'
import { fold } from './fold.ts'
import { longestPiece, marks, markWords, maskShift, startMask } from './marks/marks.ts'
import { addDecided, contextStart, cutPoint } from './pieces.ts'
import { resolve } from './resolve.ts'
import { Scan } from './scan.ts'
import { walkShapes } from './shapes.ts'

export interface ScanOptions {
  /** Findings below this score are left out. */
  readonly least?: number
  /** False when the text is a piece of a longer one: nothing in it then stands alone. */
  readonly whole?: boolean
}

/** Finds what is private in a text, in one pass and in time that grows with its length alone. */
export class Scanner {
  readonly #compiled: Compiled

  constructor(detectors: readonly Detector[]) {
    this.#compiled = compile(detectors)
  }

  scan(text: string, options: ScanOptions = {}): Finding[] {
    if (text.length <= longestPiece) return this.#scanPiece(text, options)
    const found: Finding[] = []
    let decided = 0
    while (decided < text.length) {
      const from = contextStart(text, decided)
      const to = Math.min(text.length, from + longestPiece)
      const piece = text.slice(from, to)
      const inPiece = this.#scanPiece(piece, { ...options, whole: false })
      const cut = from + (to === text.length ? piece.length : cutPoint(piece, inPiece, decided - from))
      addDecided(found, inPiece, from, decided, cut)
      decided = cut
    }
    return found
  }

  #scanPiece(text: string, { least = reported, whole = true }: ScanOptions): Finding[] {
    const scan = new Scan(this.#compiled, text, least, whole)
    pass(scan)
    for (const [from, to] of scan.foldable) this.#foldedPass(scan, from, to, least, whole)
    // Not every finder asks how sure it must be; before the others win over it, what is not sure enough has to go.
    return resolve(least > reported ? scan.found.filter(({ score }) => score >= least) : scan.found)
  }

  /** Around look-alike characters the text is read once more with these made plain. */
  #foldedPass(scan: Scan, from: number, to: number, least: number, whole: boolean): void {
    const { text } = scan
    const folded = fold(text, from, to)
    const again = new Scan(this.#compiled, folded.text, least, whole && from === 0 && to === text.length)
    pass(again)
    for (const found of again.found) {
      const start = folded.origin[found.start] ?? from
      const last = folded.origin[found.end - 1] ?? to - 1
      // A first half without its second is one character, also at the very end.
      const isPair = (text.charCodeAt(last) & 0xfc00) === 0xd800 && (text.charCodeAt(last + 1) & 0xfc00) === 0xdc00
      scan.found.push({ ...found, start, end: last + (isPair ? 2 : 1) })
    }
  }
}

/** How far around a look-alike character a value and its context can reach. */
const foldReach = 160

/** A separator with a digit beyond it: the gap in `4242 4242`, beside which something invisible may stand as well. */
const joins = (gap: number, beyond: number): boolean => separatorAt(gap) !== 0 && (classAt(beyond) & digit) !== 0

/** Notes a look-alike character that touches a word; an emoji with its variation selector does not. */
function noteFoldable(scan: Scan, at: number, code: number): void {
  const { text, foldable: stretches } = scan
  const before = classAt(at - 1) & (word | foldable)
  const after = classAt(at + 1) & (word | foldable)
  if (foldsTo.get(code) === 0 && !((before || joins(at - 1, at - 2)) && (after || joins(at + 1, at + 2)))) return
  const last = stretches.at(-1)
  const from = Math.max(0, at - foldReach)
  const to = Math.min(text.length, at + foldReach)
  if (last && from <= last[1]) last[1] = to
  else stretches.push([from, to])
}

/** The one pass, from mark to mark. The finder that fits the look of a word, or the sign between words, is asked. */
function pass(scan: Scan): void {
  const end = markWords(scan.length)
  const list = marks
  let at = 0
  for (let next = 0; next < end; next += 2) {
    const mark = list[next] ?? 0
    const start = mark & startMask
    // A finder has read further than this.
    if (start < at) continue
    const mask = mark >>> maskShift
    if (mask === 0) {
      at = sign(scan, start)
      continue
    }
    const stop = list[next + 1] ?? 0
    if (mask & digit) {
      if (start > at + 2 && codeAt(start - 1) === 0x20) twoLetters(scan, start)
      at = numbered(scan, start, stop, mask)
    } else at = plainWord(scan, start, stop, mask)
    while (at > stop && classAt(at - 1) & word && classAt(at) & word) at = restOfWord(scan, at)
  }
}

/** A finder may stop inside a word, such as at the `_` behind a key: what is left of it is a word of its own. */
function restOfWord(scan: Scan, start: number): number {
  let mask = 0
  let end = start
  while (classAt(end) & word) mask |= classAt(end++)
  if (mask & digit) return numbered(scan, start, end, mask)
  const first = classAt(start)
  return first & upper || mask & underscore || classAt(end) & joiner || end - start === 2
    ? plainWord(scan, start, end, mask)
    : end
}

/** Two small letters, a space and a digit: `ab 12 34 56 c`. Called at the digit. */
function twoLetters(scan: Scan, digits: number): void {
  const small = classAt(digits - 3) & lower && classAt(digits - 2) & letter
  if (small && !(classAt(digits - 4) & word)) walkShapes(scan.compiled.shapes, scan, digits - 3)
}
/** A comma before a space, a bracket before anything but a quote: prose and code are full of them. */
const isPlainSign = (at: number, code: number): boolean =>
  code === 0x2c
    ? (codeAt(at + 1) === 0x20 || codeAt(at + 1) === 0x0a) && !isQuoteAt(at - 1)
    : code === 0x28 && !isQuoteAt(at + 1)

/** A word with a digit in it: numbers, identifiers, keys. Returns where to go on. */
function numbered(scan: Scan, start: number, end: number, mask: number): number {
  const { text, compiled } = scan
  const follows = codeAt(end)
  const length = end - start
  if (!(mask & (letter | underscore))) return plainNumber(scan, start, end, follows)
  if (length === 8 && follows === 0x2d && isUuid(scan, start)) {
    if (!isBehindSpace(start) || !findTold(scan, start)) findServiceKey(scan, start, end)
    return start + 36
  }
  // `0.56192146j`, `9.9990000e+07`: the digits behind a point.
  if (codeAt(start - 1) === 0x2e && classAt(start - 2) & digit && classAt(start) & digit) return end
  // `42ms`, `v2`, `x86`: too short for anything but a part of a log. Four may begin an IBAN.
  if (length < 6 && length !== 4 && mask & lower && !(mask & underscore) && !(classAt(end) & joiner)) return end
  if (follows === 0x3c && length >= 9 && !(mask & lower)) {
    const ends = findPassportLines(scan, start)
    if (ends) return ends
  }
  if (follows === 0x7e && codeAt(end - 1) === 0x51) {
    const ends = findAzureSecret(scan, end - 1)
    if (ends > end) return ends
  }
  const first = codeAt(start)
  const ends = tryPrefixes(scan, start)
  if (ends > end) return ends
  if (length >= 6) {
    const ends = isBehindSpace(start)
      ? findTold(scan, start)
      : secondBehind[codeAt(start - 1) & 127]
        ? findSecond(scan, start)
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
  if (before === 0x24 || before === 0x20ac || before === 0xa3) return end
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
      return ends || (decimals >= 3 ? findDecimalPair(scan, start) : 0)
    }
    case 0x3a: {
      // :
      const time = length === 2 ? timeEnd(start) : 0
      if (time) return time
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

/** Signs behind a short number that may make it part of something longer. */
const goesOn = new Uint8Array(256)
for (const sign of ' -./:()$°\u00a0\u00b7') goesOn[sign.charCodeAt(0)] = 1
// Separators beyond Latin-1, by their last eight bits; what else has these is looked at more closely, no more.
for (let code = 256; code < separatorOf.length; code++) if (separatorOf[code]) goesOn[code & 255] = 1

/** `12 March 1980`, `March 12, 1980`: called at the year. */
function maybeYear(scan: Scan, start: number, end: number): void {
  const first = codeAt(start)
  if (codeAt(start - 1) !== 0x20 || (first !== 0x31 && first !== 0x32)) return
  if (codeAt(start - 2) === 0x2c || classAt(start - 2) & letter) findDateInWords(scan, start, end)
}

/** End of `2026-01-05T09:30:00.123Z`, which every line of a log begins with; 0 when it is no such thing. */
function timestampEnd(start: number): number {
  if (codeAt(start + 7) !== 0x2d || codeAt(start + 10) !== 0x54) return 0
  if (digitsFrom(start + 5) !== 2 || digitsFrom(start + 8) !== 2 || digitsFrom(start + 11) !== 2) return 0
  return timeEnd(start + 11)
}

/** End of `09:30:00` or `09:30:00.123`; 0 when more colons follow, as in a hardware address. */
function timeEnd(start: number): number {
  if (codeAt(start + 2) !== 0x3a || codeAt(start + 5) !== 0x3a) return 0
  if (digitsFrom(start + 3) !== 2 || digitsFrom(start + 6) !== 2) return 0
  let end = start + 8
  if ((codeAt(end) === 0x2e || codeAt(end) === 0x2c) && classAt(end + 1) & digit) end += 1 + digitsFrom(end + 1)
  if (codeAt(end) === 0x5a) end++
  return classAt(end) & word || codeAt(end) === 0x3a ? 0 : end
}

function digitsFrom(from: number): number {
  let at = from
  while (at < from + 16 && classAt(at) & digit) at++
  return at - from
}

/** A word of letters alone: a name, the start of a key such as `sk-…`, or letters before digits such as `AB 12 34 56 C`. */
function plainWord(scan: Scan, start: number, end: number, mask: number): number {
  if (codeAt(start - 2) === 0x75 && codeAt(start - 3) === 0x2d && codeAt(start - 1) === 0x20)
    findOptionPair(scan, start)
  const first = classAt(start)
  const length = end - start
  const separated = length <= 8 && separatorAt(end) !== 0
  const beforeNumber = separated && (classAt(end + 1) & digit) !== 0
  if (beforeNumber || (separated && mask === upper && (classAt(end + 1) & upper) !== 0)) {
    const ends = findLettered(scan, start, length, mask === upper)
    if (ends) return ends
  }
  const opensKey = (classAt(end) & joiner) !== 0 || (mask & underscore) !== 0
  if (opensKey || (separated && length === 2 && first & upper)) tryPrefixes(scan, start)
  if (length <= 4 && length >= 2 && mask & letter) {
    const ends = lettersOfAddress(scan, start, end)
    if (ends) return ends
  }
  if (first & upper) {
    if (mask & lower) findName(scan, start, end)
    else if (mask === upper) return capitals(scan, start, end)
  }
  return end
}

/** `AA:BB:…`, `aabb.ccdd.…`, `face:…`: an address of a network that begins without a digit. */
function lettersOfAddress(scan: Scan, start: number, end: number): number {
  const follows = codeAt(end)
  const length = end - start
  if (length === 2 && (follows === 0x3a || follows === 0x2d) && codeAt(end + 3) === follows) return findMac(scan, start)
  if (length === 4 && follows === 0x2e && codeAt(end + 5) === 0x2e) return findMac(scan, start)
  return follows === 0x3a && (classAt(end + 1) & word) !== 0 ? findIpv6(scan, start) : 0
}

/** A word of capitals: a bank's code, or the start of a key block. */
function capitals(scan: Scan, start: number, end: number): number {
  if (end - start === 8 || end - start === 11) findBic(scan, start, end)
  const opensBlock = end - start === 5 && codeAt(start - 1) === 0x2d && scan.text.startsWith('-----BEGIN', start - 5)
  return opensBlock ? Math.max(end, findKeyBlock(scan, start - 5)) : end
}

/** The end of the longest key that begins here with a prefix; 0 when there is none. */
function tryPrefixes(scan: Scan, start: number): number {
  const { compiled } = scan
  const slot = beginning(codeAt(start), codeAt(start + 1), codeAt(start + 2))
  return compiled.opens[slot] ? longestKey(scan, compiled.prefixes.get(slot) ?? [], start) : 0
}

function longestKey(scan: Scan, list: readonly Prefixed[], start: number): number {
  let ends = 0
  for (const { prefix, entry, pattern } of list) {
    if (!scan.text.startsWith(prefix, start)) continue
    pattern.lastIndex = start
    if (pattern.test(scan.text)) {
      const end = pattern.lastIndex
      if (scan.candidate(entry, start, end) && end > ends) ends = end
    }
  }
  return ends
}

/** A sign that a candidate may hang on. Returns where to go on. */
function sign(scan: Scan, at: number): number {
  const code = codeAt(at)
  if (isPlainSign(at, code)) return at + 1
  const next = codeAt(at + 1)
  switch (code) {
    case 0x40: // @
      if (next > 0x20 && at !== scan.noAddressAt) findEmail(scan, at)
      return at + 1
    case 0x3a: // :
      if (next === 0x2f && codeAt(at + 2) === 0x2f) {
        findUrl(scan, schemeStart(at), at)
        return at + 3
      }
      if (next === 0x3a && !(classAt(at - 1) & word) && (classAt(at + 2) & word) !== 0) {
        const ends = findIpv6(scan, at)
        if (ends) return ends
      }
      if (next > 0x20 && codeAt(at - 1) > 0x20 && !(classAt(at - 1) & classAt(at + 1) & digit))
        findCommandLinePassword(scan, at)
      if (next === 0x0a && codeAt(at - 1) === 0x61) findKubernetesSecret(scan, at)
      if (classAt(at + 1) & digit && (codeAt(at + 5) === 0x3a || codeAt(at + 6) === 0x3a)) findPgpass(scan, at)
      // `12:34` gives nothing to anyone.
      if (!(classAt(at - 1) & digit && classAt(at + 1) & digit)) findAssignment(scan, at)
      return at + 1
    case 0x3d: // =
      findAssignment(scan, at)
      return at + 1
    case 0x3e: // >
      if (next === 0x3c) return at + 1
      if (classAt(at - 1) & word) findAssignment(scan, at)
      else if (next > 0x20 && isQuoteAt(at - 1)) findElement(scan, at)
      return at + 1
    case 0x28: // (
      findAssignment(scan, at)
      return at + 1
    case 0x2c: {
      // ,
      const before = codeAt(at - 1)
      if ((before === 0x22 || before === 0x27) && (isQuoteAt(at + 1) || (next === 0x20 && isQuoteAt(at + 2))))
        findAssignment(scan, at)
      else if (classAt(at - 1) & word && classAt(at + 1) & word) findListed(scan, at)
      return at + 1
    }
    case 0x22: // `"` and `'` behind a word
    case 0x27:
      findQuoted(scan, at)
      return at + 1
    default:
      noteFoldable(scan, at, code)
      return at + 1
  }
}

const isQuoteAt = (at: number): boolean => codeAt(at) === 0x22 || codeAt(at) === 0x27

function schemeStart(at: number): number {
  let start = at
  while (start > 0 && at - start < 24 && classAt(start - 1) & (letter | digit)) start--
  return start
}

const uuid = /[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?![0-9A-Za-z_])/y

/** A UUID is passed over whole: its groups would look like parts of cards and hardware addresses. */
function isUuid(scan: Scan, start: number): boolean {
  const { text } = scan
  if (codeAt(start + 13) !== 0x2d || codeAt(start + 18) !== 0x2d) return false
  uuid.lastIndex = start
  return uuid.test(text)
}
