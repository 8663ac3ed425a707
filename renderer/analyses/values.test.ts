import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readWorkbook } from '../table/xlsx/workbook.ts'
import { bounded, fromSheets, fromText } from './columns.ts'
import { mostRows, pastedRows, rowsFor } from './values.ts'
import { besideField, difference, figure, label, sectionsShared } from './words.ts'

describe('what a person pastes', () => {
  const columns = { category: { type: 'text' }, amount: { type: 'money' } } as const

  it('is read by its header where it has one, else in order', () => {
    expect(rowsFor(columns, pastedRows('Amount\tCategory\n10\ta\n20\tb\n'))).toEqual([
      { amount: '10', category: 'a' },
      { amount: '20', category: 'b' },
    ])
    expect(rowsFor(columns, pastedRows('a,10\nb,'))).toEqual([{ category: 'a', amount: '10' }, { category: 'b' }])
  })

  it('is not read to its end where it has a million rows', () => {
    expect(rowsFor(columns, pastedRows('a,10\n'.repeat(1_000_000)))).toHaveLength(mostRows + 2)
  })
})

describe('a file of the path', () => {
  it.each(['rows.csv', 'rows.tsv'])('with a million rows is refused in a sentence: %s', file => {
    const text = `amount${file.endsWith('csv') ? ',' : '\t'}note\n${'1,\n'.repeat(1_000_000)}`
    const cells = fromText(text, file)
    expect(cells.rows.length).toBe(mostRows + 1)
    expect(() => bounded(cells)).toThrow('There are more than 100,000 rows.')
  })
})

describe('figures', () => {
  it('keep every digit, and are put apart in thousands', () => {
    expect(figure('1234567.80', { type: 'money', currency: 'EUR' })).toBe('1\u202f234\u202f567.80 EUR')
    expect(figure(0.4977243805674)).toBe('0.4977243805674')
    expect(figure(null)).toBe('–')
    expect([difference('24.60', '25.20'), difference('1', '1'), difference(true, 1)]).toEqual(['+0.6', '=', null])
    expect(label('employee_prsi')).toBe('Employee PRSI')
    expect(label('level2b_rmbs')).toBe('Level 2B RMBS')
    expect(label('cet1')).toBe('CET1')
    expect(besideField('weekly_earnings', 'weekly_earnings is missing.')).toBe('Weekly earnings is missing.')
    expect(besideField('flows', 'flows[0].date is missing.')).toBe('flows[0].date is missing.')
  })
})

describe('an Excel workbook', () => {
  it('gives its first sheet as text, with dates as inputs take them', async () => {
    const file = join(import.meta.dirname, '../table/xlsx/testing/small.xlsx')
    expect(fromSheets(await readWorkbook(new Uint8Array(readFileSync(file))))).toEqual({
      names: ['account', 'amount', 'when', 'ok', 'note'],
      rows: [
        ['007', '1234.5', '2026-01-31', 'true', 'a <b> & "c"'],
        ['008', '-2', '2026-02-01 13:45:00', 'false'],
      ],
    })
  })

  it('keeps gaps, leaves out empty rows and sheets, and is refused where it has no cells', () => {
    const sheets = [{ rows: [] }, { rows: [['year', null, 'income'], [], [2025, null, 30000.5]] }]
    expect(fromSheets(sheets)).toEqual({ names: ['year', '', 'income'], rows: [['2025', '', '30000.5']] })
    expect(() => fromSheets([{ rows: [] }])).toThrow('no sheet with cells')
  })
})

describe('the law behind a figure', () => {
  it.each([
    ['TCA 1997 ss. 531AM, 531AN', 'Taxes Consolidation Act 1997, ss. 531AM, 531AN', 2],
    ['TCA 1997 ss. 531AM, 531AN', 'Taxes Consolidation Act 1997, s. 15', 0],
    ['CRR art. 92(1)', 'Regulation (EU) No 575/2013, art. 92(1)', 1],
    ['CRR art. 92(1)', 'Regulation (EU) No 575/2013, art. 153(1)', 0],
    ['NSF30.10-14', 'BCBS 295 paras 21-43 = Basel Framework NSF30', 0],
    ['Directive 2009/138/EC art. 103', 'Directive 2009/138/EC Annex IV(1)', 1],
    ['Delegated Regulation (EU) 2015/35 art. 164', 'Delegated Regulation (EU) 2015/35 art. 164(3)', 2],
  ])('%s and %s share %i sections', (provision, citation, count) => {
    expect(sectionsShared(provision, citation)).toBe(count)
  })
})
