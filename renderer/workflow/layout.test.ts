import { describe, expect, it } from 'vitest'
import { layoutOf } from './layout.ts'

const chain = Array.from({ length: 8 }, (_, layer) => ({ name: `t${layer}`, layer }))
const fan = Array.from({ length: 8 }, (_, n) => ({ name: `t${n}`, layer: n === 0 ? 0 : 1 }))
const frame = { width: 690, height: 420 }

describe('the drawing of a graph', () => {
  it('goes the way in which it is drawn larger', () => {
    expect(layoutOf(chain, frame).direction).toBe('down')
    expect(layoutOf(fan, frame).direction).toBe('right')
    expect(layoutOf(chain, { width: 2000, height: 420 }).direction).toBe('right')
  })

  it('puts no task on another, and each behind the layer before it', () => {
    for (const tasks of [chain, fan]) {
      const { positions, direction } = layoutOf(tasks, frame)
      const places = [...positions.values()]
      expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBe(tasks.length)
      const along = tasks.map(({ name }) => positions.get(name)?.[direction === 'right' ? 'x' : 'y'] ?? -1)
      for (const [at, { layer }] of tasks.entries()) if (layer > 0) expect(along[at]).toBeGreaterThan(along[0] ?? 0)
    }
  })
})
