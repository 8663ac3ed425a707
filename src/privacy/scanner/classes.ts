/** What the scanner needs to know of a character, one bit each; one table look-up per character of text. */
export const digit = 1
export const upper = 2
export const lower = 4
export const underscore = 8
/** A letter beyond ASCII in a script that writes words with spaces: `Müller` is one word, `电话138…` is not. */
export const wideLetter = 16
/** A sign that a candidate may hang on: `@`, `:`, `=`, and in some places `>`, `,` and `(`. */
export const anchor = 32
/** A character that stands for another, or for nothing: full-width and foreign digits, zero-width characters. */
export const foldable = 64
/** A sign that joins the first word of a key to the rest: `sk-…`, `SG.…`, `secret-token:…`, `access_token$…`. */
export const joiner = 128
export const word = digit | upper | lower | underscore | wideLetter
export const letter = upper | lower

export const classOf = new Uint8Array(65536)

const set = (from: number, to: number, bits: number): void => {
  for (let code = from; code <= to; code++) classOf[code] = (classOf[code] ?? 0) | bits
}

set(0x30, 0x39, digit)
set(0x41, 0x5a, upper)
set(0x61, 0x7a, lower)
set(0x5f, 0x5f, underscore)
for (const char of '@:=>,(') set(char.charCodeAt(0), char.charCodeAt(0), anchor)
for (const char of '-.:$+~') set(char.charCodeAt(0), char.charCodeAt(0), joiner)
set(0xc0, 0x2af, wideLetter)
classOf[0xd7] = 0
classOf[0xf7] = 0
set(0x370, 0x65f, wideLetter)
set(0x66e, 0x6ef, wideLetter)
set(0x1e00, 0x1fff, wideLetter)

/** Where the decimal digits of other scripts begin: ten in a row each. */
const digitBlocks = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
  0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
  0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
]
/**
 * Drawn with no width, so that a number with one inside looks whole: soft hyphen, joiners, marks, what turns the
 * direction of writing, variation selectors, notes between the lines. From and to.
 */
const invisible = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
] as const
/** First half of the tags and of the further variation selectors, which lie beyond the BMP and are not drawn either. */
export const invisiblePair = 0xdb40
/** Drawn like an ASCII sign that identifiers are written with. */
const signs: Record<number, string> = { 65291: '+', 65293: '-', 65294: '.', 65295: '/', 65312: '@', 65343: '_' }

/** What a foldable character becomes: another character code, or 0 for nothing. */
export const foldsTo = new Map<number, number>()
for (const first of digitBlocks) for (let value = 0; value < 10; value++) foldsTo.set(first + value, 0x30 + value)
for (const [from, to] of invisible) for (let code = from; code <= to; code++) foldsTo.set(code, 0)
foldsTo.set(invisiblePair, 0)
for (let code = 0x41; code <= 0x5a; code++) {
  foldsTo.set(code + 0xfee0, code)
  foldsTo.set(code + 0xff00, code + 0x20)
}
for (const [code, sign] of Object.entries(signs)) foldsTo.set(Number(code), sign.charCodeAt(0))
for (const code of foldsTo.keys()) classOf[code] = foldable
// Mathematical digits and letters lie beyond the BMP: their first half announces them.
classOf[0xd835] = foldable

/** Kinds of separator that may stand between the groups of an identifier; 0 means none. */
export const separatorOf = new Uint8Array(65536)
const separators = (codes: readonly number[], kind: number): void => {
  for (const code of codes) separatorOf[code] = kind
}
export const separatorKinds = { ' ': 1, '-': 2, '.': 3, '/': 4 } as const
separators([0x20, 0xa0, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x202f, 0x3000], 1)
separators([0x2d, 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2212, 0xfe63], 2)
separators([0x2e, 0xb7], 3)
separators([0x2f], 4)

/** One number for how a word begins: the lists of prefixes and names are asked by it before anything is compared. */
export const beginning = (one: number, two: number, three: number): number =>
  ((one & 63) << 10) | ((two & 31) << 5) | (three & 31)
export const beginnings = 1 << 16

/**
 * What the text being scanned is copied into: the longest piece fits in half of it, so that an offset before the start
 * wraps to a zero behind the end, and no read ever leaves the array (which would make every read slower).
 */
export const bufferLength = 1 << 19
