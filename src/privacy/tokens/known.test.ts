import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scanText } from '../privacy.ts'
import { findBesideTokens, keepingTokens } from './known.ts'
import { redactText, TokenBook } from './tokens.ts'

const send = (text: string, book: TokenBook) =>
  redactText(text, findBesideTokens(text, scanText(text), book), keepingTokens(book))

describe('texts that hold tokens already', () => {
  it('keep the tokens of the conversation, also behind a label that asks for a value', () => {
    const book = new TokenBook()
    const token = book.tokenFor('PASSWORD', 'hunter2hunter2')
    expect(send(`password: ${token} and again ${token}`, book)).toBe(`password: ${token} and again ${token}`)
  })

  it('give a value its token where nothing around it says what it is', () => {
    const book = new TokenBook()
    const first = send('My PPS number is 1234567FA, please check it.', book)
    expect(first).not.toContain('1234567FA')
    expect(send('Row 3: 1234567FA ok', book)).toMatch(/^Row 3: \[\w+_1\] ok$/)
    expect(send('Row 3: X1234567FAB ok', book)).toContain('X1234567FAB')
  })

  it('come out the same the second time, whatever stands around the tokens', () => {
    const parts = fc.array(
      fc.constantFrom(
        'jane@bank.ie',
        ' ',
        '4111 1111 1111 1111',
        'IBAN: ',
        'IE29AIBK93115212345678',
        'password=',
        '"',
        ', ',
        '[EMAIL_1]',
        'Dear Mr. Byrne',
        '\n',
        '12',
      ),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(parts, list => {
        const book = new TokenBook()
        const once = send(send(send(list.join(''), book), book), book)
        expect(send(once, book)).toBe(once)
        for (const value of ['jane@bank.ie', '4111 1111 1111 1111', 'IE29AIBK93115212345678'])
          if ([...book.entries()].some(entry => entry.value === value))
            expect(once.split(/\[\w+\]/).join('¦')).not.toMatch(new RegExp(`(?<!\\w)${value}(?!\\w)`))
      }),
    )
  })
})
