/** Check-digit arithmetic that many identifiers share. Every function takes plain ASCII digits (and letters where said). */

export const value = (text: string, at: number): number => text.charCodeAt(at) - 48

export function weighted(text: string, weights: readonly number[], from = 0): number {
  let sum = 0
  for (let at = 0; at < weights.length; at++) sum += value(text, from + at) * (weights[at] ?? 0)
  return sum
}

export function luhn(digits: string): boolean {
  let sum = 0
  let double = false
  for (let at = digits.length - 1; at >= 0; at--) {
    let add = value(digits, at)
    if (double) {
      add *= 2
      if (add > 9) add -= 9
    }
    sum += add
    double = !double
  }
  return sum % 10 === 0
}

/** ISO 7064 mod 97-10 over digits and upper-case letters (A = 10 … Z = 35). */
export function mod97(text: string): number {
  let rest = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    rest = code < 58 ? (rest * 10 + code - 48) % 97 : (rest * 100 + code - 55) % 97
  }
  return rest
}

/** ISO 7064 mod 11,10: German tax and VAT ids, Croatian OIB. */
export function mod11x10(digits: string): boolean {
  let product = 10
  for (let at = 0; at < digits.length - 1; at++) {
    const sum = (value(digits, at) + product) % 10 || 10
    product = (sum * 2) % 11
  }
  return (11 - product) % 10 === value(digits, digits.length - 1)
}

const permute = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
]
for (let row = 2; row < 8; row++) {
  permute.push((permute[row - 1] ?? []).map(entry => permute[1]?.[entry] ?? 0))
}

/** Multiplication in the dihedral group of order ten. */
function dihedral(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : ((a + b - 5) % 5) + 5
  return b < 5 ? ((a - b + 5) % 5) + 5 : (a - b + 5) % 5
}

export function verhoeff(digits: string): boolean {
  let check = 0
  for (let at = 0; at < digits.length; at++) {
    check = dihedral(check, permute[at % 8]?.[value(digits, digits.length - 1 - at)] ?? 0)
  }
  return check === 0
}

export const allSame = (digits: string): boolean => {
  for (let at = 1; at < digits.length; at++) if (digits.charCodeAt(at) !== digits.charCodeAt(0)) return false
  return true
}

/** A day that exists. A two-digit year is taken as it is: leap days then count for every fourth year. */
export function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1 || day > 31) return false
  if (month === 2) return day <= (year % 4 === 0 ? 29 : 28)
  return day <= (month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31)
}

/** Later births are made up. A fixed year, so that a number is judged the same on every day. */
const latestBirth = 2030

/** A day on which somebody can have been born. */
export const isBirth = (year: number, month: number, day: number): boolean =>
  year <= latestBirth && isDate(year, month, day)

export const number = (text: string, from: number, to: number): number => Number(text.slice(from, to))

/** `40000000026`, `41235666663`: five of the same in a row come from fingers more often than from an office. */
export const hasRun = (digits: string): boolean => /(\d)\1{4}/.test(digits)

/** `1234567890`, `12345678909`: nine digits that count up or down fill forms in manuals. */
export const countsFirst = (digits: string): boolean => digits.startsWith('123456789') || digits.startsWith('987654321')
