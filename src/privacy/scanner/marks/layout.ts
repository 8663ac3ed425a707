import { beginnings, bufferLength } from '../classes.ts'

/** The longest text that is scanned in one go. */
export const longestPiece = 1 << 18
export const bytesPerMark = 8
/** In the first number of a mark: where its word begins, and above that the class bits of the word; none for a sign. */
export const maskShift = 20
export const startMask = (1 << maskShift) - 1

/** Places in the memory of the module, one behind the other. */
const sizes = {
  classes: 1 << 16,
  traits: 1 << 16,
  sieve: 1 << 16,
  /** What is known of the whole text, one byte each. */
  flags: 64,
  // Behind the constants there are zeros: what is read before the text is none of its characters.
  constants: 2048,
  codes: 2 * bufferLength,
  marks: bytesPerMark * (longestPiece + 64),
} as const

export const layout = places(0, sizes, bytes => bytes)
export const pages = Math.ceil((layout.marks + sizes.marks) / 65_536)

/** Where each part begins when they lie one behind the other. */
function places<Part extends string>(
  first: number,
  parts: Readonly<Record<Part, number>>,
  bytesOf: (size: number) => number,
): Readonly<Record<Part, number>> {
  let place = first
  const begin = (size: number): number => {
    place += bytesOf(size)
    return place - bytesOf(size)
  }
  return Object.fromEntries(Object.entries<number>(parts).map(([part, size]) => [part, begin(size)])) as Record<
    Part,
    number
  >
}

/** Bits of the sieve, one table behind the other. */
const sieveBits = {
  /** Prefixes of two or three characters; what longer ones begin with. */
  prefixes: beginnings,
  longPrefixes: beginnings,
  /** Words that names are known by. */
  names: beginnings,
  /** Three letters that tell of a secret, wherever they stand in a name. */
  threes: 1 << 15,
  /** Names of fields that are known as a whole. */
  fields: 1 << 16,
  /** The last two letters of labels. */
  labels: 1 << 10,
  /** Signs between a label and its value. */
  between: 1 << 7,
  /** The first three runs of digits and letters that templates have. */
  runs: 1 << 13,
  /** Lengths of words that a pattern is for, and the kinds of their first characters. */
  words: 1 << 15,
  /** Hashes of words that speak for a number which is given to them. */
  speaking: 1 << 16,
} as const
export type SieveTable = keyof typeof sieveBits
/** A bit for each word, beginning or name that a finder would know. */
export type Sieve = Readonly<Record<SieveTable, Uint8Array>>

export const sieveLayout = places(layout.sieve, sieveBits, bits => bits >> 3)

export const flags = { hasUserOption: layout.flags, onlySure: layout.flags + 1 } as const

/** One number for four characters that a prefix begins with. */
export const fourSlot = (beginning: number, fourth: number): number => beginning ^ ((fourth & 31) * fourthFactor)
export const fourthFactor = 0x0421

/** One number for the first three letters of a name and how many letters and digits it has. */
export const fieldSlot = (firstThree: number, length: number): number =>
  ((firstThree << 1) ^ (length * lengthFactor)) & 0xffff
export const lengthFactor = 0x1357

/** One number for what a word begins and ends with, and how long it is. */
export const wordSlot = (first: number, second: number, third: number, last: number, length: number): number =>
  ((first & 31) | ((second & 31) << 5) | ((third & 31) << 10)) ^ ((last & 31) << 7) ^ ((length & 15) << 12)

/** Bits by character: what the traits of a character are. */
export const traits = {
  /** As part of a name: letters 1–26 whatever their case, digits 27, signs that join the words of a name 28; 0 ends it. */
  part: 31,
  separates: 32,
  /** Behind a short number: it may be part of something longer. */
  goesOn: 64,
  /** Between a name and the sign that gives it a value. */
  gap: 128,
} as const

/** One number for the first runs of a word, which change between digits and letters; long ones count as fifteen. */
export const runsSlot = (beginsWithDigit: boolean, first: number, second: number, third: number): number =>
  (beginsWithDigit ? 1 << 12 : 0) | (Math.min(15, first) << 8) | (Math.min(15, second) << 4) | Math.min(15, third)

/** One number for the length of a word and the kinds of its first four characters, two bits each. */
export const looksSlot = (length: number, kinds: number): number => (Math.min(127, length) << 8) | kinds
/** Kinds of a character: a digit, a capital, a small letter, anything else. */
export const kindOf = (code: number): number =>
  code >= 0x30 && code <= 0x39 ? 0 : code >= 0x41 && code <= 0x5a ? 1 : code >= 0x61 && code <= 0x7a ? 2 : 3
