import { describe, expect, it } from 'vitest'
import type { CellId } from '../contract/ids.ts'
import { findFigures } from './figures.ts'

const cell = 'c1' as CellId
const found = (text: string, output: string) =>
  findFigures(text, [{ cell, text: output }]).map(each => `${text.slice(each.start, each.end)}${each.cell ? '' : ' ?'}`)

describe('figures of an answer', () => {
  it('are those that an output has, as it is, rounded or scaled', () => {
    expect(found('CET1 is 11.84 % of 1,234.6 million.', '0.118437\n1234567890.5')).toEqual([
      '11.84 %',
      '1,234.6 million',
    ])
    expect(found('It is 11.8 % or 11.85 %.', '11.8437')).toEqual(['11.8 %', '11.85 % ?'])
    expect(found('€1,200.50 and $99', '1200.5 98')).toEqual(['€1,200.50', '$99 ?'])
    expect(found('a spread of 25 bp', '0.0025')).toEqual(['25 bp'])
  })

  it('are not years, list numbers, small counts, code, tokens or addresses', () => {
    const text =
      '1. In 2024 we had 3 cases\n2. see `x = 512.5` and [IBAN_12] at https://a.b/123.4\n```\n99.9\n```\nv1.2.3, 2024-01-15'
    expect(found(text, '')).toEqual([])
  })

  it('lead to the newest cell that has them', () => {
    const sources = [
      { cell: 'old' as CellId, text: '11.84' },
      { cell: 'new' as CellId, text: '11.84' },
    ]
    expect(findFigures('11.84', sources)[0]?.cell).toBe('new')
  })

  it('are found quickly among a hundred thousand numbers', () => {
    const output = Array.from({ length: 100_000 }, (_, at) => at * 1.5).join('\n')
    const text = Array.from({ length: 200 }, (_, at) => `${at * 3}.0`).join(' and ')
    expect(findFigures(text, [{ cell, text: output }]).every(each => each.cell !== null)).toBe(true)
  })
})
