import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ownedBy, PartCutter, partsOf } from './parts.ts'

const finding = (start: number, end: number) => ({ start, end, type: 'PERSON', rule: 'name-model', score: 0.8 })
const words = fc.array(fc.constantFrom('Ada', 'Storm-Vik', '😀', 'x'.repeat(1200), '\n', '. ', ' ', ' '), {
  maxLength: 600,
})

describe('parts of a text', () => {
  it('are the same wherever its chunks are cut', () => {
    fc.assert(
      fc.property(words, fc.array(fc.nat(5000), { maxLength: 20 }), (pieces, places) => {
        const text = pieces.join('')
        const cuts = [...new Set([0, ...places.filter(place => place < text.length), text.length])].sort(
          (a, b) => a - b,
        )
        const cutter = new PartCutter()
        const parts = cuts.slice(1).flatMap((cut, at) => cutter.push(text.slice(cuts[at], cut)))
        expect([...parts, ...cutter.end()]).toEqual(partsOf(text))
      }),
    )
  })

  it('answer for every place of it once, and read on beyond their borders', () => {
    fc.assert(
      fc.property(words, pieces => {
        const text = pieces.join('')
        const parts = partsOf(text)
        let at = 0
        for (const part of parts) {
          expect(part.from).toBe(at)
          expect(part.text.length).toBeLessThanOrEqual(900)
          expect(part.text).toBe(text.slice(part.start, part.start + part.text.length))
          expect(part.text.isWellFormed() && text.slice(part.from, part.to).isWellFormed()).toBe(true)
          expect(part.from === 0 || part.from - part.start >= 63).toBe(true)
          expect(part.to === text.length || part.start + part.text.length - part.to >= 63).toBe(true)
          at = part.to
        }
        expect(at).toBe(text.length)
      }),
    )
  })

  it('are cut between words, behind a sentence where there is one', () => {
    const text = `${'one two three four '.repeat(40)}end. ${'five six '.repeat(200)}`
    const [first, second] = partsOf(text)
    expect(text.slice(0, first?.to)).toMatch(/end\. $/)
    expect(second?.text).toMatch(/^(?:one|two|three|four) /)
    expect(first?.text).toMatch(/(?:five|six) $/)
  })

  it('leave a name that both see to the one that it begins in', () => {
    const part = { start: 100, text: '', from: 150, to: 800 }
    expect(ownedBy(part, [finding(10, 60), finding(50, 60), finding(690, 720), finding(700, 720)])).toEqual([
      finding(150, 160),
      finding(790, 820),
    ])
  })
})
