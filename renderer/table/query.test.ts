import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCondition } from './filter.ts'
import { type Query, query, queryInSlices } from './query.ts'
import { type Cell, type ColumnType, columnTable } from './source.ts'

const oneColumn = (type: ColumnType, values: Cell[]) => columnTable([{ name: 'value', type }], [values])
const ordered = (type: ColumnType, values: Cell[], descending = false) =>
  Array.from(query(oneColumn(type, values), { sort: { column: 0, descending } }), row => values[row] ?? null)
const kept = (type: ColumnType, values: Cell[], typed: string) => {
  const condition = readCondition(typed)
  return Array.from(
    query(oneColumn(type, values), condition ? { conditions: new Map([[0, condition]]) } : {}),
    row => values[row],
  )
}

describe('sorting', () => {
  it('sorts numbers as numbers, also when they come as text', () => {
    expect(ordered('number', [10, 9, 100, -1])).toEqual([-1, 9, 10, 100])
    expect(ordered('number', ['10', '9', '1e2'])).toEqual(['9', '10', '1e2'])
    expect(ordered('number', [Infinity, 1, -Infinity, Infinity])).toEqual([-Infinity, 1, Infinity, Infinity])
  })

  it('puts what is missing last in both directions', () => {
    expect(ordered('number', [null, 2, Number.NaN, 1])).toEqual([1, 2, null, Number.NaN])
    expect(ordered('number', [null, 2, Number.NaN, 1], true)).toEqual([2, 1, null, Number.NaN])
    expect(ordered('text', [null, 'b', 'a'], true)).toEqual(['b', 'a', null])
  })

  it('sorts times by the moment, wherever the reader sits', () => {
    const values = ['2026-01-01T00:30:00+01:00', '2026-01-01T00:00:00', '2025-12-31']
    expect(ordered('time', values)).toEqual([values[2], values[0], values[1]])
  })

  it('sorts text as people do, not by code', () => {
    expect(ordered('text', ['Zürich', 'äther', 'apple', 'Banana'])).toEqual(['apple', 'äther', 'Banana', 'Zürich'])
  })

  it('keeps the order of equal rows in both directions, whatever the values', () => {
    const cell = fc.option(fc.integer({ min: 0, max: 5 }), { nil: null })
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 60 }), fc.boolean(), (values, descending) => {
        const rows = Array.from(query(oneColumn('number', values), { sort: { column: 0, descending } }))
        const expected = [...values.keys()].sort((a, b) => {
          const [x, y] = [values[a] ?? null, values[b] ?? null]
          if (x === null || y === null) return (x === null ? 1 : 0) - (y === null ? 1 : 0)
          return descending ? y - x : x - y
        })
        expect(rows).toEqual(expected)
      }),
    )
  })
})

describe('filtering', () => {
  it('finds text in any column, in either case', () => {
    const source = columnTable(
      [
        { name: 'bank', type: 'text' },
        { name: 'ratio', type: 'number' },
      ],
      [
        ['Alpha', 'Beta'],
        [12.5, 9],
      ],
    )
    expect([...query(source, { search: 'ALPH' })]).toEqual([0])
    expect([...query(source, { search: '9' })]).toEqual([1])
    expect([...query(source, { search: ' ' })]).toEqual([0, 1])
  })

  it('compares numbers', () => {
    const values = [1, 5, 10, null, 20]
    expect(kept('number', values, '>= 5')).toEqual([5, 10, 20])
    expect(kept('number', values, '<10')).toEqual([1, 5])
    expect(kept('number', values, '5..10')).toEqual([5, 10])
    expect(kept('number', values, '0.5..5.5')).toEqual([1, 5])
    expect(kept('number', values, '!= 5')).toEqual([1, 10, 20])
    expect(kept('number', values, '1')).toEqual([1, 10])
  })

  it('tells missing values from empty ones', () => {
    expect(kept('text', ['', null, 'x'], 'null')).toEqual([null])
    expect(kept('text', ['', null, 'x'], '!null')).toEqual(['', 'x'])
  })

  it('compares times and text', () => {
    const days = ['2026-01-01', '2026-02-01', '2026-03-01']
    expect(kept('time', days, '>= 2026-02-01')).toEqual(days.slice(1))
    expect(kept('text', ['open', 'Closed'], '= closed')).toEqual(['Closed'])
  })

  it('never fails, whatever is typed', () => {
    fc.assert(fc.property(fc.string(), typed => void kept('number', [1, 'x', null, true], typed)))
  })
})

describe('a million rows', () => {
  const count = 1_000_000
  const numbers = Float64Array.from({ length: count }, (_, row) => (row * 7919) % 1_000_003)
  const names = Array.from({ length: count }, (_, row) => `branch ${(row * 31) % 500}`)
  const source = columnTable(
    [
      { name: 'amount', type: 'number' },
      { name: 'branch', type: 'text' },
    ],
    [numbers, names],
  )

  it('are sorted and filtered in slices that leave the window free, with the same answer', async () => {
    const asked: Query = { sort: { column: 1, descending: true }, search: 'branch 49' }
    let beats = 0
    const beat = setInterval(() => beats++, 0)
    const sliced = await queryInSlices(source, asked, new AbortController().signal)
    clearInterval(beat)
    expect(sliced).toEqual(query(source, asked))
    expect(sliced?.length).toBe(22_000)
    // In one go, nothing else would have had its turn.
    expect(beats).toBeGreaterThan(10)
  })

  it('are no longer sorted once nobody wants them', async () => {
    const abort = new AbortController()
    const asked = queryInSlices(source, { sort: { column: 0, descending: false } }, abort.signal)
    abort.abort()
    expect(await asked).toBeNull()
  })
})
