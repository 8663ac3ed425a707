import type { Candidate, FigurePlace, FigureValue } from '../contract/figures.ts'
import type { Contents, TableAt } from './contents.ts'
import { chartValue, entryValue, numberValue, tableValue } from './place.ts'

export type Spot = Pick<Candidate, 'place' | 'name' | 'value'>

const mostSpots = 300
/** Entries of a table that are looked through for what was typed. */
const mostEntries = 200_000

/** Everything that can be pinned, the whole before its parts; with `find`, only what has these words in its name or value. */
export function spotsIn(contents: Contents, find = ''): Spot[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean)
  const spots: Spot[] = []
  for (const spot of all(contents)) {
    const text = `${spot.name} ${shownOf(spot.value)}`.toLowerCase()
    if (words.every(word => text.includes(word))) spots.push(spot)
    if (spots.length >= mostSpots) break
  }
  return spots
}

const shownOf = (value: FigureValue): string => ('shown' in value ? value.shown : value.kind)

function* all(contents: Contents): Generator<Spot> {
  yield* charts(contents)
  yield* tables(contents)
  yield* numbers(contents)
  for (const [nth, table] of contents.tables.entries()) yield* entries(table, nth, contents.tables.length)
}

function* charts({ charts }: Contents): Generator<Spot> {
  for (const [chart, among] of numbered(charts, each => each.title ?? '')) {
    const place: FigurePlace = { kind: 'chart', title: chart.title, ...among }
    yield { place, name: nameOf(chart.title ?? 'Chart', among), value: chartValue(chart) }
  }
}

function* tables({ tables }: Contents): Generator<Spot> {
  for (const [table, among] of numbered(tables, each => JSON.stringify(each.columns))) {
    const place: FigurePlace = { kind: 'table', columns: [...table.columns], ...among }
    const columns = table.columns.slice(0, 4).join(', ') + (table.columns.length > 4 ? ' …' : '')
    yield { place, name: nameOf(`Table of ${columns}`.slice(0, 120), among), value: tableValue(table) }
  }
}

function* numbers({ numbers }: Contents): Generator<Spot> {
  for (const [number, among] of numbered(numbers, each => `${each.label} ${each.unit}`)) {
    const { label, unit, value, shown } = number
    const place: FigurePlace = { kind: 'number', label, unit, ...among }
    yield { place, name: nameOf(label || 'Value', among), value: numberValue(value, unit, shown) }
  }
}

function* entries(table: TableAt, nth: number, of: number): Generator<Spot> {
  const shown = table.rows.slice(0, Math.floor(mostEntries / Math.max(1, table.columns.length)))
  for (const [number, row] of shown.entries()) {
    const key = Object.fromEntries(table.keys.map(column => [column, row[column] ?? null]))
    const name = table.keys.map(column => String(row[column] ?? '')).join(', ') || `Row ${number + 1}`
    for (const column of table.columns.filter(each => !table.keys.includes(each))) {
      yield {
        place: {
          ...{ kind: 'entry' as const, nth, of, column },
          row: table.keys.length > 0 ? { by: 'key', key } : { by: 'number', number },
        },
        name: `${name} · ${column}`.slice(0, 200),
        value: entryValue(row[column]),
      }
    }
  }
}

type Among = Pick<FigurePlace, 'nth' | 'of'>

/** Each with its number among those of the same name. */
function numbered<T>(all: readonly T[], nameOf: (each: T) => string): [T, Among][] {
  const counts = new Map<string, number>()
  for (const each of all) counts.set(nameOf(each), (counts.get(nameOf(each)) ?? 0) + 1)
  const seen = new Map<string, number>()
  return all.map(each => {
    const name = nameOf(each)
    const nth = seen.get(name) ?? 0
    seen.set(name, nth + 1)
    return [each, { nth, of: counts.get(name) ?? 1 }]
  })
}

const nameOf = (name: string, { nth, of }: Among): string => (of > 1 ? `${name} (${nth + 1} of ${of})` : name)
