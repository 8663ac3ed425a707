import { digit, word } from '../classes.ts'
import { classAt, codeAt } from '../codes.ts'
import type { Scan } from '../scan.ts'

const ipv4 =
  /(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}(?![0-9A-Za-z_]|\.\d|-\d(?!\d{0,2}\.\d{1,3}\.))/y
/** A version of a package is compared without quotes; an address in a table is compared with one. */
const versionBefore =
  /(?:version|(?:^|[^A-Za-z])(?:ver\.?|v|rev|oid)|release|build|chrome\/|firefox\/|safari\/|edge\/|section|§|chapter|firmware|\^|@)[ :="']{0,5}$|(?:==|>=|<=|~>) {0,2}$/i
const mac = /[0-9A-Fa-f]{2}([:-])[0-9A-Fa-f]{2}(?:\1[0-9A-Fa-f]{2}){4}(?![0-9A-Za-z_]|\1[0-9A-Fa-f])/y
const macDotted = /[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![0-9A-Za-z_]|\.[0-9A-Za-z])/y
const ipv6Run = /[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,8}(?:\.\d{1,3}){0,3}(?:%[0-9A-Za-z]{1,15})?(?![0-9A-Za-z_:])/y

/** Called at a number of at most three digits with a dot after it. */
export function findIpv4(scan: Scan, start: number): number {
  const { text } = scan
  const before = codeAt(start - 1)
  // `10.0.0.1-10.0.0.9`: from one address to another.
  const isSecond = scan.found.at(-1)?.end === start - 1
  if (before === 0x2e || (before === 0x2d && classAt(start - 2) & digit && !isSecond)) return 0
  ipv4.lastIndex = start
  if (!ipv4.test(text)) return 0
  const end = ipv4.lastIndex
  if (versionBefore.test(text.slice(Math.max(0, start - 14), start))) return end
  const detector = scan.compiled.finders.ipv4
  if (detector) scan.keep(detector, start, end)
  return end
}

/** Called at a word of at most four hexadecimal digits with a colon after it, or at `::`. */
export function findIpv6(scan: Scan, start: number): number {
  const { text } = scan
  if (codeAt(start - 1) === 0x3a) return 0
  if (!hasColonsEnough(start)) return 0
  ipv6Run.lastIndex = start
  if (!ipv6Run.test(text)) return 0
  const end = ipv6Run.lastIndex
  if (!isIpv6(text.slice(start, end), scan.isAlone(start, end))) return 0
  const detector = scan.compiled.finders.ipv6
  if (detector) scan.keep(detector, start, end)
  return end
}

/** Two colons together, or seven apart: most colons are in times and in JSON. */
function hasColonsEnough(start: number): boolean {
  let colons = 0
  for (let at = start; at < start + 40; at++) {
    const code = codeAt(at)
    if (code === 0x3a) {
      if (codeAt(at + 1) === 0x3a || ++colons === 7) return true
    } else if (colons === 6 && code === 0x2e) {
      // `0:0:0:0:0:ffff:192.0.2.1`: the last two groups in the old way.
      return true
    } else if (!isHex(code)) return false
  }
  return false
}

const isHex = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66)

function isIpv6(value: string, isAlone: boolean): boolean {
  const address = value.replace(/%.*$/, '')
  const halves = address.split('::')
  // A mask of a network is nobody's address.
  if (halves.length > 2 || /^(?:ffff:{0,2})+$/i.test(address)) return false
  const tail = /(?:^|:)(\d{1,3}(?:\.\d{1,3}){3})$/.exec(address)
  if (address.includes('.') && !tail) return false
  if (tail?.[1]?.split('.').some(part => Number(part) > 255)) return false
  const groups = address.split(':').filter(Boolean)
  if (groups.some(group => group.length > 4 && !group.includes('.'))) return false
  const count = groups.length + (tail ? 1 : 0)
  // `3:4:5:6:7:8:9:10` is a ratio, unless it is all there is.
  if (halves.length === 1)
    return (
      count === 8 &&
      !address.startsWith(':') &&
      !address.endsWith(':') &&
      (isAlone || /[0-9a-f]{3}|[a-f]/i.test(address))
    )
  // `a::b` is how some languages write a name inside another: an abbreviated address has a digit or is a known one.
  return (
    count <= 7 &&
    count >= 1 &&
    (/\d/.test(address) || groups.length > 2) &&
    (isAlone ||
      groups.length > 1 ||
      /^(?:::1|fe80::|ff0[0-9a-f]::|::ffff)/i.test(address) ||
      /^[23][0-9a-f]{3}::$/i.test(address))
  )
}

const fours = /\d{4}:\d{4}:\d{4}(?![0-9A-Za-z_:])/y

/** Called at four digits and a colon, with a colon five further on. */
export function findInColons(scan: Scan, start: number): void {
  const detector = scan.compiled.finders.inColons
  fours.lastIndex = start
  if (detector && codeAt(start - 1) !== 0x3a && fours.test(scan.text)) scan.candidate(detector, start, fours.lastIndex)
}

/** Called at a word of two hexadecimal digits with `:` or `-` after it, or of four with a dot. */
export function findMac(scan: Scan, start: number): number {
  const { text } = scan
  const before = codeAt(start - 1)
  if (before === 0x3a || before === 0x2d || before === 0x2e) return 0
  const pattern = classAt(start + 2) & word ? macDotted : mac
  pattern.lastIndex = start
  if (!pattern.test(text)) return 0
  const end = pattern.lastIndex
  const plain = text.slice(start, end)
  // `5829.1740.3629` is another number.
  if (pattern === macDotted && !/[a-f]/i.test(plain)) return 0
  if (/^(?:ff[:.-]?)+$|^(?:00[:.-]?)+$/i.test(plain)) return end
  const detector = scan.compiled.finders.mac
  if (detector) scan.keep(detector, start, end)
  return end
}
