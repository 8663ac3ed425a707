import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sheetTable } from './sheet-table.ts'
import { dateOf, letters, readWorkbook } from './workbook.ts'
import { NotReadable, openArchive } from './zip.ts'

/** Written by openpyxl: text with leading zeros, numbers, dates, times, truth values, a formula without its value. */
const small = () => new Uint8Array(readFileSync(join(import.meta.dirname, 'testing', 'small.xlsx')))

describe('a workbook', () => {
  it('is read sheet by sheet, with its types', async () => {
    const sheets = await readWorkbook(small())
    expect(sheets.map(({ name }) => name)).toEqual(['Exposures & co', 'Empty', 'Far'])
    expect(sheets[0]?.rows).toEqual([
      ['account', 'amount', 'when', 'ok', 'note'],
      ['007', 1234.5, '2026-01-31', true, 'a <b> & "c"'],
      ['008', -2, '2026-02-01 13:45:00', false],
    ])
    expect(sheets[1]?.rows).toEqual([])
    expect(sheets[2]?.rows).toEqual([['08:30:00'], [], [null, null, 0.1]])
    expect(sheets.every(({ cut }) => !cut)).toBe(true)
  })

  it('becomes a table whose text stays text', async () => {
    const [first, , far] = await readWorkbook(small())
    if (!first || !far) throw new Error('there are no sheets')
    expect(sheetTable(first).columns).toEqual([
      { name: 'account', type: 'text' },
      { name: 'amount', type: 'number' },
      { name: 'when', type: 'time' },
      { name: 'ok', type: 'boolean' },
      { name: 'note', type: 'text' },
    ])
    expect(sheetTable(far).columns.map(({ name }) => name)).toEqual(['A', 'B', 'C'])
    expect(letters(25) + letters(26) + letters(701) + letters(702)).toBe('ZAAZZAAA')
  })

  it('writes dates as Excel counts them', () => {
    expect([dateOf(1), dateOf(59), dateOf(61), dateOf(45_322), dateOf(0, true), dateOf(0.5)]).toEqual([
      '1900-01-01',
      '1900-02-28',
      '1900-03-01',
      '2024-01-31',
      '00:00:00',
      '12:00:00',
    ])
  })

  it('that was damaged anywhere is refused or read, and never hangs or throws anything else', async () => {
    const whole = small()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 20 }),
        fc.nat(whole.length),
        async (changes, length) => {
          const bytes = small()
          for (const [at, value] of changes) bytes[at] = value
          await readWorkbook(bytes.slice(0, length)).catch(error => {
            if (!(error instanceof NotReadable)) throw error
          })
        },
      ),
      { numRuns: 200 },
    )
  })

  it('that unfolds to more than can be shown is refused before it is unfolded', async () => {
    const bomb = zip('xl/workbook.xml', deflateRawSync(Buffer.alloc(200 * 1024 * 1024)))
    await expect(openArchive(bomb).text('xl/workbook.xml')).rejects.toThrow('more than can be shown')
  })
})

/** An archive of one entry. */
function zip(name: string, packed: Uint8Array): Uint8Array<ArrayBuffer> {
  const local = Buffer.alloc(30 + name.length)
  local.writeUInt32LE(0x04034b50, 0)
  local.writeUInt16LE(name.length, 26)
  local.write(name, 30)
  const central = Buffer.alloc(46 + name.length)
  central.writeUInt32LE(0x02014b50, 0)
  central.writeUInt16LE(8, 10)
  central.writeUInt32LE(packed.length, 20)
  central.writeUInt16LE(name.length, 28)
  central.write(name, 46)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(local.length + packed.length, 16)
  return new Uint8Array(Buffer.concat([local, packed, central, end]))
}
