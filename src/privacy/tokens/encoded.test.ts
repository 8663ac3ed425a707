import { describe, expect, it } from 'vitest'
import { scanText } from '../scan-text.ts'
import { findEncoded } from './encoded.ts'
import { findBesideTokens } from './known.ts'
import { TokenBook } from './tokens.ts'

const book = new TokenBook()
const person = 'Siobhan Lacey'
book.tokenFor('PERSON', person)
const look = (text: string) => findBesideTokens(text, scanText(text), book)
const covered = (text: string) =>
  [...look(text), ...findEncoded(text, look)].reduce((all, { start, end }) => all + (end - start), 0)

const values = ['jane.doe@bank.ie', 'IE29AIBK93115212345678', person]
const forms: Record<string, (value: string) => string> = {
  base64: value => Buffer.from(value).toString('base64'),
  'base64 within more of it': value => Buffer.from(`it is: ${value}, and so on`).toString('base64'),
  base64url: value => Buffer.from(value).toString('base64url'),
  hex: value => Buffer.from(value).toString('hex'),
  'hex by bytes': value => Buffer.from(value).toString('hex').replace(/../g, '$& ').trim(),
  'percent signs': value => [...value].map(sign => `%${sign.charCodeAt(0).toString(16)}`).join(''),
  'escapes of code': value => [...value].map(sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'short escapes': value => [...value].map(sign => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`).join(''),
  entities: value => [...value].map(sign => `&#${sign.charCodeAt(0)};`).join(''),
  spaces: value => [...value.replaceAll(' ', '')].join(' '),
  dashes: value => [...value.replaceAll(' ', '')].join('-'),
  commas: value => [...value.replaceAll(' ', '')].join(', '),
  'escapes in JSON in JSON': value =>
    [...value].map(sign => `\\\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'lines in JSON': value => [...value.replaceAll(' ', '')].join('\\n'),
  lines: value => [...value.replaceAll(' ', '')].join('\n'),
}

describe('a value in another form', () => {
  it.each(Object.entries(forms))('is found in %s', (_, form) => {
    for (const value of values) {
      // A name without its space is none that anybody knows.
      if (value === person && form(value).replace(/[-, \n]|\\n/g, '') === person.replace(' ', '')) continue
      const text = `{"stdout": "out: ${form(value)}"}`
      expect(covered(text), text).toBeGreaterThanOrEqual(form(value).replace(/=+$/, '').length - 3)
    }
  })

  it('is found in letters of another size, and from its end', () => {
    for (const form of [person.toUpperCase(), person.toLowerCase(), [...person].reverse().join('')])
      expect(covered(`It is ${form}.`), form).toBe(person.length)
    book.tokenFor('PERSON', 'Grace')
    expect(covered('within a grace period')).toBe(0)
  })

  it('is not found in what only looks encoded', () => {
    for (const text of [
      'sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      'id 0198c5b2-7b7e-7cc0-8f7f-2b7c0e8a9b1d of internationalization_of_everything',
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'a, b, c, d, e, f, g and 1 2 3 4 5 6 7 8 9',
      'https://example.org/search?q=capital%20adequacy%20ratio',
    ])
      expect(findEncoded(text, look), text).toEqual([])
  })

  it('takes no longer for a hostile text than for another', () => {
    const cpu = process.threadCpuUsage()
    for (const text of ['a'.repeat(500_000), 'a '.repeat(250_000), '\\u00'.repeat(100_000), '%4'.repeat(200_000)])
      findEncoded(text, () => [])
    const { user, system } = process.threadCpuUsage(cpu)
    expect(user + system).toBeLessThan(3_000_000)
  })
})
