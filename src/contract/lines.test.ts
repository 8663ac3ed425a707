import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Lines } from '../guard/lines.ts'
import { linesOf } from './lines.ts'

describe('the lines of a text', () => {
  it.each([
    ['', ['']],
    ['a', ['a']],
    ['a\nb\n', ['a', 'b']],
    ['a\r\nb', ['a', 'b']],
    ['a\rb', ['a\r', 'b']],
    ['a\r\rb\r', ['a\r', '\r', 'b\r']],
    ['a\n\rb', ['a', '\r', 'b']],
  ])('of %j are %j', (text, lines) => {
    expect(linesOf(text)).toEqual(lines)
  })

  it('are counted as the guard counts them', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '\n', '\r', '\r\n', ' ')), parts => {
        const text = `${parts.join('')}x`
        expect(linesOf(text)).toHaveLength(new Lines(text).at(text.length).line)
      }),
    )
  })
})
