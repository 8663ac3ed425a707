import { type Cell, type Column, cellText, isMissing, type TableSource } from './source.ts'

const midnight = /T00:00:00(?:\.0+)?(?:Z|\+00:00)?$/
const sample = 2000

/** How the cells of a column are written on the screen. Copies and files always get the value itself. */
export function formatter(source: TableSource, index: number): (cell: Cell) => string {
  const column = source.columns[index]
  if (
    column?.type === 'time' &&
    sampled(source, index).every(cell => isMissing(cell) || midnight.test(cellText(cell)))
  ) {
    return cell => cellText(cell).replace(midnight, '')
  }
  if (column?.type === 'number') {
    const values = sampled(source, index)
    const write = decimals(values)
    return !column.key && values.some(isLarge) ? cell => grouped(write(cell)) : write
  }
  return cellText
}

/** Years and other short numbers are read as they are; a column with longer ones has all of them grouped. */
const isLarge = (cell: Cell): boolean => !isMissing(cell) && Math.abs(Number(cell)) >= 10_000
const grouped = (text: string): string =>
  text.replace(/^(-?)(\d+)(?=\.|$)/, (_, sign, digits) => sign + digits.replace(/\B(?=(\d{3})+$)/g, ','))

/** Beyond this a figure is the outcome of floating arithmetic, and noughts would only add to it. */
const mostDecimals = 6

/** Gives all figures of a column the same decimals, so that their points align; only noughts are ever added. */
function decimals(values: readonly Cell[]): (cell: Cell) => string {
  const most = values.reduce<number>((most, cell) => {
    const digits = /^-?\d+\.(\d+)$/.exec(cellText(cell))?.[1]?.length ?? 0
    return digits <= mostDecimals ? Math.max(most, digits) : most
  }, 0)
  return cell => {
    const text = cellText(cell)
    const parts = /^(-?\d+)(?:\.(\d+))?$/.exec(text)
    if (most === 0 || !parts || (parts[2]?.length ?? 0) > most) return text
    return `${parts[1]}.${(parts[2] ?? '').padEnd(most, '0')}`
  }
}

/** A width that shows most values of a column, from a look at rows all over it. */
export function naturalWidth(source: TableSource, index: number): number {
  const column = source.columns[index]
  const write = formatter(source, index)
  const lengths = sampled(source, index).map(cell => write(cell).length)
  const longest = lengths.reduce((most, length) => Math.max(most, length), 4)
  return Math.min(widest, Math.max(narrowest, headWidth(column), Math.ceil(longest * charWidth) + padding))
}

export const narrowest = 64
export const widest = 340
/** Of the code font at the small size, a little generous: a clipped figure is worse than a loose column. */
const charWidth = 7.4
const padding = 26
const headWidth = (column: Column | undefined) => Math.ceil((column?.name.length ?? 0) * charWidth) + padding + 22

/** Rows from the first to the last: figures that grow are longest at the end. */
function sampled(source: TableSource, index: number): Cell[] {
  const { rowCount } = source
  const count = Math.min(sample, rowCount)
  const step = (rowCount - 1) / Math.max(1, count - 1)
  return Array.from({ length: count }, (_, at) => source.value(Math.round(at * step), index))
}

export const alignsRight = (column: Column): boolean => column.type === 'number'
