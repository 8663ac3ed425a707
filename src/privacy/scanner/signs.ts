import { digit, letter, word } from './classes.ts'
import { classAt, codeAt, isQuoteAt } from './codes.ts'
import { findAssignment, findElement, findListed } from './finders/assignment.ts'
import { findCommandLinePassword, findPgpass } from './finders/command-line.ts'
import { findEmail } from './finders/email.ts'
import { findHashInBraces } from './finders/keys.ts'
import { findKubernetesSecret } from './finders/kubernetes.ts'
import { findIpv6 } from './finders/network.ts'
import { findQuoted } from './finders/secret-after-label.ts'
import { findOldHash } from './finders/stated.ts'
import { findSourceName, findUrl } from './finders/url.ts'
import { noteFoldable } from './fold.ts'
import type { Scan } from './scan.ts'

/** A sign that a candidate may hang on. Returns where to go on. */
export function sign(scan: Scan, at: number): number {
  const code = codeAt(at)
  if (isPlainSign(at, code)) return at + 1
  const next = codeAt(at + 1)
  switch (code) {
    case 0x40: // @
      if (next === 0x74 && codeAt(at + 4) === 0x28 && scan.text.startsWith('tcp', at + 1)) findSourceName(scan, at)
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
      if (next === 0x7b && codeAt(at + 2) === 0x53) findHashInBraces(scan, at)
      if (codeAt(at + 14) <= 0x0d && classAt(at + 1) & word) findOldHash(scan, at)
      if (next === 0x0a && codeAt(at - 1) === 0x61) findKubernetesSecret(scan, at)
      if (classAt(at + 1) & digit && (codeAt(at + 5) === 0x3a || codeAt(at + 6) === 0x3a)) findPgpass(scan, at)
      // `12:34` gives nothing to anyone.
      if (!(classAt(at - 1) & digit && classAt(at + 1) & digit)) findAssignment(scan, at)
      return at + 1
    case 0x3d: // =
      findAssignment(scan, at)
      return at + 1
    case 0x3e: // >
      if (next === 0x3c && codeAt(at + 3) !== 0x5b) return at + 1
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

/** A comma before a space, a bracket before anything but a quote: prose and code are full of them. */
const isPlainSign = (at: number, code: number): boolean =>
  code === 0x2c
    ? (codeAt(at + 1) === 0x20 || codeAt(at + 1) === 0x0a) && !isQuoteAt(at - 1)
    : code === 0x28 && !isQuoteAt(at + 1) && !(codeAt(at + 1) === 0x5b && isQuoteAt(at + 2))

function schemeStart(at: number): number {
  let start = at
  while (start > 0 && at - start < 24 && classAt(start - 1) & (letter | digit)) start--
  return start
}
