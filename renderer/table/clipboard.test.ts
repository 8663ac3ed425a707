import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pastedTable, readingCode, toHtml } from './clipboard.ts'
import { columnTable } from './source.ts'

const all = (source: ReturnType<typeof pastedTable>) => source?.rows(0, source.rowCount)

describe('what is copied in a spreadsheet', () => {
  it('keeps codes as text, numbers as numbers, and what is shown as a percentage as its value', () => {
    const source = pastedTable('', 'account\tamount\tshare\tok\n007\t1,234.50\t12.5%\tTRUE\n008\t(20)\t3 %\tFALSE\n')
    expect(source?.columns).toEqual([
      { name: 'account', type: 'text' },
      { name: 'amount', type: 'number' },
      { name: 'share', type: 'number' },
      { name: 'ok', type: 'boolean' },
    ])
    expect(all(source)).toEqual([
      ['007', 1234.5, 0.125, true],
      ['008', -20, 0.03, false],
    ])
  })

  it('takes the value behind what is shown where LibreOffice, Excel and Google tell it', () => {
    const cells = [
      '<td sdval="0.123456789" sdnum="1033;">0.12</td>',
      '<td x:num="45322">31/01/2024</td>',
      `<td data-sheets-value='{"1":3,"3":1.5}'>1½</td>`,
      `<td data-sheets-value='{"1":2,"2":"0042"}'>0042</td>`,
      `<td style="mso-number-format:'\\@'">12</td>`,
    ]
    const source = pastedTable(`<table><tr>${cells.join('')}</tr><tr><td>1</td></tr></table>`, '')
    expect(all(source)?.[0]).toEqual([0.123456789, 45_322, 1.5, '0042', '12'])
  })

  it('leaves a column with one odd cell as it was shown', () => {
    const source = pastedTable('', 'a\tb\n1,000\tx\nn/a\ty')
    expect(all(source)).toEqual([
      ['1,000', 'x'],
      ['n/a', 'y'],
    ])
  })

  it('is no table when it is prose, one value or one column', () => {
    for (const text of ['Some words.\nAnd more.', '12', 'a\nb\nc']) expect(pastedTable('', text)).toBeNull()
    expect(pastedTable('<p>words</p>', 'words')).toBeNull()
  })

  it('is read by code with the types that it has', () => {
    const source = pastedTable('', 'account\tday\tn\n007\t2026-01-31\t1\n008\t2026-02-28\t2')
    if (!source) throw new Error('it is a table')
    expect(readingCode('pasted.csv', source)).toBe(
      'import pandas as pd\n\npasted = pd.read_csv("pasted.csv", dtype={"account": "string"}, parse_dates=["day"])\npasted',
    )
  })
})

it('a table that goes out as HTML comes back with the same values', () => {
  const cell = fc.tuple(
    fc.string({ minLength: 1 }).map(text => text.replace(/\s+/g, ' ').trim() || 'x'),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }).filter(number => !Object.is(number, -0)),
    fc.boolean(),
  )
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), rows => {
      const source = columnTable(
        [
          { name: 'text', type: 'text' },
          { name: 'number', type: 'number' },
          { name: 'truth', type: 'boolean' },
        ],
        [rows.map(([text]) => text), rows.map(([, number]) => number), rows.map(([, , truth]) => truth)],
      )
      const html = toHtml(source, [...rows.keys()], [0, 1, 2], true)
      expect(all(pastedTable(html, ''))).toEqual(rows.map(row => [...row]))
    }),
    { numRuns: 50 },
  )
})
