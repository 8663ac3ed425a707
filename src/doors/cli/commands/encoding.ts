import { Failure } from '../../../contract/problem.ts'

/**
 * Reads bytes as text by the mark that they begin with: UTF-16 of either kind, else UTF-8. Without it a file of UTF-16,
 * as Windows writes them, would seem to have nothing private in it.
 *
 * `exact` carries bytes that are no UTF-8 as lone surrogates (U+DC80 to U+DCFF), which no UTF-8 has, and `encode` makes
 * the same bytes of them again. Otherwise they become U+FFFD, as everywhere.
 */
export class TextCodec {
  readonly #exact: boolean
  /** Null before the first bytes are known. */
  #encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | null = null
  #rest: Buffer = Buffer.alloc(0)
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true })

  constructor(exact: boolean) {
    this.#exact = exact
  }

  decode(chunk: Uint8Array, last = false): string {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : Buffer.from(chunk)
    this.#rest = Buffer.alloc(0)
    if (this.#encoding === null) {
      if (bytes.length < 4 && !last) {
        this.#rest = bytes
        return ''
      }
      this.#encoding = encodingOf(bytes)
    }
    if (this.#encoding === 'utf-8' && !this.#exact) return this.#decoder.decode(bytes, { stream: !last })
    const whole = last ? bytes.length : this.#encoding === 'utf-8' ? wholeUtf8(bytes) : bytes.length & ~1
    this.#rest = Buffer.from(bytes.subarray(whole))
    bytes = bytes.subarray(0, whole)
    if (this.#encoding === 'utf-8') return decodeExactly(bytes)
    if (bytes.length % 2 === 1) {
      if (this.#exact)
        throw new Failure('request.invalid', 'The text ends in the middle of a character.', 'It may be cut off.')
      bytes = bytes.subarray(0, -1)
    }
    return (this.#encoding === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le')
  }

  /** The bytes of a text that was decoded here, in the encoding that it came in. */
  encode(text: string): Buffer {
    if (this.#encoding === 'utf-16le') return Buffer.from(text, 'utf16le')
    if (this.#encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16()
    if (text.isWellFormed()) return Buffer.from(text)
    return Buffer.concat(
      text
        .split(loneBytes)
        .map((part, at) =>
          at % 2 === 0 ? Buffer.from(part) : Buffer.from(part, 'utf16le').filter((_, place) => place % 2 === 0),
        ),
    )
  }
}

/** With `u`, the second half of a pair is no match of its own. */
const loneBytes = /([\udc80-\udcff]+)/u

function encodingOf(bytes: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [first, second, third, fourth] = bytes
  if (first === 0xff && second === 0xfe) {
    if (third === 0 && fourth === 0)
      throw new Failure('request.invalid', 'The text is UTF-32, which is not read.', 'Convert it to UTF-8.')
    return 'utf-16le'
  }
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/** How many bytes there are without a character that is not complete at the end. */
function wholeUtf8(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

function decodeExactly(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!text.includes('\ufffd')) return text
  let out = ''
  let at = 0
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0
    const length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 0
    const part = length === 0 ? '' : bytes.toString('utf8', at, at + length)
    // A character that stands for itself: anything else would come back as other bytes.
    if (part !== '' && Buffer.from(part).equals(bytes.subarray(at, at + length))) {
      out += part
      at += length
    } else out += String.fromCharCode(0xdc00 + (bytes[at++] ?? 0))
  }
  return out
}
