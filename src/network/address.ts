import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/**
 * Which addresses may be dialled. IPv4 by a list of what is special; IPv6 by a list of what is not: only what IANA hands
 * out to hosts (2000::/3) without its special parts, since new special ranges keep being made elsewhere.
 */

type Range = readonly [prefix: string, why: string]

const special4: readonly Range[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier-grade NAT'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'cloud metadata'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'reserved'],
  ['192.52.193.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'reserved'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
]

/** Special parts of 2000::/3. Everything outside of it is refused without being listed, but for NAT64. */
const special6: readonly Range[] = [
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'reserved'],
  ['3fff::/20', 'documentation'],
]
const handedOut = parsePrefix('2000::/3')
/** The well-known prefix of NAT64: the only way to the IPv4 Internet on some networks, judged by the address inside. */
const nat64 = parsePrefix('64:ff9b::/96')

const ranges4 = special4.map(([prefix, why]) => ({ ...parsePrefix(prefix), why }))
const ranges6 = special6.map(([prefix, why]) => ({ ...parsePrefix(prefix), why }))

/** Why an address must not be dialled, or null. Takes what `isIP` takes; anything else is refused. */
export function forbiddenAddress(address: string, own: ReadonlySet<string> = ownAddresses()): string | null {
  const bytes = addressBytes(address)
  if (!bytes) return 'not an address'
  const special = bytes.length === 4 ? special4Of(bytes) : special6Of(bytes)
  if (special) return special
  const embedded = bytes.length === 16 && within(bytes, nat64) ? bytes.slice(12) : null
  return own.has(keyOf(bytes)) || (embedded && own.has(keyOf(embedded))) ? 'an address of this machine' : null
}

const special4Of = (bytes: readonly number[]): string | null => ranges4.find(range => within(bytes, range))?.why ?? null

function special6Of(bytes: readonly number[]): string | null {
  if (within(bytes, nat64)) return special4Of(bytes.slice(12))
  if (!within(bytes, handedOut)) return namedOutside(bytes)
  const special = ranges6.find(range => within(bytes, range))?.why
  if (special) return special
  // ISATAP: an IPv4 address in the interface part of any prefix (RFC 5214), whatever its universal and group bits say.
  return ((bytes[8] ?? 0) & 0xfc) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
    ? 'IPv4 inside IPv6'
    : null
}

function namedOutside(bytes: readonly number[]): string {
  const [first = 0, second = 0] = bytes
  if (first === 0xff) return 'multicast'
  if (first === 0xfe && (second & 0xc0) === 0x80) return 'link-local'
  if ((first & 0xfe) === 0xfc) return 'private'
  if (bytes.every((byte, index) => byte === (index === 15 ? 1 : 0))) return 'loopback'
  return 'reserved'
}

/** The same address always in the same words, and only when it was written in a usual form; null for any other text. */
export function canonicalAddress(text: string): string | null {
  const bytes = addressBytes(text)
  return bytes && ipaddr.fromByteArray([...bytes]).toString()
}

export const sameAddress = (one: string, other: string): boolean => {
  const [a, b] = [canonicalAddress(one), canonicalAddress(other)]
  return a !== null && a === b
}

/** Every address of this machine's interfaces, as `forbiddenAddress` compares them. */
export function ownAddresses(): Set<string> {
  const found = Object.values(networkInterfaces()).flatMap(each => each ?? [])
  return new Set(
    found.flatMap(({ address }) => {
      const bytes = addressBytes(address.split('%')[0] ?? '')
      return bytes ? [keyOf(bytes)] : []
    }),
  )
}

function addressBytes(text: string): number[] | null {
  // `isIP` is strict where ipaddr.js is generous: no octal, no hex, no missing parts. Zones are for this machine only.
  if (isIP(text) === 0 || text.includes('%')) return null
  return ipaddr.parse(text).toByteArray()
}

const keyOf = (bytes: readonly number[]): string => bytes.join('.')

interface Prefix {
  readonly bytes: readonly number[]
  readonly bits: number
}

function parsePrefix(text: string): Prefix {
  const [address, bits] = ipaddr.parseCIDR(text)
  return { bytes: address.toByteArray(), bits }
}

function within(bytes: readonly number[], prefix: Prefix): boolean {
  if (bytes.length !== prefix.bytes.length) return false
  for (let at = 0, left = prefix.bits; left > 0; at++, left -= 8) {
    const mask = left >= 8 ? 0xff : (0xff << (8 - left)) & 0xff
    if (((bytes[at] ?? 0) & mask) !== ((prefix.bytes[at] ?? 0) & mask)) return false
  }
  return true
}
