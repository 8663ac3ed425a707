import { allSame, isDate, number, value, weighted } from './checksums.ts'

/** Identifiers of Ireland and the United Kingdom. */

const ppsnLetters = 'WABCDEFGHIJKLMNOPQRSTUV'

/** Seven digits weighted 8…2, a second letter (A = 1 …; W, T and X count nothing) weighted 9, mod 23. */
export function isPpsn(ppsn: string): boolean {
  if (!/^\d{7}[A-W][A-IWTX]?$/.test(ppsn) || ppsn.startsWith('0000000')) return false
  const second = ppsn[8]
  const extra = second && second <= 'I' ? (second.charCodeAt(0) - 64) * 9 : 0
  return ppsnLetters[(weighted(ppsn, [8, 7, 6, 5, 4, 3, 2]) + extra) % 23] === ppsn[7]
}

/** `5242880KB` passes the arithmetic now and then and is a size all the same. */
export const isSize = (text: string): boolean => /^\d+[KMGTPE]B$/.test(text)

/** National Insurance number: letters that were never issued are excluded; there is no check digit. */
export const isNino = (nino: string): boolean =>
  /^[ABCEGHJ-PRSTW-Z][ABCEGHJ-NPRSTW-Z]\d{6}[A-D]$/.test(nino) && !/^(?:BG|GB|KN|NK|NT|TN|ZZ)/.test(nino)

/** NHS and CHI number: weights 10…2, mod 11. */
export function isNhs(digits: string): boolean {
  if (allSame(digits)) return false
  const check = 11 - (weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)
  return check !== 10 && check % 11 === value(digits, 9)
}

/** Of the ranges that are in use: 3, 4, 6 and 7 are issued, 0 begins Scottish ones, 9 is for tests. */
export const isLikelyNhs = (digits: string): boolean => /^[034679]/.test(digits) && isNhs(digits)

/** Unique Taxpayer Reference: the first digit checks the other nine. */
export const isUtr = (digits: string): boolean =>
  !allSame(digits) && '21987654321'[weighted(digits, [6, 7, 8, 9, 10, 5, 4, 3, 2], 1) % 11] === digits[0]

/** Driving licence of Great Britain: surname filled up with nines, birth date (51–62 for women's months), initials. */
export function isUkDrivingLicence(text: string): boolean {
  const parts = /^(?=.{16}$)[A-Z]+9*(?<=^.{5})(\d)(\d{2})(\d{2})\d[A-Z][A-Z9][A-Z0-9]{3}$/.exec(text)
  if (!parts) return false
  const month = Number(parts[2])
  return isDate(0, month > 50 ? month - 50 : month, Number(parts[3]))
}

/** Community Health Index of Scotland is an NHS number that begins with a birth date. */
export const startsWithBirthDate = (digits: string): boolean =>
  isDate(number(digits, 4, 6), number(digits, 2, 4), number(digits, 0, 2))
