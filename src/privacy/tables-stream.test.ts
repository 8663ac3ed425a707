import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Finding } from '../contract/privacy.ts'
import { defaultScanner, StreamScanner, scanText } from './privacy.ts'
import { findInTables, TableReader } from './tables.ts'

/** Lines of which texts with tables are made; those that belong together come together more often than by chance. */
const prose = [
  '',
  'As asked for, here they are:',
  'The clients, and what they owe',
  'It was a long day, and nobody had thought of the "consequences of it.',
  'Send the password, or ask.',
  'a b c '.repeat(90),
  'We would rather not say more about that, since nobody has asked us to do so. '.repeat(4),
  'write to jane.doe@bank.ie, card 4111 1111 1111 1111',
  'password = hunter22',
  'Address',
  `${'and so it went on '.repeat(30)}full name,amount`,
  '😀, é',
]
const headers = [
  'full name,amount',
  'id,first_name,email,note',
  'full name;dob',
  'full name;amount',
  'ssn\tamount',
  '| full name | phone |',
  '      full name     dob  amount',
  '"full name","amount"',
  'full name,"amount',
  'password,user',
  'email,password',
]
const rows = [
  'Bo,5',
  '"Dyke, Bo",7',
  '"Bo\nvan Dyke",5',
  'Bo,"open',
  ',6',
  '1,Al,al@bank.ie,paid from IE29 AIBK 9311 5212 3456 78 in May',
  '2,"A ""B"" C",,x',
  'Al Gray;1980-12-03',
  "password = 'hunter;22 more'",
  '078-05-1120\t12',
  '| --- | --- |',
  '| Cy Bell | +353 86 123 4567 |',
  '0      Jane Doe  1980-1     100',
  'hunter2!,joe',
  `${'Ann '.repeat(300)},9`,
]
const line = fc.oneof(
  fc.constantFrom(...prose),
  fc.constantFrom(...rows),
  { weight: 2, arbitrary: fc.constantFrom(...headers) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...headers), fc.constantFrom(...rows), fc.integer({ min: 1, max: 60 }))
      .map(([header, row, times]) => `${header}\n${Array(times).fill(row).join('\n')}`),
  },
)
const texts = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 12 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, end, ends]) => lines.join('\n').replaceAll('\n', end) + (ends ? end : ''))
const sizes = fc.array(fc.integer({ min: 1, max: 2500 }), { minLength: 1, maxLength: 5 })

/** Long texts in fewer and larger parts: a million letters one by one take minutes and show nothing more. */
const mostParts = 4000

function partsOf(text: string, sizes: readonly number[]): string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const size = Math.max(sizes[parts.length % sizes.length] ?? 1, Math.ceil(text.length / mostParts))
    parts.push(text.slice(at, at + size))
    at += size
  }
  return parts
}

function streamed(parts: Iterable<string>): { text: string; found: Finding[] } {
  const stream = new StreamScanner(defaultScanner())
  const found: Finding[] = []
  let text = ''
  const take = (decided: { text: string; found: readonly Finding[] }): void => {
    text += decided.text
    for (const finding of decided.found) found.push(finding)
  }
  for (const part of parts) take(stream.push(part))
  take(stream.end())
  return { text, found }
}

describe('tables in a stream', () => {
  it('are read as in the whole text, wherever the chunks are cut', () => {
    let columns = 0
    fc.assert(
      fc.property(texts, sizes, (text, sizes) => {
        const whole = scanText(text)
        columns += whole.filter(({ rule }) => rule === 'sensitive-column').length
        expect(streamed(partsOf(text, sizes))).toEqual({ text, found: whole })
      }),
      { numRuns: 200 },
    )
    expect(columns).toBeGreaterThan(1000)
  })

  it('give no value that lies in text which was said to be decided', () => {
    fc.assert(
      fc.property(texts, sizes, (text, sizes) => {
        const reader = new TableReader()
        const found: Finding[] = []
        let decided = 0
        for (const part of [...partsOf(text, sizes), '']) {
          const more = reader.read(part, part === '')
          for (const { start } of more) expect(start).toBeGreaterThanOrEqual(decided)
          decided = reader.decided
          found.push(...more)
        }
        expect(found).toEqual(findInTables(text))
      }),
      { numRuns: 500 },
    )
  })

  it('are found one after the other in a long text, however small its chunks are', () => {
    const one = `As asked for:\n\nfull name,amount\n${'Bo,5\n'.repeat(200)}\nAnd now the next.\n`
    const text = one.repeat(30)
    const { found } = streamed(partsOf(text, [9]))
    expect(found).toEqual(scanText(text))
    expect(found).toHaveLength(200 * 30)
  })

  it('are not read below the end of a line whose beginning is gone', () => {
    const reader = new TableReader()
    const parts = ['It was:\n', 'so it went on '.repeat(40), 'full name,amount\nBo,5\n']
    expect(parts.flatMap(part => reader.read(part, false))).toEqual([])
    expect(reader.read('\nfull name,amount\nBo,5\n', true)).toHaveLength(1)
  })

  it('leave covered what reaches out of a column, also when the cut falls between the two', () => {
    const row = "password = 'hunter;22 more'\n"
    const text = `See:\nfull name;amount\n${row.repeat(150)}`
    const { found } = streamed(partsOf(text, [1031]))
    expect(found).toEqual(scanText(text))
    expect(found).toHaveLength(300)
  })

  it('are left out where a finding has to be surer than the name of a column makes it', () => {
    const text = 'full name,email\nBo,bo@bank.ie\n'
    for (const least of [0.8, 0.85]) {
      const stream = new StreamScanner(defaultScanner(), { least })
      const found = [...stream.push(text).found, ...stream.end().found]
      expect(found).toEqual(scanText(text, { least }))
      expect(found.map(({ type }) => type)).toEqual(least > 0.8 ? ['EMAIL'] : ['PERSON', 'EMAIL'])
    }
  })

  it.each([
    ['a header without an end', 'x:\nfull name, '],
    ['a row without an end', 'x:\nfull name,amount\n'],
    ['a quote that is never closed', 'x:\nfull name,amount\n1,"'],
    ['a quote in the first line', 'full name,"'],
    ['a row of the table that it begins with', 'full name,amount\n'],
  ])('do not hold an endless text back: %s', (_name, beginning) => {
    const stream = new StreamScanner(defaultScanner())
    let [given, taken] = [0, 0]
    let held = 0
    for (const part of [beginning, ...Array<string>(200).fill('so it goes on '.repeat(100))]) {
      given += part.length
      taken += stream.push(part).text.length
      held = Math.max(held, given - taken)
    }
    expect(held).toBeLessThan(100_000)
    expect(given - taken).toBeLessThan(5000)
  })

  it('do not hold back more than a stream without them, where no row is under way', () => {
    const stream = new StreamScanner(defaultScanner())
    const text = `${'First name, and then some. '.repeat(14)}\n`.repeat(20)
    expect(text.length - stream.push(text).text.length).toBeLessThan(700)
  })
})
