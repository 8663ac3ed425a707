import { createHash } from 'node:crypto'
import { keccak256 } from './keccak.ts'

/** Addresses of crypto-currencies: Base58Check and Bech32 carry checksums of their own. */

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const base58Value = new Int8Array(128).fill(-1)
for (let at = 0; at < base58.length; at++) base58Value[base58.charCodeAt(at)] = at

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()

/** Twenty-five bytes whose last four are the double hash of the rest. */
export function isBase58Check(text: string): boolean {
  const bytes = new Uint8Array(25)
  for (let at = 0; at < text.length; at++) {
    let carry = base58Value[text.charCodeAt(at)] ?? -1
    if (carry < 0) return false
    for (let index = 24; index >= 0; index--) {
      carry += 58 * (bytes[index] ?? 0)
      bytes[index] = carry & 0xff
      carry >>= 8
    }
    if (carry) return false
  }
  const check = sha256(sha256(bytes.subarray(0, 21)))
  return check[0] === bytes[21] && check[1] === bytes[22] && check[2] === bytes[23] && check[3] === bytes[24]
}

const bech32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

function polymod(check: number, add: number): number {
  const top = check >>> 25
  let next = ((check & 0x1ffffff) << 5) ^ add
  for (const [bit, generator] of [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3].entries()) {
    if ((top >>> bit) & 1) next ^= generator
  }
  return next
}

/** Bech32 and Bech32m, for `bc1…`, `tb1…`, `ltc1…`. */
export function isBech32(address: string): boolean {
  const text = address.toLowerCase()
  if (text !== address && address.toUpperCase() !== address) return false
  const split = text.lastIndexOf('1')
  let check = 1
  for (let at = 0; at < split; at++) check = polymod(check, text.charCodeAt(at) >>> 5)
  check = polymod(check, 0)
  for (let at = 0; at < split; at++) check = polymod(check, text.charCodeAt(at) & 31)
  for (let at = split + 1; at < text.length; at++) {
    const value = bech32.indexOf(text[at] ?? '')
    if (value < 0) return false
    check = polymod(check, value)
  }
  return check === 1 || check === 0x2bc830a3
}

/** Ethereum: in mixed case, each capital letter stands for a bit of the hash of the rest; in one case nothing is checked. */
export function isEthereum(address: string): boolean {
  const digits = address.slice(2)
  if (/^(.)\1{10}/.test(digits)) return false
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true
  const hash = keccak256(digits.toLowerCase())
  for (let at = 0; at < digits.length; at++) {
    const char = digits.charAt(at)
    if (/[a-f]/i.test(char) && char < 'a' !== Number.parseInt(hash.charAt(at), 16) >= 8) return false
  }
  return true
}
