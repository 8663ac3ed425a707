/**
 * Makes up random-looking text for the examples of secret detectors, the same every time. Written out in full, an
 * example key would set off every other scanner that looks at this source.
 */
export function sample(length: number, alphabet = alphanumeric): string {
  let state = 0x2545f491 ^ length
  let text = ''
  for (let at = 0; at < length; at++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    text += alphabet[(state >>> 0) % alphabet.length] ?? ''
  }
  return text
}

export const alphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
export const hex = '0123456789abcdef'
export const lowerAlphanumeric = 'abcdefghijklmnopqrstuvwxyz0123456789'
export const upperAlphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
export const digits = '0123456789'
export const base64 = `${alphanumeric}+/`
export const base64url = `${alphanumeric}-_`
