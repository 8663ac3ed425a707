import { classOf, digit, letter, word } from '../classes.ts'
import { classAt, codeAt } from '../codes.ts'
import type { Scan } from '../scan.ts'

/** Endings that look like a domain's last part and name a file or a unit of a system. */
const notDomains = new Set(
  'png jpg jpeg gif svg webp ico css html htm js mjs cjs ts tsx jsx json yaml yml xml txt log csv tar gz zip dll exe jar class java service target socket mount timer slice scope local localdomain internal lan'.split(
    ' ',
  ),
)

/** Signs besides letters, digits and `_` that the part before `@` may have. */
const localSigns = new Uint8Array(128)
for (const sign of "!#$%&'*+-./=?^`{|}~") localSigns[sign.charCodeAt(0)] = 1

/** Called at `@`: reads the name backwards and the domain forwards, both bounded. */
export function findEmail(scan: Scan, at: number): void {
  const { text } = scan
  const start = localStart(at, Math.max(0, at - 64))
  if (start === at) return
  const local = text.slice(start, at)
  if (local.includes('..')) return
  const end = domainEnd(scan, at + 1)
  if (end < 0) {
    findPaymentAddress(scan, start, at)
    return
  }
  // `git@host:path` is an address of a repository.
  if (text[end] === ':' && /^(?:git|hg|svn)$/.test(local)) return
  const detector = scan.compiled.finders.email
  if (detector) scan.keep(detector, start, end)
}

/** `email=jane%40bank.ie`: the addresses that are written as a URL or a form writes them. Most texts have no such sign. */
export function findEncodedEmails(scan: Scan): void {
  const { text } = scan
  const detector = scan.compiled.finders.email
  if (!detector) return
  for (let at = text.indexOf('%40'); at >= 0; at = text.indexOf('%40', at + 3)) {
    const start = encodedLocalStart(at)
    const end = start < at ? domainEnd(scan, at + 3) : -1
    // `git%40host%3Apath` is an address of a repository.
    if (end < 0 || (/^%3A/i.test(text.slice(end, end + 3)) && /^(?:git|hg|svn)$/.test(text.slice(start, at)))) continue
    scan.keep(detector, start, end)
  }
}

/** Where the part before `%40` begins; `at` itself when there is none. */
function encodedLocalStart(at: number): number {
  const floor = Math.max(0, at - 64)
  let start = at
  while (start > floor) {
    const code = codeAt(start - 1)
    if (classAt(start - 1) & word || code === 0x2e || code === 0x2d || code === 0x2b) start--
    else if (code === 0x25) {
      // Written as `%3D` and such, the sign may be one that ends what is before the name.
      const sign = hexAt(start) * 16 + hexAt(start + 1)
      if (!(sign >= 0x80 || encodedSigns.has(sign))) {
        if (sign >= 0) start += 2
        break
      }
      start--
    } else break
  }
  start = Math.min(start, at)
  while (start < at && !(classAt(start) & word) && codeAt(start) !== 0x25) start++
  return codeAt(at - 1) === 0x2e ? at : start
}

/** Signs of a name that are written in this way, besides letters beyond ASCII: `%2B`, `%2D`, `%2E`, `%5F`. */
const encodedSigns = new Set([0x2b, 0x2d, 0x2e, 0x5f])

/** The value of a hexadecimal digit, or less than any sum can make up for. */
function hexAt(at: number): number {
  const code = codeAt(at)
  if (classAt(at) & digit) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1000
}

/** Banks and wallets that stand behind the `@` of a payment address. */
const paymentHandles = new Set(
  'okicici okhdfcbank okaxis oksbi paytm ptyes ptaxis pthdfc ptsbi ybl ibl axl upi apl yapl rapl waicici waaxis wahdfcbank wasbi icici hdfcbank sbi axisbank kotak yesbank idfcbank indus airtel freecharge jupiteraxis fam naviaxis superyes'.split(
    ' ',
  ),
)
const paymentAddress = /[A-Za-z0-9][\w.-]{1,62}@([a-z]{3,12})(?![\w@]|[.:/-]\w)/y

/** `name@okicici`: what payments are sent to in India. */
function findPaymentAddress(scan: Scan, start: number, at: number): void {
  const detector = scan.compiled.finders.paymentAddress
  if (!detector) return
  paymentAddress.lastIndex = start
  const match = paymentAddress.exec(scan.text)
  if (match && start + match[0].indexOf('@') === at && paymentHandles.has(match[1] ?? ''))
    scan.keep(detector, start, paymentAddress.lastIndex)
}

function localStart(at: number, floor: number): number {
  let start = at
  while (start > floor) {
    const code = codeAt(start - 1)
    const fits = classAt(start - 1) & word || (code < 128 ? localSigns[code] === 1 : isUnspaced(code))
    if (!fits || (isUnspaced(code) && codeAt(start) < 128 && start < at)) break
    start--
  }
  // What stands before the name in running text: quotes, brackets, `mailto:` leave signs that belong to the text.
  while (start < at && !(classAt(start) & word) && codeAt(start) < 128) start++
  // `user=jane@…`, `to/jane@…`, `jane|joe@…`: the last of these signs ends what is before the name.
  for (let place = at - 1; place >= start; place--) {
    const code = codeAt(place)
    if (
      code === 0x3d ||
      code === 0x2f ||
      code === 0x7c ||
      code === 0x26 ||
      code === 0x3f ||
      code === 0x60 ||
      code === 0x7b
    )
      return place + 1
  }
  // `{password}@host` is a place where something will be.
  return codeAt(at - 1) === 0x2e || codeAt(at - 1) === 0x7d ? at : start
}

/** Where the domain that starts at `from` ends, or -1 when it is none. */
function domainEnd(scan: Scan, from: number): number {
  const { text } = scan
  const limit = Math.min(text.length, from + 253)
  let end = from
  let label = from
  let lastDot = -1
  for (; end < limit; end++) {
    const code = codeAt(end)
    if (code === 0x2e) {
      if (end === label) break
      lastDot = end
      label = end + 1
    } else if (code === 0x2d) {
      if (end === label) break
    } else if (!(classAt(end) & word) && !isUnspaced(code)) break
    else if (code === 0x5f || (isUnspaced(code) && end > label && codeAt(end - 1) < 128)) break
  }
  // A dot or hyphen at the end belongs to the sentence.
  while (end > from && (codeAt(end - 1) === 0x2e || codeAt(end - 1) === 0x2d)) end--
  // The dot that was trimmed is not the one before the last part; no further than the domain is looked for another.
  if (lastDot >= end) lastDot = from + text.slice(from, end).lastIndexOf('.')
  if (lastDot <= from) return -1
  const top = text.slice(lastDot + 1, end)
  if (
    top.length < 2 ||
    !/^(?:[a-z]{2,24}|xn--[a-z0-9-]{2,40}|[^\x00-\x7f]{2,24})$/i.test(top) ||
    notDomains.has(top.toLowerCase())
  )
    return -1
  if (end < text.length && classAt(end) & letter) return -1
  return end
}

/**
 * A letter of a script that puts no spaces between words. Where it meets a Latin letter the sentence ends and the
 * address begins, or the other way round: `我的邮箱是jane@bank.ie`.
 */
const isUnspaced = (code: number): boolean => code > 0x2ff && !isSpaceOrSign(code) && !isSpaced(code)
const isSpaced = (code: number): boolean => (classOf[code] ?? 0) !== 0

const isSpaceOrSign = (code: number): boolean =>
  code === 0xa0 || (code >= 0x2000 && code <= 0x206f) || (code >= 0x3000 && code <= 0x303f) || code >= 0xff00
