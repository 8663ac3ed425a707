import { allSame, value, weighted } from './checksums.ts'

/** Tax numbers of people and of companies that carry no country in front. All take digits and capitals alone. */

/** Austria: an office of two digits, then Luhn's sum with the doubled digits in the even places. */
export function isAustrianTax(digits: string): boolean {
  if (allSame(digits)) return false
  let sum = 0
  for (let at = 0; at < 8; at++) {
    const product = value(digits, at) * (at % 2 ? 2 : 1)
    sum += product > 9 ? product - 9 : product
  }
  return (10 - (sum % 10)) % 10 === value(digits, 8)
}

/** Hungary: 8, the days from 1867 to the birth, a serial; each digit counts by its place, mod 11. */
export const isHungarianTax = (digits: string): boolean =>
  digits[0] === '8' && weighted(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11 === value(digits, 9)

/** Ukraine: the days from 1900 to the birth, a serial. */
export const isUkrainianTax = (digits: string): boolean =>
  !allSame(digits) && (((weighted(digits, [-1, 5, 7, 9, 4, 6, 10, 5, 7]) % 11) + 11) % 11) % 10 === value(digits, 9)

/** Greece: powers of two, mod 11. */
export const isGreekTax = (digits: string): boolean =>
  !allSame(digits) && (weighted(digits, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === value(digits, 8)

/** Portugal: nine down to two, mod 11; the first digits tell people from companies and the state. */
export function isPortugueseTax(digits: string): boolean {
  if (!/^(?:[1235689]|45|7[0124579])/.test(digits) || allSame(digits)) return false
  const rest = weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2]) % 11
  return (rest < 2 ? 0 : 11 - rest) === value(digits, 8)
}

/** Portuguese citizen card: Luhn's sum over digits and letters (A = 10), doubled from the left. */
export function isPortugueseCard(text: string): boolean {
  if (!/^\d{9}[A-Z0-9]{2}\d$/.test(text)) return false
  let sum = 0
  for (let at = 0; at < 12; at++) {
    const code = text.charCodeAt(at)
    const worth = code < 58 ? code - 48 : code - 55
    const add = at % 2 ? worth : worth * 2
    sum += at % 2 === 0 && add > 9 ? add - 9 : add
  }
  return sum % 10 === 0
}

/** Dominican cédula is Luhn's; Ecuador's has a province of 01 to 24 (30 abroad) and a third digit below six. */
export function isEcuadorian(digits: string): boolean {
  if (!/^(?:0[1-9]|1\d|2[0-4]|30)[0-5]/.test(digits)) return false
  let sum = 0
  for (let at = 0; at < 9; at++) {
    const product = value(digits, at) * (at % 2 ? 1 : 2)
    sum += product > 9 ? product - 9 : product
  }
  return (10 - (sum % 10)) % 10 === value(digits, 9)
}

/** Uruguayan identity card: weights 2-9-8-7-6-3-4, mod 10. */
export const isUruguayan = (digits: string): boolean =>
  (10 - (weighted(digits.padStart(8, '0'), [2, 9, 8, 7, 6, 3, 4]) % 10)) % 10 === value(digits, digits.length - 1)
