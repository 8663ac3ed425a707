import type { Scan } from '../scan.ts'

const header = /(?:-{4,5} ?)?BEGIN (?:[A-Z0-9 ]{0,40})PRIVATE KEY(?: BLOCK)? ?-{4,5}/y
const body = /[A-Za-z0-9+/=\s\\:,."']{40,16384}/y
/** What goes on behind that must be nothing but lines of a key. */
const further = /[A-Za-z0-9+/=\s\\]{1,49152}/y
/** Whole chains of keys and the exports of key rings fit in this. */
export const longestKeyBlock = 65_536

/** Called at `-----BEGIN`, `---- BEGIN`, or at `BEGIN` where the hyphens got lost: the block up to its end, or what looks like its body when the end is missing. */
export function findKeyBlock(scan: Scan, start: number): number {
  const { text } = scan
  header.lastIndex = start
  if (!header.test(text)) return 0
  const from = header.lastIndex
  if (scan.keyBlockEnd < from && scan.keyBlockEnd !== text.length) {
    const next = text.indexOf('-----END', from)
    scan.keyBlockEnd = next < 0 ? text.length : next
  }
  let end = 0
  if (scan.keyBlockEnd < text.length && scan.keyBlockEnd - from <= longestKeyBlock) {
    const close = text.indexOf('-----', scan.keyBlockEnd + 8)
    end = close > 0 && close - scan.keyBlockEnd < 64 ? close + 5 : scan.keyBlockEnd + 8
    // What manuals put between the lines: dots, stars, nothing.
    const inside = text.slice(from, Math.min(scan.keyBlockEnd, from + 400))
    if (!/(?:[A-Za-z0-9+/][^A-Za-z0-9+/]{0,3}){12}/.test(inside) || /^[a-z]+(?: [a-z]+){2,}$/i.test(inside)) return end
  } else {
    body.lastIndex = from
    // Something stands under the line that says what it is, even if it does not look like a key.
    if (body.test(text)) end = endOfBody(text, body.lastIndex, from)
    else if (/^\r?\n\s{0,8}\w/.test(text.slice(from, from + 16))) end = from
    else return from
  }
  const detector = scan.compiled.finders.privateKey
  if (detector) scan.keep(detector, start, end)
  return end
}

function endOfBody(text: string, end: number, from: number): number {
  further.lastIndex = end
  return end - from === 16_384 && further.test(text) ? further.lastIndex : end
}

const azureSecret = /[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~-])/y

/** Called at `Q~` behind a digit, which stands in the fifth place of a client secret of Azure. */
export function findAzureSecret(scan: Scan, at: number): number {
  azureSecret.lastIndex = at - 4
  const detector = scan.compiled.finders.azureSecret
  if (at < 4 || !detector || !azureSecret.test(scan.text)) return 0
  return scan.candidate(detector, at - 4, azureSecret.lastIndex) ? azureSecret.lastIndex : 0
}

const telegram = /\d{5,16}:A[\w-]{33,34}(?![\w-])/y

/** Called at a number with `:A` after it. */
export function findTelegramToken(scan: Scan, start: number): number {
  telegram.lastIndex = start
  const detector = scan.compiled.finders.telegram
  if (!detector || !telegram.test(scan.text)) return 0
  scan.keep(detector, start, telegram.lastIndex)
  return telegram.lastIndex
}

const hashInBraces = /:\{S?SHA\d{0,3}\}[0-9A-Za-z+/]{24,120}={0,2}/y

/** Called at `:{S`: `ali:{SHA}…`, the hash of a password in a file of a web server. */
export function findHashInBraces(scan: Scan, at: number): void {
  hashInBraces.lastIndex = at
  const detector = scan.compiled.finders.passwordHash
  if (detector && hashInBraces.test(scan.text)) scan.keep(detector, at + 1, hashInBraces.lastIndex)
}
