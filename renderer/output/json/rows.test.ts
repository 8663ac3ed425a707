import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Json, jsonRows, openAtFirst } from './rows.ts'

const lines = (value: Json, open: string[]) =>
  jsonRows(value, new Set(open)).map(row => `${row.depth} ${row.name} ${row.size}`)

describe('the lines of a JSON tree', () => {
  it('are those of the open nodes, in order', () => {
    const value = { a: 1, b: [true, null], 'c/d': {} }
    expect(lines(value, [])).toEqual(['0 null 3'])
    expect(lines(value, ['$', '$/b'])).toEqual(['0 null 3', '1 a null', '1 b 2', '2 0 null', '2 1 null', '1 c/d 0'])
  })

  it('group a long list into ranges that open step by step', () => {
    const value = Array.from({ length: 1_000_500 }, (_, index) => index)
    expect(lines(value, ['$'])).toEqual(['0 null 1000500', '1 0 … 999999 1000000', '1 1000000 … 1000499 500'])
    const inner = jsonRows(value, new Set(['$', '$/0…1000000', '$/5000…6000']))
    expect(inner).toHaveLength(1 + 2 + 1000 + 1000)
    expect(inner.find(row => row.name === '5007')?.value).toBe(5007)
  })

  it('come from hostile depth without a crash', () => {
    let deep: Json = 1
    const open = ['$']
    for (let level = 0; level < 50_000; level++) deep = [deep]
    for (let level = 1; level <= 500; level++) open.push(`$${'/0'.repeat(level)}`)
    expect(jsonRows(deep, new Set(open))).toHaveLength(502)
    expect(openAtFirst(deep).size).toBeLessThan(60)
  })

  it('have one path each, whatever the keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const paths = jsonRows(value as Json, openAtFirst(value as Json, 1000)).map(row => row.path)
        expect(new Set(paths).size).toBe(paths.length)
      }),
    )
  })
})
