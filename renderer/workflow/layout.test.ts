import { describe, expect, it } from 'vitest'
import { layoutOf, neighbourOf } from './layout.ts'

const chain = Array.from({ length: 8 }, (_, layer) => ({ name: `t${layer}`, layer, needs: [] }))
const fan = Array.from({ length: 8 }, (_, n) => ({ name: `t${n}`, layer: n === 0 ? 0 : 1, needs: [] }))
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

  it('puts each task near those that it needs', () => {
    const tasks = [
      ...['a', 'b', 'c'].map(name => ({ name, layer: 0, needs: [] })),
      ...['c', 'b', 'a'].map((need, at) => ({ name: `x${at}`, layer: 1, needs: [need] })),
    ]
    const { positions } = layoutOf(tasks, { width: 2000, height: 420 })
    for (const { name, needs } of tasks)
      for (const need of needs) expect(positions.get(name)?.y).toBe(positions.get(need)?.y)
  })

  it('is walked by arrow keys, within a layer and to the next', () => {
    const step = (name: string, key: string) => neighbourOf(fan, layoutOf(fan, frame), name, key)
    expect(step('t1', 'ArrowDown')).toBe('t2')
    expect(step('t2', 'ArrowUp')).toBe('t1')
    expect(step('t1', 'ArrowUp')).toBeNull()
    expect(step('t5', 'ArrowLeft')).toBe('t0')
    expect(step('t0', 'ArrowRight')).toMatch(/^t[45]$/)
    expect(step('t0', 'x')).toBeNull()
    const down = layoutOf(chain, frame)
    expect(neighbourOf(chain, down, 't1', 'ArrowDown')).toBe('t2')
  })

  it('says how large it is when all of it is shown', () => {
    expect(layoutOf(fan, { width: 4000, height: 4000 }).zoom).toBe(1)
    expect(layoutOf(chain, frame).zoom).toBeLessThan(1)
  })
})
