import type { FigurePlace, FigureValue, RowName } from '../contract/figures.ts'
import type { Labelled } from '../conversations/conversations.ts'
import type { ChartAt, Contents, TableAt } from './contents.ts'

/**
 * Finds a place again in other outputs of the same cell. Whatever is not certain is not found: a wrong number under a
 * right name is worse than none.
 */
export function findPlace(contents: Contents, place: FigurePlace): FigureValue | null {
  switch (place.kind) {
    case 'number': {
      const found = numberAt(contents.numbers, place)
      return found && numberValue(found.value, found.unit, found.shown)
    }
    case 'entry': {
      const table = entryTable(contents.tables, place)
      const row = table && rowAt(table, place.row)
      return row ? entryValue(row[place.column]) : null
    }
    case 'table': {
      const table = tableAt(contents.tables, place)
      return table && tableValue(table)
    }
    case 'chart': {
      const chart = chartAt(contents.charts, place)
      return chart && chartValue(chart)
    }
  }
}

export const tableAt = (tables: readonly TableAt[], place: Extract<FigurePlace, { kind: 'table' }>): TableAt | null =>
  nthOf(
    tables.filter(table => sameColumns(table.columns, place.columns)),
    place,
  ) ??
  (tables.length === 1 && place.of === 1 && tables[0] && isAlike(tables[0].columns, place.columns) ? tables[0] : null)

export const chartAt = (charts: readonly ChartAt[], place: Extract<FigurePlace, { kind: 'chart' }>): ChartAt | null =>
  named(charts, chart => chart.title ?? '', place.title ?? '', place)

const numberAt = (numbers: readonly Labelled[], place: Extract<FigurePlace, { kind: 'number' }>): Labelled | null =>
  named(
    numbers.filter(number => number.unit === place.unit),
    number => number.label,
    place.label,
    place,
  )

/** By its name; where no thing has it, by a name that differs only in the figures in it ("CET1 at 100 bp"). */
function named<T>(all: readonly T[], nameOf: (each: T) => string, name: string, place: Among): T | null {
  const exact = all.filter(each => nameOf(each) === name)
  if (exact.length > 0) return nthOf(exact, place)
  return nthOf(
    all.filter(each => name !== '' && withoutFigures(nameOf(each)) === withoutFigures(name)),
    place,
  )
}

type Among = Pick<FigurePlace, 'nth' | 'of'>

/** With more or fewer of the same name than there were, nobody can tell which one was meant. */
const nthOf = <T>(all: readonly T[], { nth, of }: Among): T | null => (all.length === of ? (all[nth] ?? null) : null)

export const withoutFigures = (name: string): string => name.replace(/[-+−]?\d[\d,.]*/g, '#')

function entryTable(tables: readonly TableAt[], place: Extract<FigurePlace, { kind: 'entry' }>): TableAt | null {
  const fits = (table: TableAt | undefined): table is TableAt =>
    table?.columns.includes(place.column) === true && rowAt(table, place.row) !== null
  const there = tables[place.nth]
  if (tables.length === place.of && fits(there)) return there
  const others = tables.filter(fits)
  return others.length === 1 ? (others[0] ?? null) : null
}

function rowAt(table: TableAt, name: RowName): TableAt['rows'][number] | null {
  if (name.by === 'number') return table.rows[name.number] ?? null
  const keys = Object.entries(name.key)
  const rows = table.rows.filter(row => keys.every(([column, value]) => same(row[column], value)))
  return rows.length === 1 ? (rows[0] ?? null) : null
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
const sameColumns = (one: readonly string[], other: readonly string[]): boolean => same(one, other)

/** The one table of a cell that got or lost a column is still that table; one of other columns is another. */
function isAlike(one: readonly string[], other: readonly string[]): boolean {
  const shared = one.filter(name => other.includes(name)).length
  return shared * 2 >= Math.max(one.length, other.length)
}

export const numberValue = (value: number, unit: string, shown: string): FigureValue => ({
  kind: 'number',
  value,
  unit,
  shown,
})

const separated = new Intl.NumberFormat('en', { maximumFractionDigits: 6 })

export function entryValue(entry: unknown): FigureValue {
  if (typeof entry === 'number') return numberValue(entry, '', separated.format(entry))
  // Exact decimals travel as text, since JSON would round them.
  if (typeof entry === 'string' && /^[-+]?\d+\.\d+$/.test(entry)) return numberValue(Number(entry), '', entry)
  return { kind: 'text', shown: typeof entry === 'string' ? entry : entry === undefined ? '' : JSON.stringify(entry) }
}

export const tableValue = ({ output, rows, columns }: TableAt): FigureValue => ({
  kind: 'table',
  output,
  rows: rows.length,
  columns: columns.length,
})

export const chartValue = ({ output, title }: ChartAt): FigureValue => ({ kind: 'chart', output, title })
