import { guessType } from '../dataresource.ts'
import { type Cell, type Column, columnTable, type TableSource } from '../source.ts'
import { letters, type Sheet } from './workbook.ts'

/** A sheet as a table. Its first row gives the headings where all of it is text; else columns are called A, B, C. */
export function sheetTable({ rows }: Pick<Sheet, 'rows'>): TableSource {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const first = rows[0] ?? []
  const hasHeadings =
    rows.length > 1 && first.length === width && first.every(cell => typeof cell === 'string' && cell.trim() !== '')
  const body = hasHeadings ? rows.slice(1) : rows
  const values = Array.from({ length: width }, (_, column) => body.map((row): Cell => row[column] ?? null))
  const columns = values.map((column, index): Column => {
    const name = hasHeadings ? String(first[index]) : letters(index)
    // What the file says is text stays text, whatever it looks like: account numbers are no quantities.
    const isText = column.some(cell => typeof cell === 'string')
    const type = guessType(column)
    return { name, type: isText && type === 'number' ? 'text' : type }
  })
  return columnTable(columns, values)
}
