import { origin, type Value } from '../model.ts'
import { from, text, textOf } from '../values.ts'
import { longestText } from './arithmetic.ts'

/**
 * Decoders that hostile programs hide their text behind. Bytes are kept as text of one character a byte, as both
 * languages treat them alike here. What comes out is marked `decoded`, also when it could be read.
 */
export type Decoder = (content: string) => string | null

/** Loaded when a program first asks for it, which few do. */
const zlib = () => process.getBuiltinModule('node:zlib')
const bytes = (content: string): Buffer => Buffer.from(content, 'latin1')
const limits = { maxOutputLength: longestText }

function attempt(decode: () => Buffer): string | null {
  try {
    return decode().toString('latin1')
  } catch {
    return null
  }
}

export const decoders = {
  base64: content => attempt(() => Buffer.from(content, 'base64')),
  base32: content => base32(content),
  base85: () => null,
  hex: content =>
    /^[0-9a-fA-F\s]*$/.test(content) ? attempt(() => Buffer.from(content.replace(/\s/g, ''), 'hex')) : null,
  inflate: content =>
    attempt(() => zlib().inflateSync(bytes(content), limits)) ??
    attempt(() => zlib().inflateRawSync(bytes(content), limits)),
  gunzip: content => attempt(() => zlib().gunzipSync(bytes(content), limits)),
  brotli: content => attempt(() => zlib().brotliDecompressSync(bytes(content), limits)),
  rot13: content =>
    content.replace(/[a-z]/gi, letter => {
      const base = letter <= 'Z' ? 65 : 97
      return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
    }),
  utf8: content => (/[^\x00-\xff]/.test(content) ? content : bytes(content).toString('utf8')),
  percent: content => {
    try {
      return decodeURIComponent(content)
    } catch {
      return null
    }
  },
} satisfies Record<string, Decoder>

/** The decoded value: known when the input was, and marked as decoded either way. */
export function decoded(value: Value | undefined | null, decoder: Decoder): Value {
  const origins = (value?.origins ?? 0) | origin.decoded
  const content = textOf(value ?? undefined)
  const result = content === null ? null : decoder(content)
  return result === null ? from(origins) : text(result, origins)
}

function base32(content: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  let bits = 0
  let held = 0
  let result = ''
  for (const letter of content.toUpperCase().replace(/=+$/, '')) {
    const digit = alphabet.indexOf(letter)
    if (digit < 0) continue
    held = (held << 5) | digit
    bits += 5
    if (bits >= 8) {
      bits -= 8
      result += String.fromCharCode((held >> bits) & 0xff)
    }
  }
  return result
}
