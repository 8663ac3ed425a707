import { luhn, mod11x10, mod97, value, weighted } from './checksums.ts'
import { isCif, isNie, isNif } from './europe.ts'
import { isPpsn } from './isles.ts'

type Check = (body: string) => boolean

const sum11 = (body: string, weights: readonly number[]): boolean => weighted(body, weights) % 11 === 0
const last = (body: string): number => value(body, body.length - 1)

/** Sums the digits of each product, as Luhn-like schemes do. */
function crossSum(body: string, weights: readonly number[]): number {
  let sum = 0
  for (const [at, weight] of weights.entries()) {
    const product = value(body, at) * weight
    sum += product > 9 ? product - 9 : product
  }
  return sum
}

/** Estonia, Lithuania: a second round of weights when the first gives ten. */
function twice(body: string, first: readonly number[], second: readonly number[]): boolean {
  let check = weighted(body, first) % 11
  if (check === 10) check = (weighted(body, second) % 11) % 10
  return check === last(body)
}

/** VAT numbers by country: what follows the prefix looks like the first entry and satisfies the second. */
export const vatRules: Record<string, readonly [RegExp, Check]> = {
  AT: [/^U\d{8}$/, body => (10 - ((crossSum(body.slice(1), [1, 2, 1, 2, 1, 2, 1]) + 4) % 10)) % 10 === last(body)],
  BE: [/^[01]\d{9}$/, body => 97 - (Number(body.slice(0, 8)) % 97) === Number(body.slice(8))],
  BG: [/^\d{9,10}$/, isBulgarianVat],
  CY: [/^[013-59]\d{7}[A-Z]$/, isCypriotVat],
  CZ: [/^\d{8,10}$/, isCzechVat],
  DE: [/^[1-9]\d{8}$/, mod11x10],
  DK: [/^[1-9]\d{7}$/, body => sum11(body, [2, 7, 6, 5, 4, 3, 2, 1])],
  EE: [/^10\d{7}$/, body => weighted(body, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0],
  EL: [/^\d{9}$/, body => (weighted(body, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === last(body)],
  ES: [/^[A-Z0-9]\d{7}[A-Z0-9]$/, body => isNif(body) || isNie(body) || isCif(body)],
  FI: [/^\d{8}$/, body => sum11(body, [7, 9, 10, 5, 8, 4, 2, 1])],
  FR: [/^[0-9A-HJ-NP-Z]{2}\d{9}$/, isFrenchVat],
  HR: [/^\d{11}$/, mod11x10],
  HU: [/^\d{8}$/, body => weighted(body, [9, 7, 3, 1, 9, 7, 3, 1]) % 10 === 0],
  IE: [/^\d(?:\d{6}[A-W][A-I]?|[A-Z+*]\d{5}[A-W])$/, isIrishVat],
  // The three digits before the last are the office of a province.
  IT: [/^(?!0{7})\d{7}(?:0(?!00)\d\d|100|12[01]|888|999)\d$/, luhn],
  LT: [/^(?:\d{7}1\d|\d{10}1\d)$/, isLithuanianVat],
  LU: [/^\d{8}$/, body => Number(body.slice(0, 6)) % 89 === Number(body.slice(6))],
  LV: [/^[4-9]\d{10}$/, body => weighted(body, [9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1]) % 11 === 3],
  MT: [/^\d{8}$/, body => 37 - (weighted(body, [3, 4, 6, 7, 8, 9]) % 37) === Number(body.slice(6))],
  NL: [/^\d{9}B(?!00)\d{2}$/, body => sum11(body, [9, 8, 7, 6, 5, 4, 3, 2, -1]) || mod97(`NL${body}`) === 1],
  PL: [/^\d{10}$/, body => weighted(body, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === last(body)],
  PT: [/^[1-9]\d{8}$/, body => ((11 - (weighted(body, [9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11) % 10 === last(body)],
  RO: [/^[1-9]\d{1,9}$/, isRomanianVat],
  SE: [/^\d{10}01$/, body => luhn(body.slice(0, 10))],
  SI: [/^[1-9]\d{7}$/, body => ((11 - (weighted(body, [8, 7, 6, 5, 4, 3, 2]) % 11)) % 11) % 10 === last(body)],
  SK: [/^[1-9]\d[2-47-9]\d{7}$/, body => Number(body) % 11 === 0],
  GB: [/^\d{9}$/, isBritishVat],
  XI: [/^\d{9}$/, isBritishVat],
}

/** A VAT number with its country prefix and without separators. */
export function isVat(text: string): boolean {
  const prefix = text.slice(0, 2)
  const rule = vatRules[prefix === 'GR' ? 'EL' : prefix]
  const body = text.slice(2)
  return rule?.[0].test(body) === true && !/^[A-Z]?0{6}/.test(body) && rule[1](body)
}

function isBritishVat(body: string): boolean {
  const sum = weighted(body, [8, 7, 6, 5, 4, 3, 2, 10, 1])
  return sum % 97 === 0 || (sum + 55) % 97 === 0
}

function isFrenchVat(body: string): boolean {
  const siren = body.slice(2)
  if (/^\d{2}/.test(body))
    return (Number(siren) * 100 + 12) % 97 === Number(body.slice(0, 2)) && (siren === '000000000' || luhn(siren))
  return true
}

function isIrishVat(body: string): boolean {
  if (/^\d{7}/.test(body)) return isPpsn(body)
  return isPpsn(`0${body.slice(2, 7)}${body[0]}${body[7]}`)
}

function isCypriotVat(body: string): boolean {
  const odd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21]
  let sum = 0
  for (let at = 0; at < 8; at++) sum += at % 2 === 0 ? (odd[value(body, at)] ?? 0) : value(body, at)
  return body.charCodeAt(8) - 65 === sum % 26
}

function isBulgarianVat(body: string): boolean {
  if (body.length === 10) {
    const check = 11 - (weighted(body, [4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)
    return check % 11 === last(body) || (weighted(body, [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10 === last(body)
  }
  let check = weighted(body, [1, 2, 3, 4, 5, 6, 7, 8]) % 11
  if (check === 10) check = (weighted(body, [3, 4, 5, 6, 7, 8, 9, 10]) % 11) % 10
  return check === last(body)
}

function isCzechVat(body: string): boolean {
  if (body.length === 8) return ((11 - (weighted(body, [8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 || 1) % 10 === last(body)
  if (body.length === 10) return Number(body) % 11 === 0
  return /^\d{2}[0156]\d/.test(body)
}

function isLithuanianVat(body: string): boolean {
  return body.length === 9
    ? twice(body, [1, 2, 3, 4, 5, 6, 7, 8], [3, 4, 5, 6, 7, 8, 9, 1])
    : twice(body, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2], [3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4])
}

function isRomanianVat(body: string): boolean {
  const padded = body.padStart(10, '0')
  return body.length > 3 && ((weighted(padded, [7, 5, 3, 2, 1, 7, 5, 3, 2]) * 10) % 11) % 10 === last(padded)
}
