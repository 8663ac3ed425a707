import { allSame, luhn, value, weighted } from './checksums.ts'

/** Numbers of companies. All take digits and upper-case letters without separators. */

/** French SIREN, or SIRET with the establishment behind it; the post office numbers its own by the sum of digits. */
export function isSiret(digits: string): boolean {
  const company = digits.slice(0, 9)
  if (allSame(company) || !luhn(company)) return false
  if (digits.length === 9 || luhn(digits)) return true
  let sum = 0
  for (let at = 0; at < digits.length; at++) sum += value(digits, at)
  return company === '356000000' && sum % 5 === 0
}

/** Canadian business number, with the account at the revenue agency behind it: `RT0001`. */
export const isCanadianBusiness = (text: string): boolean =>
  /^\d{9}(?:R[CDEGMNPRTZ]\d{4})?$/.test(text) && !allSame(text.slice(0, 9)) && luhn(text.slice(0, 9))

/** Korean business number. */
export const isKoreanBusiness = (digits: string): boolean => {
  const sum = weighted(digits, [1, 3, 7, 1, 3, 7, 1, 3, 5]) + Math.floor((value(digits, 8) * 5) / 10)
  return !allSame(digits) && (10 - (sum % 10)) % 10 === value(digits, 9)
}

/** Korean corporate number: court (1101 to 2850), kind of company, serial; the check digit of those issued before 2025. */
export const isKoreanCorporation = (digits: string): boolean =>
  /^(?:1[1-9]|2[0-8])\d\d(?:1[1-5]|2[12]|[345]\d|7[01]|8[1-6])/.test(digits) &&
  (10 - (weighted(digits, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]) % 10)) % 10 === value(digits, 12)

/** Swedish organisation number: the third digit tells it from a birth month. */
export const isSwedishOrganisation = (digits: string): boolean =>
  value(digits, 2) >= 2 && !allSame(digits) && luhn(digits)

/** Norwegian organisation number: weights and mod 11. */
export const isNorwegianOrganisation = (digits: string): boolean =>
  /^[89]/.test(digits) && (11 - (weighted(digits, [3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === value(digits, 8)

/** Turkish tax number: every digit is moved on by its place, then counts by a power of two. */
export function isTurkishTax(digits: string): boolean {
  if (allSame(digits)) return false
  let sum = 0
  for (let at = 0; at < 9; at++) {
    const moved = (value(digits, at) + 9 - at) % 10
    sum += moved === 9 ? 9 : (moved * 2 ** (9 - at)) % 9
  }
  return (10 - (sum % 10)) % 10 === value(digits, 9)
}

/** Chinese company code: 17 characters with powers of three, mod 31. */
export function isChineseCompany(text: string): boolean {
  const alphabet = '0123456789ABCDEFGHJKLMNPQRTUWXY'
  if (!/^[159Y][1239]\d{6}[0-9A-HJ-NP-RTUW-Y]{10}$/.test(text)) return false
  let sum = 0
  let weight = 1
  for (let at = 0; at < 17; at++) {
    sum += alphabet.indexOf(text[at] ?? '') * weight
    weight = (weight * 3) % 31
  }
  return alphabet[(31 - (sum % 31)) % 31] === text[17]
}
