import { describe, expect, it } from 'vitest'
import type { CellId } from '../contract/ids.ts'
import { FigureSearch } from './figures.ts'

const cell = 'c1' as CellId
/** The newest output first, as a path is looked at. */
const search = (text: string, ...sources: { cell: CellId; text: string }[]) => {
  const figures = new FigureSearch([text])
  for (const source of sources) figures.look(source)
  return figures.figures()[0] ?? []
}
const found = (text: string, output: string) =>
  search(text, { cell, text: output }).map(each => `${text.slice(each.start, each.end)}${each.cell ? '' : ' ?'}`)

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
    const cells = (fresh: string, old: string) =>
      search('11.84 %', { cell: 'new' as CellId, text: fresh }, { cell: 'old' as CellId, text: old })[0]?.cell
    expect(cells('11.84', '11.84')).toBe('new')
    expect(cells('11.844', '11.836')).toBe('new')
    expect(cells('12', '11.84')).toBe('old')
    // A number as it is rather than one that would have to be scaled.
    expect(cells('0.1184', '11.84')).toBe('old')
  })

  it('are looked for by each text, until all of them are found', () => {
    const figures = new FigureSearch(['It is 11.84 %.', 'Then 12.5 % or 13.75 %.'])
    figures.look({ cell, text: '11.84, 13.75' })
    expect(figures.isOver).toBe(false)
    figures.look({ cell, text: '12.5' })
    expect(figures.isOver).toBe(true)
    expect(figures.figures().map(each => each.map(figure => figure.cell))).toEqual([[cell], [cell, cell]])
  })

  it('are found at the end of half a million numbers', () => {
    const output = Array.from({ length: 500_000 }, (_, at) => at * 1.5).join('\n')
    const text = Array.from({ length: 200 }, (_, at) => `${(500_000 - at) * 3}.0`).join(' and ')
    expect(search(text, { cell, text: `${output}\n${text}` }).every(each => each.cell !== null)).toBe(true)
  })
})
