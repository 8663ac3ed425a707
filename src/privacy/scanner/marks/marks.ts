import { bufferLength, classOf } from '../classes.ts'
import { assemble } from './assembler.ts'
import { readEscapes } from './escapes.ts'
import { bytesPerMark, layout, writeMarking } from './marking.ts'

/** The longest text that is scanned in one go. */
export const longestPiece = 1 << 18

/** In the first number of a mark: where its word begins, and above that the class bits of the word; none for a sign. */
export { maskShift, startMask } from './marking.ts'

/** Of every runtime; the types of browsers, among which it is found, have no place here. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

const pages = Math.ceil((layout.marks + bytesPerMark * (longestPiece + 64)) / 65_536)
const module = new WebAssembly.Module(assemble(pages, layout.constants, writeMarking))
const { memory, run } = new WebAssembly.Instance(module).exports as {
  memory: { readonly buffer: ArrayBuffer }
  run: (length: number) => number
}
new Uint8Array(memory.buffer, layout.classes).set(classOf)

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

/** Marks what a finder may want to see in the text that was read last; returns how many numbers that took. */
export const markWords = (length: number): number => run(length) >> 2
