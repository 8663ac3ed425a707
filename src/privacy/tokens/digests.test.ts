import { describe, expect, it } from 'vitest'
import { DigestBook } from './digests.ts'
import { TokenBook } from './tokens.ts'

describe('a book that remembers digests', () => {
  it('gives out the tokens that a book of values would, however many there are', () => {
    const digests = new DigestBook(true)
    const values = new TokenBook()
    const types = ['EMAIL', 'PERSON', 'LITERAL']
    for (const book of [digests, values]) book.tokenFor('LITERAL', '[EMAIL_2]')
    for (let at = 0; at < 20_000; at++) {
      const type = types[at % 3] ?? ''
      const value = `value ${(at * 7919) % 9000}`
      expect(digests.tokenFor(type, value)).toBe(values.tokenFor(type, value))
    }
    expect(values.entryOf('[EMAIL_2]')).toBeUndefined()
    expect(digests.tokenFor('EMAIL', '5', 'json')).toBe(values.tokenFor('EMAIL', '5', 'json'))
    expect(digests.takeAdded()).toEqual(values.takeAdded())
  })

  it('goes on where an earlier one ended, and tells broken characters apart', () => {
    const book = new DigestBook(true)
    book.know([{ token: '[EMAIL_4]', type: 'EMAIL', value: 'a', kind: 'text' }])
    expect(['a', 'b', '\udc80', '\udc81'].map(value => book.tokenFor('EMAIL', value))).toEqual([
      '[EMAIL_4]',
      '[EMAIL_5]',
      '[EMAIL_6]',
      '[EMAIL_7]',
    ])
  })

  it('keeps no value that nobody asks for', () => {
    const book = new DigestBook(false)
    book.tokenFor('EMAIL', 'a@b.ie')
    expect(book.takeAdded()).toEqual([])
  })
})
