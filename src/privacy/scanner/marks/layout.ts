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
  sieve: beginnings >> 1,
  flags: 64,
  // Behind the constants there are zeros: what is read before the text is none of its characters.
  constants: 2048,
  codes: 2 * bufferLength,
  marks: bytesPerMark * (longestPiece + 64),
} as const

type Part = keyof typeof sizes
const parts = Object.keys(sizes) as Part[]
const before = (part: Part): number => parts.slice(0, parts.indexOf(part)).reduce((sum, name) => sum + sizes[name], 0)

export const layout = Object.fromEntries(parts.map(part => [part, before(part)])) as Readonly<Record<Part, number>>
export const pages = Math.ceil((layout.marks + sizes.marks) / 65_536)

/** Bits of the sieve, one table behind the other; each has as many bits as there are beginnings of words. */
const bytesPerTable = beginnings >> 3
export const sieveLayout = {
  /** What the prefixes of keys begin with. */
  prefixes: layout.sieve,
  /** Words that names are known by. */
  names: layout.sieve + bytesPerTable,
  /** Three letters that tell of a secret, wherever they stand in a name. */
  threes: layout.sieve + 2 * bytesPerTable,
  /** Names of fields that are known as a whole. */
  fields: layout.sieve + 3 * bytesPerTable,
} as const
export type Sieve = Readonly<Record<keyof typeof sieveLayout, Uint8Array>>

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
