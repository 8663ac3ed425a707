import { origin, type Value } from '../../model.ts'
import { from, tainted, text } from '../../values.ts'
import { decoded, decoders } from '../decode.ts'
import type { Fold } from '../library.ts'

export const decode =
  (decoder: (content: string) => string | null): Fold =>
  ({ args }) =>
    decoded(args[0], decoder)

/** What `codecs.decode(value, name)` gives. */
export function codec(value: Value | undefined, name: string): Value | null {
  if (value === undefined) return null
  if (/rot.?13/i.test(name)) return decoded(value, decoders.rot13)
  if (/hex/i.test(name)) return decoded(value, decoders.hex)
  if (/base64/i.test(name)) return decoded(value, decoders.base64)
  if (/zlib|zip/i.test(name)) return decoded(value, decoders.inflate)
  if (/unicode_escape|string_escape/i.test(name)) return tainted(value, origin.decoded)
  return value.kind === 'text' ? text(decoders.utf8(value.text) ?? value.text, value.origins) : value
}

export function fromCodes(value: Value | undefined): Value | null {
  if (value?.kind !== 'list' || value.open) return null
  let result = ''
  for (const item of value.items) {
    if (item.kind !== 'number') return from(value.origins | origin.decoded)
    result += String.fromCharCode(item.number & 0xff)
  }
  return text(result, value.origins | origin.decoded)
}
