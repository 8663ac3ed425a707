import { allSame, hasRun, isBirth, isDate, luhn, number, value, verhoeff, weighted } from './checksums.ts'

/** Numbers that begin with a birth, and others of central Europe and Asia. All take digits and capitals alone. */

/** Czech and Slovak birth number of before 1954: nine digits and no check digit, so the day must be right. */
export function isCzechEarly(digits: string): boolean {
  const month = number(digits, 2, 4)
  return (
    number(digits, 0, 2) < 54 &&
    isDate(number(digits, 0, 2), month > 50 ? month - 50 : month, number(digits, 4, 6)) &&
    !digits.endsWith('000')
  )
}

/** Latvian personal code: birth, century (0 to 2), serial; those that begin with 32 to 39 tell no birth. */
export const isLatvianCode = (digits: string): boolean =>
  !hasRun(digits) &&
  (/^3[2-9]/.test(digits) ||
    (/^.{6}[012]/.test(digits) && isDate(number(digits, 4, 6), number(digits, 2, 4), number(digits, 0, 2)))) &&
  ((1101 - weighted(digits, [1, 6, 3, 7, 9, 10, 5, 8, 4, 2])) % 11) % 10 === value(digits, 10)

/** Luxembourg's matricule: birth, serial, then Luhn's digit and Verhoeff's over the same eleven. */
export const isLuxembourger = (digits: string): boolean =>
  /^(?:18|19|20)/.test(digits) &&
  isBirth(number(digits, 0, 4), number(digits, 4, 6), number(digits, 6, 8)) &&
  luhn(digits.slice(0, 12)) &&
  verhoeff(digits.slice(0, 11) + digits.slice(12))

/** Swedish number of twelve digits whose last checks all of them, century included. */
export const isSwedishInFull = (digits: string): boolean =>
  /^(?:19|20)/.test(digits) && isBirth(number(digits, 0, 4), number(digits, 4, 6), number(digits, 6, 8)) && luhn(digits)

/** Chinese resident number of before 1999: area, birth without its century, serial. */
export const isChineseEarly = (digits: string): boolean =>
  /^(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[12])/.test(digits) &&
  isDate(number(digits, 6, 8), number(digits, 8, 10), number(digits, 10, 12)) &&
  !digits.endsWith('000') &&
  !hasRun(digits)

/** The day of a year, with 500 added for women: Sri Lanka. */
const isDayOfYear = (day: number): boolean => (day >= 1 && day <= 366) || (day >= 501 && day <= 866)

/** Sri Lankan card of before 2016: year, day, serial, `V` for those who vote. */
export const isSriLankanEarly = (text: string): boolean =>
  /^[1-9]\d{8}[VX]$/.test(text) && isDayOfYear(number(text, 2, 5)) && !allSame(text.slice(0, 9))

/** Of today: the year in full. Those who have a card are of age, which tells it from a time (`202401151030`). */
export const isSriLankan = (digits: string): boolean =>
  /^(?:19[1-9]|20[01])/.test(digits) && isDayOfYear(number(digits, 4, 7)) && number(digits, 0, 4) < 2005

/** Libyan national number: 1 for men and 2 for women, the year of birth, a serial. */
export const isLibyan = (digits: string): boolean => /^[12](?:19[2-9]\d|20[01]\d)\d{7}$/.test(digits)

/** Iranian national code: ten down to two, mod 11. */
export function isIranian(digits: string): boolean {
  if (allSame(digits) || digits.startsWith('000')) return false
  const rest = weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11
  return (rest < 2 ? rest : 11 - rest) === value(digits, 9)
}

/** Hong Kong identity card: one or two letters count from 10 on, a space before a single one as 36; mod 11. */
export function isHongKong(text: string): boolean {
  const parts = /^([A-Z]{1,2})(\d{6})([0-9A])$/.exec(text)
  if (!parts) return false
  const [, letters = '', digits = '', check = ''] = parts
  const first = letters.length === 2 ? letters.charCodeAt(0) - 55 : 36
  const sum = first * 9 + (letters.charCodeAt(letters.length - 1) - 55) * 8 + weighted(digits, [7, 6, 5, 4, 3, 2])
  return (sum + (check === 'A' ? 10 : Number(check))) % 11 === 0
}

/** Malaysian number as a whole text: the birth of somebody of age, a state of the country. */
export const isGrownMalaysian = (digits: string): boolean =>
  !/^(?:1[3-9]|2[0-4])/.test(digits) &&
  isDate(number(digits, 0, 2), number(digits, 2, 4), number(digits, 4, 6)) &&
  /^.{6}(?:0[1-9]|1[0-6]|2[1-9]|[345]\d)/.test(digits)
