export type Cell = string | number | boolean | null

/** What the values of a column are, which decides how they align, sort and compare. */
export const columnTypes = ['number', 'text', 'boolean', 'time', 'duration'] as const
export type ColumnType = (typeof columnTypes)[number]

export interface Column {
  readonly name: string
  readonly type: ColumnType
  /** Part of the row's key: shown first and set apart. */
  readonly key?: boolean
}

/** Where a table's values come from. A view asks for what it shows and for nothing else. */
export interface TableSource {
  readonly columns: readonly Column[]
  readonly rowCount: number
  rows(from: number, to: number): Cell[][]
  value(row: number, column: number): Cell
}

export type ColumnValues = ArrayLike<Cell> | ArrayLike<number>

/** A table in memory, one array a column: a million numbers are one typed array, not a million objects. */
export function columnTable(columns: readonly Column[], values: readonly ColumnValues[]): TableSource {
  const rowCount = values.reduce((most, column) => Math.max(most, column.length), 0)
  const value = (row: number, column: number): Cell => values[column]?.[row] ?? null
  return {
    columns,
    rowCount,
    value,
    rows: (from, to) =>
      Array.from({ length: Math.max(0, Math.min(to, rowCount) - from) }, (_, offset) =>
        columns.map((_, column) => value(from + offset, column)),
      ),
  }
}

/** How a value is written: numbers as they are, to the last digit, since people sign for them. */
export function cellText(cell: Cell): string {
  if (cell === null) return ''
  return typeof cell === 'string' ? cell : String(cell)
}

export const isMissing = (cell: Cell): boolean => cell === null || (typeof cell === 'number' && Number.isNaN(cell))
