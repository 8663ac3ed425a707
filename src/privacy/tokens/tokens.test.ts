import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detectors } from '../detectors/detectors.ts'
import { Scanner } from '../scanner/scanner.ts'
import { StreamScanner } from '../scanner/stream.ts'
import { matchesWildcards } from './allowed.ts'
import { RedactionStream, RestoringStream } from './stream.ts'
import { redactStructured, restoreStructured } from './structured.ts'
import { redactText, restoreText, TokenBook } from './tokens.ts'

const scanner = new Scanner(detectors)
const scan = (text: string) => scanner.scan(text)

const bits = fc.oneof(
  fc.constantFrom(
    'jane@bank.ie',
    '[EMAIL_1]',
    '[EMAIL_',
    '1]',
    '[',
    ']',
    '[LITERAL_1]',
    '[LITERAL_2]',
    'EMAIL_1',
    '4111 1111 1111 1111',
    ' ',
    '\n',
    '[EMAIL_10]',
    '[A_1]',
  ),
  fc.constantFrom(...detectors.flatMap(detector => detector.examples.found)),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const texts = fc.array(bits, { maxLength: 30 }).map(parts => parts.join(''))
const sizes = fc.array(fc.integer({ min: 1, max: 1500 }), { minLength: 1, maxLength: 4 })

const cut = (text: string, lengths: readonly number[]): string[] => {
  const chunks: string[] = []
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = lengths[turn % lengths.length] ?? 1
    chunks.push(text.slice(at, at + size))
    at += size
  }
  return chunks
}

describe('tokens', () => {
  it('stay the same for the same value and count up for others', () => {
    const book = new TokenBook()
    const text = 'a@x.ie and b@x.ie and a@x.ie'
    expect(redactText(text, scan(text), book)).toBe('[EMAIL_1] and [EMAIL_2] and [EMAIL_1]')
    expect(redactText('b@x.ie', scan('b@x.ie'), book)).toBe('[EMAIL_2]')
  })

  it('are put back exactly, whatever the text, look-alikes included', () => {
    fc.assert(
      fc.property(texts, text => {
        const book = new TokenBook()
        expect(restoreText(redactText(text, scan(text), book), book)).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  it('are the same after the book was written down and opened again', () => {
    const book = new TokenBook()
    book.tokenFor('EMAIL', 'a@x.ie')
    const again = new TokenBook(book.takeAdded())
    expect(again.tokenFor('EMAIL', 'a@x.ie')).toBe('[EMAIL_1]')
    expect(again.tokenFor('EMAIL', 'b@x.ie')).toBe('[EMAIL_2]')
  })

  it('are put back exactly in streams, wherever both are cut', () => {
    fc.assert(
      fc.property(texts, sizes, sizes, (text, redactSizes, restoreSizes) => {
        const book = new TokenBook()
        const redaction = new RedactionStream(new StreamScanner(scanner), book)
        const sent =
          cut(text, redactSizes)
            .map(chunk => redaction.push(chunk))
            .join('') + redaction.end()
        const restoring = new RestoringStream(book)
        expect(
          cut(sent, restoreSizes)
            .map(chunk => restoring.push(chunk))
            .join('') + restoring.end(),
        ).toBe(text)
      }),
      { numRuns: 300 },
    )
  })

  it('never lets a value through that is split over chunks', () => {
    const redaction = new RedactionStream(new StreamScanner(scanner), new TokenBook())
    const sent =
      [...'mail jane.doe@bank.ie or pay 4111 1111 1111 1111 now'].map(char => redaction.push(char)).join('') +
      redaction.end()
    expect(sent).toBe('mail [EMAIL_1] or pay [CREDIT_CARD_1] now')
  })
})

describe('structured data', () => {
  it('keeps its shape and is put back exactly', () => {
    const keys = fc.oneof(
      fc.constantFrom('password', 'ssn', 'jane@bank.ie', '__proto__', 'toString', 'note', 'dob', 'columns', 'data'),
      fc.string({ maxLength: 8 }),
    )
    const { value } = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: 'small' },
        texts,
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter(number => !Object.is(number, -0)),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.array(fc.tuple(keys, tie('value')), { maxLength: 4 }).map(entries => Object.fromEntries(entries)),
      ),
    }))
    fc.assert(
      fc.property(value, data => {
        const book = new TokenBook()
        const sent = redactStructured(data, scan, book).value
        expect(JSON.stringify(restoreStructured(sent, book))).toBe(JSON.stringify(data))
      }),
      { numRuns: 300 },
    )
  })

  it('reads a data frame by the names of its columns', () => {
    const book = new TokenBook()
    const frame = {
      columns: ['full name', 'ssn', 'amount'],
      data: [
        ['Bo', 123456789, 5],
        ['only two', 1],
      ],
    }
    const { value } = redactStructured(frame, scan, book)
    const inside = { credentials: { columns: ['a', 'b'], data: [['x1', 'x2'], ['x3']] } }
    expect(JSON.stringify(redactStructured(inside, scan, new TokenBook()).value)).not.toMatch(/x\d/)
    expect(value.data).toEqual([
      ['[PERSON_1]', '[US_SSN_1]', 5],
      ['only two', 1],
    ])
    expect(restoreStructured(value, book)).toEqual(frame)
  })

  it('replaces whole values in fields with sensitive names, numbers too', () => {
    const book = new TokenBook()
    const data = { user: { firstName: 'Zyx', ssn: 123456789, tags: ['a'] }, password: 'x', count: 3 }
    const { value, found } = redactStructured(data, scan, book)
    expect(value).toEqual({
      user: { firstName: '[PERSON_1]', ssn: '[US_SSN_1]', tags: ['a'] },
      password: '[PASSWORD_1]',
      count: 3,
    })
    expect(found.map(finding => finding.field)).toEqual(['user.firstName', 'user.ssn', 'password'])
    expect(restoreStructured(value, book)).toEqual(data)
  })

  it('finds numbers that have no quotes around them, and makes them numbers again', () => {
    const book = new TokenBook()
    const data = {
      card: 4111111111111111,
      big: 4111111111111111n,
      ssn: 123456789012345678901n,
      npi: 1234567893,
      list: [378282246310005, 42],
      created: 1731871234567,
      amount: 1234567893,
      ratio: 0.41111111,
      frame: { columns: ['a', 'npi'], data: [[4111111111111111, 1234567893]] },
    }
    const { value, found } = redactStructured(data, scan, book)
    expect(value).toEqual({
      ...data,
      card: '[CREDIT_CARD_1]',
      big: '[CREDIT_CARD_2]',
      ssn: '[US_SSN_1]',
      npi: '[US_NPI_1]',
      list: ['[CREDIT_CARD_3]', 42],
      frame: { columns: ['a', 'npi'], data: [['[CREDIT_CARD_1]', '[US_NPI_1]']] },
    })
    expect(found[0]).toMatchObject({ start: 0, end: 16, field: 'card', text: '4111111111111111' })
    expect(restoreStructured(value, book)).toEqual(data)
    expect(restoreText('pay [CREDIT_CARD_2]', book)).toBe('pay 4111111111111111')
  })

  it('leaves numbers alone that have a check digit by chance, where the field says that they are of another kind', () => {
    const data = { order_id: '1234567893', items: [{ orderRef: '513826402' }], note: '1234567893', id: '417-62-9035' }
    const { value } = redactStructured(data, scan, new TokenBook())
    expect(value).toEqual({ ...data, note: '[US_NPI_1]', id: '[US_SSN_1]' })
    const frame = { columns: ['lot', 'provider'], data: [['1234567893', '1234567893']] }
    expect(redactStructured(frame, scan, new TokenBook()).value.data).toEqual([['1234567893', '[US_NPI_1]']])
  })

  it('redacts text in bytes and leaves other bytes as they are', () => {
    const book = new TokenBook()
    const binary = new Uint8Array([0xff, 0x00, ...Buffer.from(' jane@bank.ie '), 0xfe])
    const sent = redactStructured({ file: binary }, scan, book).value.file
    expect(Buffer.from(sent).toString('latin1')).toBe('\xff\0 [EMAIL_1] \xfe')
  })

  it('keeps maps, sets, dates and bytes what they are, and puts them back', () => {
    const book = new TokenBook()
    const data = {
      map: new Map<unknown, unknown>([
        ['password', 'x1'],
        ['a@b.ie', new Map([['ssn', 123456789]])],
      ]),
      set: new Set(['jane@bank.ie', 'plain']),
      at: new Date(0),
      dob: [new Date(86_400_000)],
      file: new Uint8Array(Buffer.from('zoë@bank.ie, ok')),
      secretKey: new Uint8Array([0xff, 1, 2]),
    }
    const { value } = redactStructured({ ...data, secretKey: null }, scan, book)
    expect(value).toEqual({
      map: new Map<unknown, unknown>([
        ['password', '[PASSWORD_1]'],
        ['[EMAIL_1]', new Map([['ssn', '[US_SSN_1]']])],
      ]),
      set: new Set(['[EMAIL_2]', 'plain']),
      at: new Date(0),
      dob: ['[DATE_OF_BIRTH_1]'],
      file: new Uint8Array(Buffer.from('[EMAIL_3], ok')),
      secretKey: null,
    })
    const dob = ['1970-01-02T00:00:00.000Z']
    expect(restoreStructured(value, book)).toEqual({ ...data, dob, secretKey: null })
    expect(() => redactStructured({ secret: data.secretKey }, scan, book)).toThrow('could not be put back')
  })

  it.each([
    ['Error', new Error('jane@bank.ie')],
    ['RegExp', /jane@bank.ie/],
    ['Float64Array', new Float64Array([1])],
    ['ArrayBuffer', new ArrayBuffer(4)],
    ['Promise', Promise.resolve('jane@bank.ie')],
    ['function', () => 'jane@bank.ie'],
  ])('refuses what it cannot look into: %s', (kind, node) => {
    expect(() => redactStructured({ list: [node] }, scan, new TokenBook())).toThrow(`cannot be checked (${kind})`)
  })

  it('lets pass what a person has allowed, also in a field that is sensitive', () => {
    const select = (_finding: unknown, text: string) => text !== 'demo' && text !== '12345678'
    const data = { password: 'demo', pin: 12345678, ssn: 'other' }
    const { value } = redactStructured(data, scan, new TokenBook(), select)
    expect(value).toEqual({ ...data, ssn: '[US_SSN_1]' })
  })

  it('refuses data that is nested without end', () => {
    let deep: unknown = 'x'
    for (let level = 0; level < 5000; level++) deep = [deep]
    expect(() => redactStructured(deep, scan, new TokenBook())).toThrow('nested too deeply')
  })
})

describe('wildcards', () => {
  it('match whole values, and no pattern takes long', () => {
    expect(matchesWildcards('*@example.com', 'jane@example.com')).toBe(true)
    expect(matchesWildcards('*@example.com', 'jane@example.com.evil.org')).toBe(false)
    expect(matchesWildcards('10.0.?.1', '10.0.7.1')).toBe(true)
    expect(matchesWildcards(`${'*a'.repeat(200)}b`, 'a'.repeat(1000))).toBe(false)
  })
})
