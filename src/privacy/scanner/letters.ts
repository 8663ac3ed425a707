import { digit, joiner, letter, lower, underscore, upper, word } from './classes.ts'
import { classAt, codeAt, separatorAt } from './codes.ts'
import { findOptionPair } from './finders/command-line.ts'
import { findBic } from './finders/iban.ts'
import { findKeyBlock } from './finders/keys.ts'
import { findLettered } from './finders/labelled.ts'
import { findName } from './finders/name.ts'
import { findIpv6, findMac } from './finders/network.ts'
import { findOtherwise, findSecureString } from './finders/stated.ts'
import { tryPrefixes } from './prefixes.ts'
import type { Scan } from './scan.ts'

/** A word of letters alone: a name, the start of a key such as `sk-…`, or letters before digits such as `AB 12 34 56 C`. */
export function plainWord(scan: Scan, start: number, end: number, mask: number): number {
  const first = classAt(start)
  const length = end - start
  // Few words are any of these, and what is rare stands apart, so that the rest stays small enough to be built in.
  if (codeAt(start - 2) === 0x75 || length === 9 || (length > 5 && !(mask & lower))) rareWord(scan, start, end, mask)
  const separated = length <= 8 && separatorAt(end) !== 0
  const beforeNumber = separated && (classAt(end + 1) & digit) !== 0
  if (beforeNumber || (separated && mask === upper && (classAt(end + 1) & upper) !== 0)) {
    const ends = findLettered(scan, start, length, mask === upper)
    if (ends) return ends
  }
  const opensKey = (classAt(end) & joiner) !== 0 || (mask & underscore) !== 0
  const opensNumber = separated && (first & upper) !== 0 && (length === 2 || (length === 3 && beforeNumber))
  // A key may have no digit by chance: one access key of AWS in two hundred has none.
  if (opensKey || opensNumber || length >= 20) {
    const ends = tryPrefixes(scan, start)
    // The groups of a company's number would be taken for a number of their own.
    if (ends > end && beforeNumber) return ends
  }
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

/** `-u name`, `API_KEY value` in a file of settings, `ConvertTo-SecureString`. */
function rareWord(scan: Scan, start: number, end: number, mask: number): void {
  if (codeAt(start - 2) === 0x75 && codeAt(start - 3) === 0x2d && codeAt(start - 1) === 0x20)
    findOptionPair(scan, start)
  if (classAt(start) & upper && !(mask & lower) && end - start > 5) findOtherwise(scan, start, end)
  if (end - start === 9 && codeAt(end) === 0x2d && (codeAt(start) | 32) === 0x63) findSecureString(scan, start)
}

/** `AA:BB:…`, `aabb.ccdd.…`, `face:…`: an address of a network that begins without a digit. */
function lettersOfAddress(scan: Scan, start: number, end: number): number {
  const follows = codeAt(end)
  const length = end - start
  if (length === 2 && (follows === 0x3a || follows === 0x2d) && codeAt(end + 3) === follows) return findMac(scan, start)
  if (length === 4 && follows === 0x2e && codeAt(end + 5) === 0x2e) return findMac(scan, start)
  // `abcd::12`; names of programs go on with a letter.
  const goesOn = codeAt(end + 1) === 0x3a ? classAt(end + 2) & digit : classAt(end + 1) & word
  return follows === 0x3a && goesOn !== 0 ? findIpv6(scan, start) : 0
}

/** A word of capitals: a bank's code, or the start of a key block. */
function capitals(scan: Scan, start: number, end: number): number {
  if (end - start === 8 || end - start === 11) findBic(scan, start, end)
  if (end - start !== 5 || codeAt(start) !== 0x42 || codeAt(end) !== 0x20) return end
  return scan.text.startsWith('BEGIN', start) ? Math.max(end, findKeyBlock(scan, blockStart(scan.text, start))) : end
}

/** Where the hyphens before `BEGIN` start. */
const blockStart = (text: string, start: number): number =>
  text.startsWith('-----', start - 5) || text.startsWith('---- ', start - 5) ? start - 5 : start
