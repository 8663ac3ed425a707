import { allSame, isDate, number, value, weighted } from './checksums.ts'
import { isRrn } from './world.ts'

/** Identifiers of countries further off. All take digits and upper-case letters without separators. */

const crossSum = (product: number): number => (product > 9 ? product - 9 : product)

/** German health insurance number: the letter counts as two digits; every second digit doubled, as in Luhn's sum. */
export function isGermanHealthId(text: string): boolean {
  if (!/^[A-Z]\d{9}$/.test(text)) return false
  const digits = String(text.charCodeAt(0) - 64).padStart(2, '0') + text.slice(1, 9)
  let sum = 0
  for (let at = 0; at < 10; at++) sum += crossSum(value(digits, at) * (at % 2 ? 2 : 1))
  return sum % 10 === value(text, 9)
}

/** Number of a German doctor: six digits with weights 4 and 9, a check digit, two digits for the field. */
export const isGermanDoctor = (digits: string): boolean =>
  !allSame(digits) && (10 - (weighted(digits, [4, 9, 4, 9, 4, 9]) % 10)) % 10 === value(digits, 6)

/** Check digit of travel documents: weights 7-3-1 over digits and letters (A = 10). */
export function isTravelDocument(text: string): boolean {
  let sum = 0
  for (let at = 0; at < text.length - 1; at++) {
    const code = text.charCodeAt(at)
    sum += (code < 58 ? code - 48 : code - 55) * ([7, 3, 1][at % 3] ?? 0)
  }
  return sum % 10 === value(text, text.length - 1)
}

/** Korean resident number with the check digit of numbers issued before October 2020; foreigners' is two more. */
export const isRrnChecked = (digits: string): boolean =>
  isRrn(digits) &&
  ((value(digits, 6) < 5 ? 11 : 13) - (weighted(digits, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10 ===
    value(digits, 12)

/** Taiwanese identity number: the letter is a place of two digits, the next digit the sex. */
export function isTaiwanese(text: string): boolean {
  if (!/^[A-Z][1289]\d{8}$/.test(text)) return false
  const place = 10 + 'ABCDEFGHJKLMNPQRSTUVXYWZIO'.indexOf(text[0] ?? '')
  const sum = Math.floor(place / 10) + (place % 10) * 9 + weighted(text, [8, 7, 6, 5, 4, 3, 2, 1, 1], 1)
  return sum % 10 === 0
}

/** Russian pension number (SNILS). */
export const isSnils = (digits: string): boolean =>
  digits > '00100199800' && (weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100 === number(digits, 9, 11)

/** Russian tax number: ten digits for companies, twelve with two check digits for people. */
export const isInn = (digits: string): boolean =>
  digits.length === 10
    ? (weighted(digits, [2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === value(digits, 9)
    : (weighted(digits, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === value(digits, 10) &&
      (weighted(digits, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === value(digits, 11)

/** Icelandic kennitala; companies have 40 added to the day. */
export function isIcelandic(digits: string): boolean {
  const day = number(digits, 0, 2)
  if (!isDate(number(digits, 4, 6), number(digits, 2, 4), day > 40 ? day - 40 : day)) return false
  return (11 - (weighted(digits, [3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === value(digits, 8) && /[089]$/.test(digits)
}

export const isLatvian = (digits: string): boolean =>
  isDate(number(digits, 4, 6), number(digits, 2, 4), number(digits, 0, 2)) &&
  ((1101 - weighted(digits, [1, 6, 3, 7, 9, 10, 5, 8, 4, 2])) % 11) % 10 === value(digits, 10)

/** Swiss company number: `CHE` and nine digits. */
export const isSwissCompany = (text: string): boolean =>
  /^CHE\d{9}$/.test(text) && (11 - (weighted(text, [5, 4, 3, 2, 7, 6, 5, 4], 3) % 11)) % 11 === value(text, 11)

/** Venezuelan RIF: the letter counts, too. */
export function isRif(text: string): boolean {
  const first = { V: 4, E: 8, J: 12, P: 16, G: 20 }[text[0] ?? '']
  return first !== undefined && '00987654321'[(first + weighted(text, [3, 2, 7, 6, 5, 4, 3, 2], 1)) % 11] === text[9]
}

/** Malaysian identity number: birth date, place, serial. */
export const isMalaysian = (digits: string): boolean =>
  isDate(number(digits, 0, 2), number(digits, 2, 4), number(digits, 4, 6)) &&
  !/^.{6}(?:00|1[7-9]|20|69|70|73|8[01]|9[4-7])/.test(digits)
