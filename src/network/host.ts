import { isIPv4, isIPv6 } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { canonicalAddress } from './address.ts'

/** A host in the one form that the matcher, the resolver and the dialler all get. */
export interface Host {
  readonly kind: 'name' | 'address'
  /** Lower case, A-labels, no dot at the end; an address in its canonical form, without brackets. */
  readonly text: string
}

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
/** A last label that begins with a letter: `127.1`, `0x7f` and `2130706433` are numbers to some resolvers. */
const lastLabel = /^[a-z]/

/**
 * The canonical form of a host, or null. Nothing is repaired: control characters, `%`, `@`, brackets in odd places,
 * number forms and letters that only look like others are refused, so that nobody downstream can read it otherwise.
 */
export function canonicalHost(text: string): Host | null {
  if (text.startsWith('[')) return text.endsWith(']') ? addressOf(text.slice(1, -1), isIPv6) : null
  if (isIPv4(text)) return { kind: 'address', text }
  const name = canonicalName(text)
  return name === null ? null : { kind: 'name', text: name }
}

export function canonicalName(text: string): string | null {
  if (text.length > 1024) return null
  const ascii = toAscii(text)
  if (ascii === null) return null
  const name = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii
  const labels = name.split('.')
  if (name.length > 253 || !labels.every(each => label.test(each))) return null
  if (!lastLabel.test(labels.at(-1) ?? '')) return null
  return labels.every(isHonest) ? name : null
}

/** An address as sockets and SOCKS requests have it, without brackets. */
export const addressHost = (text: string): Host | null => addressOf(text, () => true)

/** A host as it stands in a URL. */
export const hostText = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

function addressOf(text: string, fits: (text: string) => boolean): Host | null {
  const address = fits(text) ? canonicalAddress(text) : null
  return address === null ? null : { kind: 'address', text: address }
}

function toAscii(text: string): string | null {
  if (/^[A-Za-z0-9.-]*$/.test(text)) return text.toLowerCase()
  // Only letters beyond ASCII are translated. Signs among them (`％`, `。`, `／`, `①`) would turn into something else.
  if (!/^[\p{L}\p{M}\p{Nd}.-]+$/u.test(text)) return null
  if ([...text].some(turnsPlain)) return null
  const parts = text.normalize('NFC').toLowerCase().split('.')
  const ascii = parts.map(part => (/^[a-z0-9-]*$/.test(part) ? part : domainToASCII(part)))
  // A label that turns into plain letters was written to look like something that it is not: `ｅｃｂ`, `１`.
  return ascii.every((part, index) => part === parts[index] || part.startsWith('xn--')) ? ascii.join('.') : null
}

/** A sign beyond ASCII that is a plain letter in small letters: the Kelvin sign is a `k`. */
const turnsPlain = (sign: string): boolean => sign > '\x7f' && /[\x00-\x7f]/.test(sign.normalize('NFC').toLowerCase())

/** A label with `--` in its third place is an A-label that stands for itself and nothing else. */
function isHonest(part: string): boolean {
  if (part.slice(2, 4) !== '--') return true
  if (!part.startsWith('xn--')) return false
  const unicode = domainToUnicode(part)
  return unicode !== '' && unicode !== part && domainToASCII(unicode) === part
}
