import { allSame, isBirth, isDate, luhn, number, value, verhoeff, weighted } from './checksums.ts'

/** Personal and company identifiers of the Americas, Asia, Africa and Oceania. */

/** Social Security number: ranges that were never issued, and the ones printed in advertisements. */
export function isSsn(digits: string): boolean {
  if (/^(?:000|666|9)/.test(digits) || digits.slice(3, 5) === '00' || digits.slice(5) === '0000') return false
  return !allSame(digits) && digits !== '078051120' && digits !== '457555462'
}

/** As above, and not the counting number that fills forms in manuals. */
export const isLikelySsn = (digits: string): boolean =>
  isSsn(digits) && digits !== '123456789' && digits !== '123121234'

export const isItin = (digits: string): boolean =>
  // The ten that begin with 987-65-432 are printed in advertisements.
  !/^98765432/.test(digits) && /^9\d{2}(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\d{4}$/.test(digits)

/** DEA registration of a prescriber. */
export const isDea = (text: string): boolean =>
  /^[ABCDEFGHJKLMPRSTUX][A-Z9]\d{7}$/.test(text) &&
  (value(text, 2) + value(text, 4) + value(text, 6) + 2 * (value(text, 3) + value(text, 5) + value(text, 7))) % 10 ===
    value(text, 8)

/** National Provider Identifier: Luhn with the prefix 80840. */
export const isNpi = (digits: string): boolean =>
  /^[12]/.test(digits) && !allSame(digits.slice(0, 9)) && luhn(`80840${digits}`)

/** Medicare Beneficiary Identifier: fixed kinds of character in each place. */
export const isMbi = (text: string): boolean =>
  /^[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d[AC-HJKMNP-RT-Y]{2}\d{2}$/.test(text)

export const isSin = (digits: string): boolean => /^[1-79]/.test(digits) && !allSame(digits) && luhn(digits)

export function isCpf(digits: string): boolean {
  if (allSame(digits)) return false
  const first = ((weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11) % 10
  const second = ((weighted(digits, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11) % 10
  return first === value(digits, 9) && second === value(digits, 10)
}

export function isCnpj(digits: string): boolean {
  if (allSame(digits)) return false
  const check = (weights: readonly number[]): number => {
    const rest = weighted(digits, weights) % 11
    return rest < 2 ? 0 : 11 - rest
  }
  return (
    check([5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) === value(digits, 12) &&
    check([6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) === value(digits, 13)
  )
}

/** Argentine CUIT and CUIL. */
export function isCuit(digits: string): boolean {
  if (!/^(?:2[03-7]|3[034]|5[015])/.test(digits)) return false
  const check = (11 - (weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11
  return (check === 10 ? 9 : check) === value(digits, 10)
}

/** Chilean RUT: digits and a check character, K for ten. */
export function isRut(text: string): boolean {
  let sum = 0
  for (let at = text.length - 2, weight = 2; at >= 0; at--, weight = weight === 7 ? 2 : weight + 1)
    sum += value(text, at) * weight
  return '0K987654321'[sum % 11] === text.at(-1) && Number(text.slice(0, -1)) > 99_999
}

const curpAlphabet = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ'

const mexicanStates = new Set(
  'AS BC BS CC CH CL CM CS DF DG GR GT HG JC MC MN MS MX NE NL NT OC PL QR QT SL SP SR TC TL TS VZ YN ZS'.split(' '),
)
/** Initials that would spell a word get an X in the place of their second letter. */
const rudeWords = new Set(
  'BACA BAKA BUEI BUEY CACA CACO CAGA CAGO CAKA CAKO COGE COGI COJA COJE COJI COJO COLA CULO FALO FETO GETA GUEI GUEY JETA JOTO KACA KACO KAGA KAGO KAKA KAKO KOGE KOGI KOJA KOJE KOJI KOJO KOLA KULO LILO LOCA LOCO LOKA LOKO MAME MAMO MEAR MEAS MEON MIAR MION MOCO MOKO MULA MULO NACA NACO PEDA PEDO PENE PIPI PITO POPO PUTA PUTO QULO RATA ROBA ROBE ROBO RUIN SENO TETA VACA VAGA VAGO VAKA VUEI VUEY WUEI WUEY'.split(
    ' ',
  ),
)

/** Mexican CURP. */
export function isCurp(text: string): boolean {
  if (!/^[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d$/.test(text)) return false
  if (!mexicanStates.has(text.slice(11, 13)) || rudeWords.has(text.slice(0, 4))) return false
  if (!isDate(number(text, 4, 6), number(text, 6, 8), number(text, 8, 10))) return false
  let sum = 0
  for (let at = 0; at < 17; at++) sum += curpAlphabet.indexOf(text[at] ?? '') * (18 - at)
  return (10 - (sum % 10)) % 10 === value(text, 17)
}

export const isRfc = (text: string): boolean => {
  const date = text.length - 9
  return (
    /^[A-Z&]{3,4}\d{6}[A-Z0-9]{3}$/.test(text) &&
    isDate(number(text, date, date + 2), number(text, date + 2, date + 4), number(text, date + 4, date + 6))
  )
}

export const isAadhaar = (digits: string): boolean =>
  digits[0] !== '0' && digits[0] !== '1' && verhoeff(digits) && [...digits].reverse().join('') !== digits

export const isPan = (text: string): boolean => /^[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]$/.test(text)

/** Indian goods-and-services tax number: state, PAN, entity, Z, check character. */
export const isGstin = (text: string): boolean =>
  /^(?:0[1-9]|[12]\d|3[0-7]|97|99)[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z]$/.test(text)

/** Australian tax file number. */
export const isTfn = (digits: string): boolean =>
  !allSame(digits) &&
  weighted(digits, digits.length === 8 ? [10, 7, 8, 4, 6, 3, 5, 1] : [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0

export const isAbn = (digits: string): boolean =>
  digits[0] !== '0' && (weighted(digits, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0

export const isAcn = (digits: string): boolean =>
  !allSame(digits) && (10 - (weighted(digits, [8, 7, 6, 5, 4, 3, 2, 1]) % 10)) % 10 === value(digits, 8)

export const isAustralianMedicare = (digits: string): boolean =>
  /^[2-6]\d{8}[1-9]?$/.test(digits) && weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === value(digits, 8)

/** New Zealand inland revenue number. */
export function isIrd(digits: string): boolean {
  const padded = digits.padStart(9, '0')
  if (Number(padded) < 10_000_000 || Number(padded) > 150_000_000) return false
  const check = (weights: readonly number[]): number => (11 - (weighted(padded, weights) % 11)) % 11
  let digit = check([3, 2, 7, 6, 5, 4, 3, 2])
  if (digit === 10) digit = check([7, 4, 3, 2, 5, 2, 7, 6])
  return digit === value(padded, 8)
}

/** Singapore NRIC and FIN. */
export function isNric(text: string): boolean {
  if (!/^[STFGM]\d{7}[A-Z]$/.test(text)) return false
  const kind = text[0] ?? ''
  const sum = weighted(text, [2, 7, 6, 5, 4, 3, 2], 1) + (kind === 'T' || kind === 'G' ? 4 : kind === 'M' ? 3 : 0)
  if (kind === 'M') return 'KLJNPQRTUWX'[10 - (sum % 11)] === text[8]
  return (kind === 'S' || kind === 'T' ? 'JZIHGFEDCBA' : 'XWUTRQPNMLK')[sum % 11] === text[8]
}

/** Singapore entity number: old businesses, companies by year, and the form with a two-letter kind. */
export const isUen = (text: string): boolean =>
  /^(?:\d{8}[A-Z]|(?:19|20)\d{7}[A-Z]|[RST]\d{2}[A-Z]{2}\d{4}[A-Z])$/.test(text) && uenCheck(text)

function uenCheck(text: string): boolean {
  if (text.length === 9) return 'XMKECAWLJDB'[weighted(text, [10, 4, 9, 3, 8, 2, 7, 1]) % 11] === text[8]
  if (/^\d/.test(text)) return 'ZKCMDNERGWH'[weighted(text, [10, 8, 6, 4, 9, 7, 5, 3, 1]) % 11] === text[9]
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWX0123456789'
  let sum = 0
  for (const [at, weight] of [4, 3, 5, 3, 10, 2, 2, 5, 7].entries()) sum += alphabet.indexOf(text[at] ?? '') * weight
  return alphabet[(sum - 5) % 11] === text[9]
}

/** Korean resident number; the check digit holds only for numbers issued before October 2020, so the date decides: 3 and 4, and 7 and 8 for foreigners, are of this century. */
export function isRrn(digits: string): boolean {
  const kind = value(digits, 6)
  const century = (kind - 1) % 4 < 2 ? 1900 : 2000
  return kind > 0 && kind < 9 && isBirth(century + number(digits, 0, 2), number(digits, 2, 4), number(digits, 4, 6))
}

export const isThai = (digits: string): boolean =>
  digits[0] !== '0' &&
  !allSame(digits) &&
  (11 - (weighted(digits, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === value(digits, 12)

/** Chinese resident number: area, birth date, serial, ISO 7064 mod 11-2. */
export const isChinese = (text: string): boolean =>
  /^[1-8]\d{5}(?:19|20)\d{9}[0-9X]$/.test(text) &&
  isDate(number(text, 6, 10), number(text, 10, 12), number(text, 12, 14)) &&
  '10X98765432'[weighted(text, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11] === text[17]

/** Japanese My Number. */
export function isMyNumber(digits: string): boolean {
  const rest = weighted(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
  return !allSame(digits) && (rest < 2 ? 0 : 11 - rest) === value(digits, 11)
}

export const isIsraeli = (digits: string): boolean => !allSame(digits) && luhn(digits)

export const isSouthAfrican = (digits: string): boolean =>
  isDate(number(digits, 0, 2), number(digits, 2, 4), number(digits, 4, 6)) && /[0-2]\d{2}$/.test(digits) && luhn(digits)

/** Vehicle id: place 9 checks the rest. */
export function isVin(text: string): boolean {
  if (!/^(?=.*\d)(?=.*[A-Z])[A-HJ-NPR-Z0-9]{17}$/.test(text)) return false
  const weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
  let sum = 0
  for (let at = 0; at < 17; at++) {
    const code = text.charCodeAt(at)
    const worth = code < 58 ? code - 48 : Number('12345678012345070923456789'[code - 65])
    sum += worth * (weights[at] ?? 0)
  }
  return '0123456789X'[sum % 11] === text[8]
}

/** Issuers of numbers for devices that are sold: North America, Britain for all of Europe, China, and those for many. */
export const isSoldDevice = (digits: string): boolean => /^(?:01|35|86|99)/.test(digits)

export const isImei = (digits: string): boolean => !allSame(digits) && luhn(digits)
