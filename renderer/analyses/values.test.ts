import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bounded, fromText } from './columns.ts'
import { readSheet } from './sheet.ts'
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
  it('gives its first sheet as text, with gaps kept', async () => {
    const shared = '<sst><si><t>year</t></si><si><t>in</t><t>come</t></si></sst>'
    const sheet =
      '<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>' +
      '<row><c r="A2"><v>2025</v></c><c r="C2"><v>30000.5</v></c></row></sheetData></worksheet>'
    const book = zip({ 'xl/sharedStrings.xml': shared, 'xl/worksheets/sheet1.xml': sheet })
    expect(await readSheet(book)).toEqual({ names: ['year', '', 'income'], rows: [['2025', '', '30000.5']] })
  })

  it('is refused where it is none', async () => {
    await expect(readSheet(new TextEncoder().encode('year,income\n2025,1\n'))).rejects.toThrow('not an Excel workbook')
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

/** A ZIP archive of some texts. */
function zip(texts: Record<string, string>): Uint8Array {
  const parts: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(texts)) {
    const data = deflateRawSync(text)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(data.length, 20)
    entry.writeUInt32LE(text.length, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(offset, 42)
    parts.push(local, Buffer.from(name), data)
    central.push(entry, Buffer.from(name))
    offset += 30 + name.length + data.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Object.keys(texts).length, 10)
  end.writeUInt32LE(offset, 16)
  return new Uint8Array(Buffer.concat([...parts, ...central, end]))
}
