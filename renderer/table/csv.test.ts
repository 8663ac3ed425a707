import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvRecords, readCsv, toTsv, writeCsv } from './csv.ts'
import { readDataResource } from './dataresource.ts'
import { type Cell, columnTable } from './source.ts'

const textTable = (rows: string[][]) => {
  const width = rows[0]?.length ?? 0
  return columnTable(
    Array.from({ length: width }, (_, column) => ({ name: `c${column}`, type: 'text' as const })),
    Array.from({ length: width }, (_, column) => rows.map(row => row[column] ?? '')),
  )
}
const csvOf = (rows: string[][], guardFormulas: boolean) =>
  [...writeCsv(textTable(rows), Int32Array.from(rows.keys()), { guardFormulas })].join('')

describe('CSV', () => {
  it('reads what it wrote', () => {
    const row = fc.tuple(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', '=') }), fc.string())
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), rows => {
        expect(csvRecords(csvOf(rows, false)).slice(1)).toEqual(rows)
      }),
    )
  })

  it('guards what a spreadsheet would run', () => {
    const hostile = ['=1+1', '@SUM(A1)', '+cmd|calc', '-2+3', '\t=1', ' =1', '＝1']
    const lines = csvRecords(
      csvOf(
        hostile.map(text => [text]),
        true,
      ),
    ).slice(1)
    expect(lines.map(([text]) => text?.charAt(0))).toEqual(hostile.map(() => "'"))
  })

  it('leaves numbers alone', () => {
    const source = columnTable([{ name: 'n', type: 'number' }], [[-5, '-5', '+3.2e4', 'plain'] satisfies Cell[]])
    expect([...writeCsv(source, [0, 1, 2, 3], { guardFormulas: true })].join('')).toBe(
      'n\r\n-5\r\n-5\r\n+3.2e4\r\nplain\r\n',
    )
  })

  it('reads files of other tools', () => {
    const source = readCsv('\ufeffid,day,ratio\n007,2026-01-31,12.5\n\n008,,9\n')
    expect(source.columns).toEqual([
      { name: 'id', type: 'text' },
      { name: 'day', type: 'time' },
      { name: 'ratio', type: 'number' },
    ])
    expect(source.rows(0, 9)).toEqual([
      ['007', '2026-01-31', '12.5'],
      ['008', null, '9'],
    ])
    expect(readCsv('').rowCount).toBe(0)
    expect(csvRecords('a,"never closed\nb')).toEqual([['a', 'never closed\nb']])
  })

  it('puts a selection on the clipboard, one cell to a cell', () => {
    const source = textTable([
      ['a\tb', 'c\nd'],
      ['e', 'f'],
    ])
    expect(toTsv(source, [0, 1], [0, 1], true)).toBe('c0\tc1\na b\tc d\ne\tf')
    expect(toTsv(source, [1], [1], false)).toBe('f')
  })
})

describe('a data resource', () => {
  it('becomes a table with types, key and missing values', () => {
    const resource = readDataResource({
      schema: {
        fields: [
          { name: 'index', type: 'integer' },
          { name: 'bank', type: 'string' },
          { name: 'tags', type: 'any' },
        ],
        primaryKey: ['index'],
      },
      data: [
        { index: 0, bank: 'Alpha', tags: ['a', 1] },
        { index: 1, bank: null },
      ],
      totalRows: 5000,
    })
    expect(resource?.source.columns).toEqual([
      { name: 'index', type: 'number', key: true },
      { name: 'bank', type: 'text' },
      { name: 'tags', type: 'text' },
    ])
    expect(resource?.source.rows(0, 2)).toEqual([
      [0, 'Alpha', '["a",1]'],
      [1, null, null],
    ])
    expect(resource?.totalRows).toBe(5000)
  })

  it('is read without a schema, from rows of either kind', () => {
    expect(readDataResource({ data: [{ a: 1 }, { a: 2, b: 'x' }] })?.source.columns.map(({ name }) => name)).toEqual([
      'a',
      'b',
    ])
    expect(readDataResource('{"data":[[1,2],[3,4]]}')?.source.rows(1, 2)).toEqual([[3, 4]])
  })

  it('does not take a name from the prototype for a value', () => {
    const resource = readDataResource({ schema: { fields: [{ name: 'constructor' }] }, data: [{}] })
    expect(resource?.source.value(0, 0)).toBeNull()
  })

  it('is refused when it is something else', () => {
    for (const value of [null, 1, 'text', [], {}, { data: 'x' }, '{']) expect(readDataResource(value)).toBeNull()
    fc.assert(fc.property(fc.json(), json => void readDataResource(JSON.parse(json))))
  })
})
