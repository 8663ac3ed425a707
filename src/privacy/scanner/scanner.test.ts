import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Finding } from '../../contract/privacy.ts'
import { detectors } from '../detectors/detectors.ts'
import { base64, base64url, sample } from '../detectors/sample.ts'
import { scanText } from '../privacy.ts'
import { inCodePoints } from './offsets.ts'
import { Scanner } from './scanner.ts'
import { StreamScanner } from './stream.ts'

const scanner = new Scanner(detectors)

/** Bits of text that matter to the scanner, to be strung together at random. */
const bits = fc.oneof(
  fc.constantFrom(...detectors.flatMap(detector => [...detector.examples.found, ...detector.examples.ignored])),
  fc.constantFrom(
    ' ',
    '\n',
    '\\n',
    ', ',
    ': ',
    '="',
    '"',
    '-',
    '.',
    'SSN ',
    'phone ',
    'password = ',
    '😀',
    '\u200b',
    '４',
    '\ud83d',
    'é',
    '電話',
  ),
  fc.string({ maxLength: 20 }),
)
const texts = fc.array(bits, { maxLength: 40 }).map(parts => parts.join(''))

const inPieces = (text: string, sizes: readonly number[]): { text: string; found: Finding[] } => {
  const stream = new StreamScanner(scanner)
  const found: Finding[] = []
  let out = ''
  let at = 0
  let turn = 0
  while (at < text.length) {
    const size = sizes[turn++ % sizes.length] ?? 1
    const decided = stream.push(text.slice(at, at + size))
    out += decided.text
    found.push(...decided.found)
    at += size
  }
  const rest = stream.end()
  return { text: out + rest.text, found: [...found, ...rest.found] }
}

describe('scanner', () => {
  it('finds behind a line break that is written as an escape what it finds behind a real one', () => {
    // What is told in two words, `ID/PW: a/b`, is looked for at the real beginning of a line.
    const examples = detectors.flatMap(({ rule, examples: { found } }) => (rule === 'password-assignment' ? [] : found))
    const at = (before: string, example: string) =>
      scanner
        .scan(before + example, { whole: false })
        .map(({ type, start, end }) => [type, start - before.length, end - before.length])
    for (const example of examples.filter(text => !/["\n\\]/.test(text)))
      expect([example, at('Out:\\n', example)]).toEqual([example, at('Out:\n', example)])
  })

  it.each(['メール:jane@bank.ieです', '我的邮箱是jane@bank.ie。', '联系jane@bank.ie或打电话', 'jane@bank.ie입니다'])(
    'takes only the address out of %s, where no space is written around it',
    text => expect(scanner.scan(text).map(({ start, end }) => text.slice(start, end))).toEqual(['jane@bank.ie']),
  )

  it('leaves JSON whole when it takes a value from behind an escape', () => {
    const line = JSON.stringify({ log: 'hi\njane@bank.ie\n4111111111111111\tbye' })
    let out = line
    for (const { start, end } of scanner.scan(line).reverse()) out = `${out.slice(0, start)}X${out.slice(end)}`
    expect(JSON.parse(out)).toEqual({ log: 'hi\nX\nX\tbye' })
  })

  it('reports spans in order that do not overlap and lie within the text', () => {
    fc.assert(
      fc.property(texts, text => {
        let last = 0
        for (const { start, end } of scanner.scan(text)) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(end).toBeGreaterThan(start)
          last = end
        }
        expect(last).toBeLessThanOrEqual(text.length)
      }),
      { numRuns: 300 },
    )
  })

  it('finds the same in a stream, wherever the chunks are cut', () => {
    fc.assert(
      fc.property(
        fc.array(texts, { minLength: 1, maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 5 }),
        (parts, sizes) => {
          const text = parts.join('\n')
          const streamed = inPieces(text, sizes)
          expect(streamed.text).toBe(text)
          expect(streamed.found).toEqual(scanText(text))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('finds the same in a long text as in its parts', () => {
    const line =
      'Jane paid with 4111 1111 1111 1111 from jane.doe@bank.ie, IBAN IE29 AIBK 9311 5212 3456 78, and left.\n'
    const text = line.repeat(6000)
    const once = scanner.scan(line)
    const found = scanner.scan(text)
    expect(found).toHaveLength(once.length * 6000)
    expect(found.at(-1)).toEqual({
      ...once.at(-1),
      start: (once.at(-1)?.start ?? 0) + line.length * 5999,
      end: (once.at(-1)?.end ?? 0) + line.length * 5999,
    })
  })

  it.each([9_000, 20_000, 60_000])(
    'takes a token and a key block of %i characters whole, also from a stream',
    length => {
      const body = sample(length, base64url)
      const token = `eyJhbGciOiJIUzI1NiJ9.${body}.${sample(43, base64url)}`
      const lines = sample(length, base64).replace(/.{64}/g, '$&\n')
      const block = `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----`
      for (const value of [token, block]) {
        const text = `It is\n${value}\nand no more.\n${'Some words follow. '.repeat(100)}`
        const streamed = inPieces(text, [700])
        expect(streamed.text).toBe(text)
        for (const found of [scanner.scan(text), streamed.found])
          expect(found.map(({ start, end }) => [start, end])).toEqual([[6, 6 + value.length]])
      }
      // Without its last line it is taken as far as it goes.
      const open = `-----BEGIN PRIVATE KEY-----\n${lines}`
      expect(scanner.scan(`${open}\n`)[0]?.end).toBeGreaterThanOrEqual(open.length)
    },
  )

  it('sees through full-width and foreign digits and through zero-width characters', () => {
    const plain = '4111 1111 1111 1111'
    const wide = plain.replace(/\d/g, digit => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))
    const arabic = plain.replace(/\d/g, digit => String.fromCharCode(digit.charCodeAt(0) - 0x30 + 0x660))
    const mathematical = plain.replace(/\d/g, digit => String.fromCodePoint(0x1d7ce + Number(digit)))
    const hidden = '41\u200b11 11\u206011 1111 1111'
    const beside = '4111 1111\u200b 1111 \u20601111'
    for (const text of [wide, arabic, mathematical, hidden, beside]) {
      const around = `card: ${text} thanks`
      const [finding] = scanner.scan(around)
      expect(finding?.type).toBe('CREDIT_CARD')
      expect(around.slice(finding?.start, finding?.end)).toBe(text)
    }
    expect(scanner.scan('ｊａｎｅ＠ｂａｎｋ．ｉｅ')[0]?.type).toBe('EMAIL')
  })

  it.each(
    [
      ...[0xad, 0x17b4, 0x180b, 0x200b, 0x202a, 0x202c, 0x202e, 0x2060, 0x2066, 0x2069, 0x206f, 0xfe0f, 0xfff9],
      ...[0xe0001, 0xe0020, 0xe007f, 0xe0100],
    ].map(code => [`U+${code.toString(16)}`, code] as const),
  )('sees through %s, which is not drawn, in a number and in an address', (_name, code) => {
    const hidden = String.fromCodePoint(code)
    for (const [type, plain] of [
      ['CREDIT_CARD', '4111 1111 1111 1111'],
      ['EMAIL', 'jane.doe@bank.ie'],
    ] as const) {
      for (const at of [2, 6, 9]) {
        for (const times of [1, 3]) {
          const value = plain.slice(0, at) + hidden.repeat(times) + plain.slice(at)
          const text = `card: ${value} thanks`
          const found = scanner.scan(text).map(({ type, start, end }) => [type, text.slice(start, end)])
          expect(found).toEqual([[type, value]])
        }
      }
    }
  })

  it.each([
    ['https://bank.ie/x?email=jane%40bank.ie&page=2', 'jane%40bank.ie'],
    ['name=Jane&to=jane.doe%2Btax%40bank.co.uk', 'jane.doe%2Btax%40bank.co.uk'],
    ['next=%2Fmail%3Fto%3Djane%40bank.ie%26x%3D1', 'jane%40bank.ie'],
    ['q=%22jane_doe%40bank.ie%22', 'jane_doe%40bank.ie'],
    ['to=m%C3%BCller%40bank.ie', 'm%C3%BCller%40bank.ie'],
    ['to=100%jane%40bank.ie.', 'jane%40bank.ie'],
    ['jane%40bank.ie', 'jane%40bank.ie'],
    ['x=%3Cjane%40bank.ie%3E,%3Cjoe%40bank.ie%3E', 'jane%40bank.ie', 'joe%40bank.ie'],
  ])('takes the address out of %s, where its sign is written as URLs write it', (text, ...values) => {
    expect(scanner.scan(text).map(({ type, start, end }) => [type, text.slice(start, end)])).toEqual(
      values.map(value => ['EMAIL', value]),
    )
  })

  it.each(['100%40', '100%40.5', 'a%40b', '%40bank.ie', '=%3D%40bank.ie', 'a.%40bank.ie', 'x%40.ie', 'a %40bank.ie'])(
    'finds no address in %s',
    text => expect(scanner.scan(text)).toEqual([]),
  )

  it('counts offsets in UTF-16 units, and in code points when asked', () => {
    const text = '😀😀 jane@bank.ie 😀'
    const found = scanner.scan(text)
    expect(found[0]).toMatchObject({ start: 5, end: 17 })
    expect(inCodePoints(text, found)[0]).toMatchObject({ start: 3, end: 15 })
  })

  it('ends at the end of the text, also where half a character stands there', () => {
    const text = 'password=hunter２２x\ud835'
    expect(scanner.scan(text).at(-1)?.end).toBeLessThanOrEqual(text.length)
  })

  it('survives any string, lone surrogates and all planes included', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        (a, b) => {
          scanner.scan(a + b)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('takes a text of one number and another for two that stand alone, and a sentence for none', () => {
    const values = (text: string) => scanner.scan(text).map(({ start, end }) => text.slice(start, end))
    expect(values('120027016 et 422260208')).toEqual(['120027016', '422260208'])
    expect(values('3 apples and 422260208')).toEqual([])
  })

  it('leaves out what is less sure than asked for, whichever way it was found', () => {
    const text = 'my bank account is 730418265914.SSN '
    expect(scanner.scan(text)).toHaveLength(1)
    expect(scanner.scan(text, { least: 0.85 })).toEqual([])
  })

  it('keeps what the loser of an overlap covered alone', () => {
    fc.assert(
      fc.property(texts, text => {
        const found = scanner.scan(text)
        for (const candidate of scanner.scan(text, { least: 0.85 })) {
          expect(candidate.score).toBeGreaterThanOrEqual(0.85)
          for (let at = candidate.start; at < candidate.end; at++) {
            expect(found.some(({ start, end }) => start <= at && at < end)).toBe(true)
          }
        }
      }),
      { numRuns: 100 },
    )
  })
})
