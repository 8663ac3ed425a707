import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { positionsBetween } from './positions.ts'

describe('positions', () => {
  it('stay in order and apart, wherever items are inserted', () => {
    const insertions = fc.array(fc.record({ at: fc.nat(), count: fc.integer({ min: 1, max: 20 }) }), { maxLength: 120 })
    fc.assert(
      fc.property(insertions, list => {
        const positions: string[] = []
        for (const { at, count } of list) {
          const place = at % (positions.length + 1)
          const made = positionsBetween(positions[place - 1] ?? null, positions[place] ?? null, count)
          expect(made).toHaveLength(count)
          positions.splice(place, 0, ...made)
        }
        expect(positions).toEqual([...new Set(positions)].sort())
      }),
    )
  })

  it('stay short when ten thousand items are appended, prepended or put in one gap', () => {
    const longest = (grow: (list: string[]) => void) => {
      const list = positionsBetween(null, null, 2)
      for (let count = 0; count < 10_000; count++) grow(list)
      return Math.max(...list.map(position => position.length))
    }
    expect(longest(list => list.push(...positionsBetween(list.at(-1) ?? null, null, 1)))).toBe(8)
    expect(longest(list => list.unshift(...positionsBetween(null, list[0] ?? null, 1)))).toBe(8)
    const [first = null, last = null] = positionsBetween(null, null, 2)
    expect(Math.max(...positionsBetween(first, last, 10_000).map(each => each.length))).toBeLessThan(200)
  })

  it('finds room below the smallest fraction again and again', () => {
    const low = positionsBetween(null, null, 1)[0] ?? ''
    let high = positionsBetween(low, null, 1)[0] ?? ''
    for (let count = 0; count < 500; count++) {
      const between = positionsBetween(low, high, 1)[0] ?? ''
      expect(between > low && between < high).toBe(true)
      high = between
    }
  })
})
