import { allSame, luhn, mod97, number, weighted } from './checksums.ts'

/** Length of an IBAN by the two letters of its country, 32 a letter; capital and small letters differ in one bit. */
const ibanLengths = new Uint8Array(1024)
const slotOf = (first: number, second: number): number => (first & 31) * 32 + (second & 31)
for (const entry of (
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
  'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 ' +
  'LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 ' +
  'RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30 ' +
  // Not in the registry, and written all the same.
  'AO25 BF28 BJ28 CF27 CG27 CI28 CM27 CV25 DZ26 GA27 GQ27 GW25 IR26 KM27 MA28 MG27 ML28 MZ25 NE28 SN28 TD27 TG28'
).split(' '))
  ibanLengths[slotOf(entry.charCodeAt(0), entry.charCodeAt(1))] = Number(entry.slice(2))

/** For two character codes that are letters; 0 when there is no such country. */
export const ibanLength = (first: number, second: number): number => ibanLengths[slotOf(first, second)] ?? 0

export const isIban = (iban: string): boolean =>
  iban.length === ibanLength(iban.charCodeAt(0), iban.charCodeAt(1)) && mod97(iban.slice(4) + iban.slice(0, 4)) === 1

/** Issuer ranges: first digits (from, to) and the lengths in use. */
const cardRanges: readonly [from: number, to: number, lengths: readonly number[]][] = [
  [4, 4, [13, 16, 19]], // Visa
  [51, 55, [16]], // Mastercard
  [2221, 2720, [16]],
  [34, 34, [15]], // American Express
  [37, 37, [15]],
  [300, 305, [14, 16]], // Diners Club
  [3095, 3095, [14, 16]],
  [36, 36, [14, 16]],
  [38, 39, [14, 16]],
  [3528, 3589, [16, 17, 18, 19]], // JCB
  [60, 60, [16, 19]], // Discover, RuPay
  [644, 659, [16, 19]],
  [62, 62, [16, 17, 18, 19]], // UnionPay
  [81, 82, [16, 17, 18, 19]], // RuPay, UnionPay
  [50, 50, [16, 17, 18, 19]], // Maestro, Dankort, Elo
  [56, 59, [16, 17, 18, 19]],
  [63, 63, [16, 17, 18, 19]],
  [67, 67, [16, 17, 18, 19]],
  [2200, 2204, [16]], // Mir
  [9792, 9792, [16]], // Troy
]
/** Ranges that are seldom seen, and lengths that numbers of every other kind have as well. */
const rareRanges: typeof cardRanges = [
  [50, 50, [12, 13, 14, 15]], // Maestro
  [56, 59, [12, 13, 14, 15]],
  [67, 67, [12, 13, 14, 15]],
  [63, 63, [12, 13, 14, 15]],
  [62, 62, [14, 15]], // UnionPay
  [1, 1, [15]], // UATP
]

export const isCard = (digits: string): boolean => isIn(cardRanges, digits)
export const isRareCard = (digits: string): boolean => isIn(rareRanges, digits)

function isIn(ranges: typeof cardRanges, digits: string): boolean {
  if (allSame(digits) || !luhn(digits)) return false
  return ranges.some(([from, to, lengths]) => {
    const prefix = number(digits, 0, String(from).length)
    return prefix >= from && prefix <= to && lengths.includes(digits.length)
  })
}

/** US bank routing number: the first two digits name a Federal Reserve district, the whole has a weighted sum. */
export function isRoutingNumber(digits: string): boolean {
  const district = number(digits, 0, 2)
  const real =
    district <= 12 || (district >= 21 && district <= 32) || (district >= 61 && district <= 72) || district === 80
  // The social security number of an advertisement, printed more often than any other nine digits.
  if (digits === '078051120') return false
  return real && !allSame(digits) && weighted(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0
}

const countries =
  'AD AE AF AG AI AL AM AO AR AS AT AU AW AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BR BS BT BW BY BZ CA CD CF CG CH CI CK CL CM CN CO CR CU CV CW CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FK FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MG MH MK ML MM MN MO MQ MR MS MT MU MV MW MX MY MZ NA NC NE NG NI NL NO NP NR NZ OM PA PE PF PG PH PK PL PM PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SI SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VI VN VU WS XK YE YT ZA ZM ZW'
const countrySet = new Set(countries.split(' '))
export const isCountry = (code: string): boolean => countrySet.has(code)

/** Four letters of the bank, a country, a place, perhaps a branch. There is no check digit. */
export const isBic = (code: string): boolean =>
  /^[A-Z]{6}[A-Z2-9][A-NP-Z0-9](?:[A-Z0-9]{3})?$/.test(code) && isCountry(code.slice(4, 6))
