import { allSame, hasRun, isBirth, isDate, luhn, mod11x10, number, value, weighted } from './checksums.ts'

/** Personal identifiers of continental Europe. All take digits and upper-case letters without separators. */

/** German tax id: one digit of the first ten twice or three times, ISO 7064 mod 11,10. */
export function isGermanTaxId(digits: string): boolean {
  if (digits[0] === '0') return false
  const counts = new Map<string, number>()
  for (const digit of digits.slice(0, 10)) counts.set(digit, (counts.get(digit) ?? 0) + 1)
  const repeated = [...counts.values()].filter(count => count > 1)
  return repeated.length === 1 && (repeated[0] ?? 0) <= 3 && mod11x10(digits)
}

/** As above by the check digit alone: numbers made for tests and forms often repeat no digit. */
export const isGermanTaxIdByDigit = (digits: string): boolean =>
  digits[0] !== '0' && !/^\d*(\d)(?:\d*\1){3}/.test(digits.slice(0, 10)) && mod11x10(digits)

/** German pension insurance number: area, birth date, initial, serial, check digit. */
export function isGermanPensionId(text: string): boolean {
  if (!/^\d{8}[A-Z]\d{3}$/.test(text)) return false
  const day = number(text, 2, 4)
  if (!isDate(number(text, 6, 8), number(text, 4, 6), day > 50 ? day - 50 : day)) return false
  const digits = text.slice(0, 8) + String(text.charCodeAt(8) - 64).padStart(2, '0') + text.slice(9, 11)
  let sum = 0
  for (const [at, weight] of [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1].entries()) {
    const product = value(digits, at) * weight
    sum += (product % 10) + Math.floor(product / 10)
  }
  return sum % 10 === value(text, 11)
}

/** Document numbers of German identity cards and passports: nine characters and a check digit by 7-3-1. */
export function isGermanDocument(text: string): boolean {
  if (!/^[CFGHJKLMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ0-9]{8}\d$/.test(text)) return false
  let sum = 0
  for (let at = 0; at < 9; at++) {
    const code = text.charCodeAt(at)
    sum += (code < 58 ? code - 48 : code - 55) * ([7, 3, 1][at % 3] ?? 0)
  }
  return sum % 10 === value(text, 9)
}

const nifLetters = 'TRWAGMYFPDXBNJZSQVHLCKE'

export const isNif = (text: string): boolean =>
  /^\d{7,8}[A-Z]$/.test(text) && nifLetters[Number(text.slice(0, -1)) % 23] === text.at(-1)

export const isNie = (text: string): boolean =>
  /^[XYZ]\d{7,8}[A-Z]$/.test(text) &&
  nifLetters[Number('XYZ'.indexOf(text[0] ?? '') + text.slice(1, -1)) % 23] === text.at(-1)

/** Spanish company number: letter, seven digits, control. The kind of company says whether that is a letter. */
export function isCif(text: string): boolean {
  if (!/^[A-HJ-NP-SUVW]\d{7}[0-9A-J]$/.test(text)) return false
  let sum = 0
  for (let at = 1; at < 8; at++) {
    const add = value(text, at) * (at % 2 ? 2 : 1)
    sum += add > 9 ? add - 9 : add
  }
  const control = (10 - (sum % 10)) % 10
  return (
    (text[8] === String(control) && !/^[K-NP-SW]/.test(text)) ||
    (text[8] === 'JABCDEFGHI'[control] && !/^[ABEH]/.test(text))
  )
}

/** What each character counts in an odd place of an Italian tax code, for 0–9 and A–Z. */
const oddValues = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22,
  25, 24, 23,
]

/** The letters that stand for the digits of an Italian tax code where two people would share one. */
const plainDigits = (text: string): number =>
  Number(text.replace(/[A-Z]/g, letter => String('LMNPQRSTUV'.indexOf(letter))))

/** Codice fiscale: the day of women is raised by 40. */
export function isCodiceFiscale(text: string): boolean {
  if (!/^[A-Z]{6}[0-9LMNP-V]{2}[ABCDEHLMPRST][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]$/.test(text)) return false
  const day = plainDigits(text.slice(9, 11))
  const month = 'ABCDEHLMPRST'.indexOf(text[8] ?? '') + 1
  if (!isDate(plainDigits(text.slice(6, 8)), month, day > 40 ? day - 40 : day)) return false
  let sum = 0
  for (let at = 0; at < 15; at++) {
    const code = text.charCodeAt(at)
    const index = code < 58 ? code - 48 : code - 55
    sum += at % 2 === 0 ? (oddValues[index] ?? 0) : code < 58 ? code - 48 : code - 65
  }
  return text.charCodeAt(15) - 65 === sum % 26
}

/** French social security number: sex, year, month, department (2A and 2B for Corsica), key mod 97. */
export function isNir(text: string): boolean {
  if (!/^[123478]\d{2}(?:0[1-9]|1[0-3]|[2-9]\d)(?:\d{2}|2[AB])\d{8}$/.test(text)) return false
  const plain = text.slice(0, 13).replace('2A', '19').replace('2B', '18')
  return Number(text.slice(13)) === 97 - Number(BigInt(plain) % 97n)
}

/** French tax number of a person: the last three digits are the first ten mod 511. */
export const isSpi = (digits: string): boolean =>
  /^[0-3]/.test(digits) && !allSame(digits.slice(0, 10)) && number(digits, 0, 10) % 511 === number(digits, 10, 13)

export const hasPeselDigit = (digits: string): boolean =>
  !allSame(digits) && weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0

/** Polish PESEL: the century hides in the month, 80 more for the nineteenth and 20 more for ours. */
export function isPesel(digits: string): boolean {
  const month = number(digits, 2, 4)
  const century = month > 80 ? 1800 : month > 20 ? 2000 : 1900
  const raised = month > 80 ? month - 80 : month > 20 ? month - 20 : month
  return isBirth(century + number(digits, 0, 2), raised, number(digits, 4, 6)) && hasPeselDigit(digits)
}

export function isBsn(digits: string): boolean {
  const nine = digits.padStart(9, '0')
  return (
    !allSame(nine) && Number(nine) > 9_999_999 && (weighted(nine, [9, 8, 7, 6, 5, 4, 3, 2]) - value(nine, 8)) % 11 === 0
  )
}

/** Swedish personal number; the day is raised by 60 in coordination numbers. */
export function isSwedish(text: string): boolean {
  const ten = text.slice(-10)
  const day = number(ten, 4, 6)
  if (text.length === 12 && (!/^(?:18|19|20)/.test(text) || !isBirth(number(text, 0, 4), 1, 1))) return false
  return isDate(number(ten, 0, 2), number(ten, 2, 4), day > 60 ? day - 60 : day) && luhn(ten)
}

/** Finnish personal identity code; the sign between date and number tells the century. */
export function isFinnish(text: string): boolean {
  const parts = /^(\d{2})(\d{2})(\d{2})[A-FU-Y]?(\d{3})([0-9A-Y])$/.exec(text)
  if (!parts) return false
  const [, day = '', month = '', year = '', serial = '', check = ''] = parts
  if (!isDate(Number(year), Number(month), Number(day)) || Number(serial) < 2) return false
  return '0123456789ABCDEFHJKLMNPRSTUVWXY'[Number(day + month + year + serial) % 31] === check
}

/** Norwegian birth number with its two check digits. */
export function isNorwegian(digits: string): boolean {
  const day = number(digits, 0, 2)
  const month = number(digits, 2, 4)
  if (!isDate(number(digits, 4, 6), month > 40 ? month - 40 : month, day > 40 ? day - 40 : day)) return false
  return (
    weighted(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
    weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
  )
}

/** Danish CPR number: only the date can be checked since the modulus ran out in 2007. */
export const isDanish = (digits: string): boolean =>
  isDate(number(digits, 4, 6), number(digits, 2, 4), number(digits, 0, 2))

/** As above with the modulus, which most numbers still have. */
export const isDanishChecked = (digits: string): boolean =>
  isDanish(digits) && weighted(digits, [4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0

/** Belgian national number: 97 less the rest, with a 2 in front for births since 2000. */
export function isBelgian(digits: string): boolean {
  const month = number(digits, 2, 4) % 20
  if (!(isDate(number(digits, 0, 2), month, number(digits, 4, 6)) || month === 0)) return false
  const check = number(digits, 9, 11)
  const serial = number(digits, 0, 9)
  return check === 97 - (serial % 97) || check === 97 - ((2_000_000_000 + serial) % 97)
}

/** Swiss AHV number: EAN-13 under the country code 756. */
export const isSwiss = (digits: string): boolean =>
  digits.startsWith('756') && weighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0

export const isAustrianSocial = (digits: string): boolean =>
  digits[0] !== '0' &&
  !allSame(digits) &&
  // Months 13 to 15 were given out where a day had no serials left.
  number(digits, 6, 8) <= 15 &&
  isDate(number(digits, 8, 10), Math.min(number(digits, 6, 8), 12), number(digits, 4, 6)) &&
  weighted(digits, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === value(digits, 3)

/** Czech and Slovak birth number: women's months are raised by 50, all by 20 when serials run out; divisible by 11. */
export function isCzech(digits: string): boolean {
  const month = number(digits, 2, 4) % 50
  if (!isDate(number(digits, 0, 2), month > 20 ? month - 20 : month, number(digits, 4, 6))) return false
  const rest = number(digits, 0, 9) % 11
  return (rest === 10 ? 0 : rest) === value(digits, 9)
}

/** Foreigners who only pay taxes in Romania have a number of the same length that tells no birth. */
export const isRomanianTax = (digits: string): boolean => digits.startsWith('9000') && !hasRun(digits.slice(4))

export function isRomanian(digits: string): boolean {
  if (!/^[1-9]/.test(digits) || !isDate(number(digits, 1, 3), number(digits, 3, 5), number(digits, 5, 7))) return false
  const check = weighted(digits, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11
  return (check === 10 ? 1 : check) === value(digits, 12)
}

export function isBulgarian(digits: string): boolean {
  const month = number(digits, 2, 4) % 20
  if (!isDate(number(digits, 0, 2), month, number(digits, 4, 6))) return false
  return (weighted(digits, [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10 === value(digits, 9)
}

/** Estonian and Lithuanian personal codes: two rounds of weights. */
export function isBaltic(digits: string): boolean {
  if (!/^[1-8]/.test(digits) || !isDate(number(digits, 1, 3), number(digits, 3, 5), number(digits, 5, 7))) return false
  let check = weighted(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11
  if (check === 10) check = (weighted(digits, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11) % 10
  return check === value(digits, 10)
}

export const isGreekAmka = (digits: string): boolean => isDanish(digits) && !hasRun(digits) && luhn(digits)

export const isCroatian = (digits: string): boolean => !allSame(digits) && mod11x10(digits)

/** Yugoslav scheme that Slovenia and others still use: birth date, region, serial, check digit. */
export function isJmbg(digits: string): boolean {
  if (!isDate(number(digits, 4, 7), number(digits, 2, 4), number(digits, 0, 2))) return false
  const year = number(digits, 4, 7)
  if (year > 40 && year < 890) return false
  return weighted(digits, [7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
}

export function isTurkish(digits: string): boolean {
  if (digits[0] === '0' || allSame(digits)) return false
  const odd = value(digits, 0) + value(digits, 2) + value(digits, 4) + value(digits, 6) + value(digits, 8)
  const even = value(digits, 1) + value(digits, 3) + value(digits, 5) + value(digits, 7)
  const tenth = (((odd * 7 - even) % 10) + 10) % 10
  return tenth === value(digits, 9) && (odd + even + tenth) % 10 === value(digits, 10)
}
