import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  columnsInSight,
  distanceToShow,
  laidOutHeight,
  rowHeight,
  rowsInSight,
  toDistance,
  toScrollTop,
} from './scroll.ts'
import { edges, moved, type Selection, single } from './selection.ts'

const extents = fc.record({
  rows: fc.integer({ min: 1, max: 50_000_000 }),
  viewport: fc.integer({ min: 100, max: 2000 }),
})

describe('scrolling', () => {
  it('reaches the first and the last row of any table', () => {
    fc.assert(
      fc.property(extents, extent => {
        const end = Math.max(0, laidOutHeight(extent) - extent.viewport)
        expect(rowsInSight(extent, toDistance(extent, 0), 0).from).toBe(0)
        expect(rowsInSight(extent, toDistance(extent, end), 0).to).toBe(extent.rows)
      }),
    )
  })

  it('brings any row into sight, and finds its way back from the scroll bar', () => {
    fc.assert(
      fc.property(extents, fc.nat(), fc.nat(), (extent, from, to) => {
        const distance = distanceToShow(extent, (from % extent.rows) * rowHeight, to % extent.rows)
        const { from: first, to: last } = rowsInSight(extent, distance, 0)
        expect(first <= to % extent.rows && to % extent.rows < last).toBe(true)
        expect(toDistance(extent, toScrollTop(extent, distance))).toBeCloseTo(distance, 3)
      }),
    )
  })

  it('never lays out more than browsers can', () => {
    expect(laidOutHeight({ rows: 100_000_000, viewport: 400 })).toBeLessThan(17_000_000)
  })

  it('finds the columns between two edges, and one around them', () => {
    expect(columnsInSight([0, 100, 200, 300, 400, 500], 210, 290)).toEqual({ from: 1, to: 4 })
    expect(columnsInSight([0, 100], 0, 1000)).toEqual({ from: 0, to: 1 })
    expect(columnsInSight([0], 0, 1000)).toEqual({ from: 0, to: 0 })
  })
})

describe('a selection', () => {
  const bounds = { rows: 10, columns: 4, page: 5 }

  it('never leaves the table, whatever the keys', () => {
    const key = fc.record({
      key: fc.constantFrom(
        'ArrowUp',
        'ArrowDown',
        'ArrowLeft',
        'ArrowRight',
        'Home',
        'End',
        'PageUp',
        'PageDown',
        'Escape',
        'a',
        'x',
      ),
      shift: fc.boolean(),
      control: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(key), keys => {
        let now: Selection = single({ row: 0, column: 0 })
        for (const pressed of keys) now = moved(now, pressed, bounds) ?? now
        const { top, bottom, left, right } = edges(now)
        expect(top >= 0 && bottom < 10 && left >= 0 && right < 4).toBe(true)
      }),
    )
  })

  it('is stretched with Shift and taken back with Escape', () => {
    const from = { row: 2, column: 1 }
    const stretched = moved(single(from), { key: 'PageDown', shift: true, control: false }, bounds)
    expect(stretched).toEqual({ from, to: { row: 7, column: 1 } })
    expect(moved(stretched ?? single(from), { key: 'Escape', shift: false, control: false }, bounds)).toEqual(
      single({ row: 7, column: 1 }),
    )
  })
})
