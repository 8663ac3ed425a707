import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anchor, digit, foldable, joiner, underscore, upper, word } from '../classes.ts'
import { classAt } from '../codes.ts'
import { longestPiece, marks, markWords, maskShift, readCodes, startMask } from './marks.ts'

type Mark = readonly [start: number, end: number, mask: number]

function marked(text: string): Mark[] {
  readCodes(text)
  const count = markWords(text.length)
  return Array.from({ length: count / 2 }, (_, at) => {
    const first = marks[2 * at] ?? 0
    const start = first & startMask
    const mask = first >>> maskShift
    return [start, mask === 0 ? start : (marks[2 * at + 1] ?? 0), mask]
  })
}

/** The same, character by character. */
function read(text: string): Mark[] {
  const found: Mark[] = []
  for (let at = 0; at < text.length; ) {
    const start = at
    let mask = 0
    while (at < text.length && classAt(at) & word) mask |= classAt(at++)
    const follows = at < text.length ? classAt(at) : 0
    const isMarked = mask & (digit | underscore) || (mask && classAt(start) & upper) || (mask && follows & joiner)
    if (isMarked) found.push([start, at, mask])
    if (follows & (anchor | foldable) || opensQuote(text, at)) found.push([at, at, 0])
    at++
  }
  return found
}

const opensQuote = (text: string, at: number): boolean =>
  at >= 2 && /["']/.test(text.charAt(at)) && text[at - 1] === ' ' && (classAt(at - 2) & word) !== 0

const pieces = fc.oneof(
  fc.string({ maxLength: 80 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    'word ',
    'a "b',
    " '",
    'Word',
    'a1',
    '_',
    ' ',
    'é',
    'ñ1',
    '－',
    '\u200b',
    '電話',
    '\uffff',
    '\ud835',
    ':',
    'x=',
  ),
  fc.integer({ min: 1, max: 200 }).map(length => 'a'.repeat(length)),
  fc.integer({ min: 1, max: 200 }).map(length => '7'.repeat(length)),
)

describe('marks', () => {
  it('are those of a reading character by character, wherever words lie across blocks of 64', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), parts => {
        const text = parts.join('')
        expect(marked(text)).toEqual(read(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('tell every character of two bytes by its class', () => {
    const text = Array.from({ length: 65_536 }, (_, code) => `${String.fromCharCode(code)} `).join('')
    expect(marked(text)).toEqual(read(text))
  })

  it('have room for the longest piece of nothing but signs', () => {
    for (const unit of ['=', 'a=', '1:', 'A.']) {
      const text = unit.repeat(longestPiece / unit.length)
      const found = marked(text)
      const expected = read(text)
      expect(found).toHaveLength(expected.length)
      expect(found.at(-1)).toEqual(expected.at(-1))
    }
  })

  it('do not see what a longer text left behind', () => {
    marked('4111 1111 '.repeat(50))
    expect(marked('abc')).toEqual([])
    expect(marked('Abc')).toEqual([[0, 3, 6]])
    expect(marked('')).toEqual([])
  })
})
