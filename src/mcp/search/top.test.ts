import fc from 'fast-check'
import { expect, it } from 'vitest'
import { topOf } from './top.ts'

it('finds what sorting all would find, equal scores in the order of the tools', () => {
  const score = fc.oneof(fc.constantFrom(0, 1, 2, -1), fc.double({ noNaN: true }))
  fc.assert(
    fc.property(fc.array(score, { maxLength: 60 }), fc.integer({ min: 1, max: 70 }), (all, most) => {
      const sorted = all
        .map((each, tool) => ({ tool, score: each }))
        .sort((a, b) => b.score - a.score || a.tool - b.tool)
      const finite = sorted.filter(each => each.score > Number.NEGATIVE_INFINITY)
      expect(topOf(Float64Array.from(all), most)).toEqual(finite.slice(0, most))
      expect(topOf(Float64Array.from(all), most, 0)).toEqual(sorted.filter(each => each.score > 0).slice(0, most))
    }),
  )
})
