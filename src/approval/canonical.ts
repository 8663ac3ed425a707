import { canonical, textHash } from '../../resources/verify.mjs'

/**
 * The one text of a value (RFC 8785), as the record has it too: what is signed must not depend on the order in which
 * fields were set or read back. A field that is there but undefined is no field, and half a character that a finding
 * cut from a line of code is shown, and so hashed, as a replacement character.
 */
export function canonicalJson(value: unknown): string {
  const plain = JSON.stringify(value, (_key, part) => (typeof part === 'string' ? part.toWellFormed() : part))
  return canonical(JSON.parse(plain))
}

/** SHA-256 over the text in UTF-8, in hex. */
export const sha256 = (text: string): string => textHash(text)
