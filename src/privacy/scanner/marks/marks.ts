import { assemble } from '../../../assembler.ts'
import { bufferLength, classOf } from '../classes.ts'
import { readEscapes } from './escapes.ts'
import { flags, layout, pages, type Sieve, sieveLayout } from './layout.ts'
import { writeMarking } from './marking.ts'
import { writeSifting } from './sifting.ts'
import { traitOf } from './traits.ts'

export { longestPiece, maskShift, type Sieve, startMask } from './layout.ts'

/** Of every runtime; the types of browsers, among which it is found, have no place here. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

const module = new WebAssembly.Module(assemble(pages, layout.constants, { mark: writeMarking, sift: writeSifting }))
const { memory, mark, sift } = new WebAssembly.Instance(module).exports as {
  memory: { readonly buffer: ArrayBuffer }
  mark: (length: number) => number
  sift: (end: number) => number
}
const everything = new Uint8Array(memory.buffer)
everything.set(classOf, layout.classes)
everything.set(traitOf, layout.traits)

/**
 * Characters of the text being scanned, as numbers: reading a typed array costs a fraction of `charCodeAt`, and finders
 * read each character several times. One for all scans, since a scan never waits for anything.
 */
export const codes = new Uint16Array(memory.buffer, layout.codes, bufferLength)
const bytes = Buffer.from(memory.buffer, layout.codes, 2 * bufferLength)

/** Two numbers each: start and class bits, then the end of a word. */
export const marks = new Int32Array(memory.buffer, layout.marks)

export function readCodes(text: string): void {
  bytes.write(text, 'utf16le')
  readEscapes(text, codes)
  // What a longer text left behind must not be read as the end of this one.
  codes.fill(0, text.length, text.length + 128)
}

/** Marks words and signs that a finder may want to see in the text that was read last; returns how many numbers that took. */
export const markWords = (length: number): number => mark(length) >> 2

let loaded: Sieve | null = null

/** What is known of a text before its marks are sifted. */
export interface Known {
  /** Whether `-u` stands anywhere: if not, no colon is between a user and a password. */
  readonly userOption: boolean
  /** Whether findings must be sure enough to be reported: a bare number that nothing speaks for then is none. */
  readonly onlySure: boolean
}

/** Leaves out the marks that would be nothing to any finder; returns how many numbers are left. */
export function siftMarks(count: number, sieve: Sieve, { userOption, onlySure }: Known): number {
  if (loaded !== sieve) for (const [name, place] of sieveTables) everything.set(sieve[name], place)
  loaded = sieve
  everything[flags.hasUserOption] = userOption ? 1 : 0
  everything[flags.onlySure] = onlySure ? 1 : 0
  return sift(layout.marks + 4 * count) >> 2
}

const sieveTables = Object.entries(sieveLayout) as [keyof Sieve, number][]
