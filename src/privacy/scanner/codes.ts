import { bufferLength, classOf, separatorOf } from './classes.ts'
import { codes as shared } from './marks/marks.ts'

/**
 * The text being scanned, character by character. There is one at a time, so that nobody has to be handed it; and what is
 * named in this file itself is known to the compiler by its address, which is why others read it through here.
 */
const codes = shared
const classes = classOf
const separators = separatorOf
const last = bufferLength - 1

/** The character at an offset; 0 before and behind the text. */
export const codeAt = (at: number): number => codes[at & last] ?? 0
/** Its class bits and kind of separator. */
export const classAt = (at: number): number => classes[codes[at & last] ?? 0] ?? 0
export const separatorAt = (at: number): number => separators[codes[at & last] ?? 0] ?? 0

/** A quote of either kind. */
export const isQuoteAt = (at: number): boolean => codeAt(at) === 0x22 || codeAt(at) === 0x27
