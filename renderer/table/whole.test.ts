import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { TablePiece } from '../../src/contract/sandbox.ts'
import type { Cell } from './source.ts'
import { readWhole, TableChanged } from './whole.ts'

const never = new AbortController().signal

/** A sandbox that hands out a table in pieces of so many rows. */
function sandboxWith(columns: Record<string, Cell[]>, size: number, type = 'integer') {
  const rows = Object.values(columns)[0]?.length ?? 0
  return async (from: number): Promise<TablePiece> => ({
    value: '1',
    rows,
    fields: Object.keys(columns).map(name => ({ name, type, key: false })),
    cells: JSON.stringify(Object.values(columns).map(values => values.slice(from, from + size))),
  })
}

it('puts the pieces together, whatever their size and whatever is among the numbers', async () => {
  const cell = fc.oneof(fc.integer(), fc.constant(null), fc.constant('1152921504606846976'))
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { maxLength: 30 }), fc.integer({ min: 1, max: 7 }), async (values, size) => {
      const { source } = await readWhole(sandboxWith({ n: values }, size), () => {}, never)
      const read = source.rows(0, source.rowCount).map(([value]) => (Number.isNaN(value) ? null : value))
      expect(read).toEqual(values)
    }),
  )
})

it('shows the first rows at once and says how far it is', async () => {
  const told: unknown[] = []
  await readWhole(
    sandboxWith({ n: [1, 2, 3, 4, 5] }, 2),
    ({ table, read, rows }) => told.push([table?.source.rowCount, read, rows]),
    never,
  )
  expect(told).toEqual([
    [2, 2, 5],
    [undefined, 4, 5],
    [undefined, 5, 5],
  ])
})

it('stops when nobody looks any more', async () => {
  const stop = new AbortController()
  const { source, rows } = await readWhole(sandboxWith({ n: [1, 2, 3, 4] }, 1), () => stop.abort(), stop.signal)
  expect([source.rowCount, rows]).toEqual([1, 4])
})

it('does not mix two tables when the variable gets another value', async () => {
  const [before, after] = [sandboxWith({ n: [1, 2, 3] }, 1), sandboxWith({ n: [7, 8, 9] }, 1)]
  const ask = async (from: number) => (from === 0 ? before(0) : { ...(await after(from)), value: '2' })
  await expect(readWhole(ask, () => {}, never)).rejects.toThrow(TableChanged)
})

it('does not fill up what is missing in a piece', async () => {
  const whole = sandboxWith({ n: [1, 2, 3], m: [4, 5, 6] }, 1)
  for (const cells of ['[[],[]]', '[[2]]', '[[2],[]]', '[]', '{}', 'no JSON']) {
    const ask = async (from: number) => (from === 0 ? whole(0) : { ...(await whole(from)), cells })
    await expect(readWhole(ask, () => {}, never)).rejects.toThrow()
  }
})

it('asks once for a million rows without columns', async () => {
  const asked: number[] = []
  const ask = async (from: number): Promise<TablePiece> => {
    asked.push(from)
    return { value: '1', rows: 1_000_000, fields: [], cells: '[]' }
  }
  expect((await readWhole(ask, () => {}, never)).source.rowCount).toBe(0)
  expect(asked).toEqual([0])
})

it('reads a table without columns or without rows', async () => {
  expect((await readWhole(sandboxWith({}, 5), () => {}, never)).source.rowCount).toBe(0)
  expect((await readWhole(sandboxWith({ n: [] }, 5), () => {}, never)).source.columns).toHaveLength(1)
})
