import { isPlaceholderKey } from '../scanner/plausible.ts'
import type { Detector, Find } from './detector.ts'
import { alphanumeric, base64, base64url, digits, hex, lowerAlphanumeric, sample, upperAlphanumeric } from './sample.ts'

/** Bodies for examples: letters and digits, hexadecimal, lower case, upper case, digits, Base64 in both alphabets. */
export const an = (length: number): string => sample(length, alphanumeric)
export const hx = (length: number): string => sample(length, hex)
export const lo = (length: number): string => sample(length, lowerAlphanumeric)
export const up = (length: number): string => sample(length, upperAlphanumeric)
export const nu = (length: number): string => sample(length, digits).replace(/^0/, '7')
export const b6 = (length: number): string => sample(length, base64)
export const bu = (length: number): string => sample(length, base64url)

const end = '(?![0-9A-Za-z_])'

/** A key that announces itself: one of the prefixes (separated by spaces), then a body. */
export function key(
  rule: string,
  type: string,
  title: string,
  announced: string,
  body: string,
  example: string,
): Detector {
  const prefixes = announced.split(' ')
  const literal = prefixes.map(prefix => prefix.replace(/[$.+*/|()[\]{}^?\\]/g, '\\$&')).join('|')
  const find: Find = { by: 'prefixes', prefixes, pattern: new RegExp(`(?:${literal})(?:${body})${end}`, 'y') }
  return secret(rule, type, title, find, prefixes[0] ?? '', example)
}

/** A key that is known by its form alone, for words of so many characters. */
export function unannounced(
  rule: string,
  type: string,
  title: string,
  shortest: number,
  longest: number,
  starts: string,
  body: string,
  example: string,
): Detector {
  return secret(
    rule,
    type,
    title,
    { by: 'words', starts, shortest, longest, pattern: new RegExp(`(?:${body})${end}`, 'y') },
    '',
    example,
  )
}

function secret(rule: string, type: string, title: string, find: Find, prefix: string, example: string): Detector {
  return {
    rule,
    type,
    title,
    find,
    score: 0.9,
    valid: value => !isPlaceholderKey(value),
    examples: {
      found: [prefix + example, `token = "${prefix}${example}"`],
      ignored: [prefix + 'x'.repeat(example.length), ...(prefix ? [`${prefix}short`] : [])],
    },
  }
}
