import { z } from 'zod'
import type { TablePiece } from '../../src/contract/sandbox.ts'
import { toCell, typeOf } from './dataresource.ts'
import { type Cell, type Column, type ColumnValues, columnTable, type TableSource } from './source.ts'

/** More cells than this would fill the memory of the window. */
const mostCells = 20_000_000

export interface WholeTable {
  readonly source: TableSource
  /** Rows that there are, of which the source may hold only the first. */
  readonly rows: number
}

export class TableChanged extends Error {
  constructor() {
    super('The table was changed while it was read.')
  }
}

const Columns = z.array(z.array(z.unknown()))

/**
 * Reads a table of the sandbox piece by piece. `told` gets the rows read so far as a table of its own after the first
 * piece, so that there is something to look at, and from then on only how far the reading is.
 */
export async function readWhole(
  ask: (from: number) => Promise<TablePiece>,
  told: (progress: { table?: WholeTable; read: number; rows: number }) => void,
  signal: AbortSignal,
): Promise<WholeTable> {
  const first = await ask(0)
  const columns = first.fields.map(
    ({ name, type, key }): Column => ({ name, type: typeOf[type] ?? 'text', ...(key && { key }) }),
  )
  // Rows without columns hold nothing to read.
  const wanted = columns.length === 0 ? 0 : Math.min(first.rows, Math.floor(mostCells / columns.length))
  const gathered = columns.map(column => new Gathered(wanted, column.type === 'number'))
  const add = (piece: TablePiece, from: number): number => {
    const cells = Columns.parse(JSON.parse(piece.cells))
    const count = cells[0]?.length ?? 0
    // What is missing would be shown as zero.
    if (count === 0 || cells.length !== columns.length || cells.some(values => values.length !== count)) {
      throw new Error('The sandbox gave a part of a table that does not fit the rest.')
    }
    for (const [at, column] of gathered.entries()) column.set(from, cells[at] ?? [])
    return Math.min(wanted, from + count)
  }
  let read = wanted === 0 ? 0 : add(first, 0)
  const soFar = (count: number): WholeTable => ({
    source: columnTable(
      columns,
      gathered.map(column => column.first(count)),
    ),
    rows: first.rows,
  })
  told({ table: soFar(read), read, rows: wanted })
  while (read < wanted && !signal.aborted) {
    const piece = await ask(read)
    if (piece.value !== first.value) throw new TableChanged()
    read = add(piece, read)
    told({ read, rows: wanted })
  }
  return soFar(read)
}

/** The values of a column as they come: numbers in eight bytes each, as long as there is nothing else among them. */
class Gathered {
  #numbers: Float64Array | null
  #values: Cell[] = []
  readonly #rows: number

  constructor(rows: number, numeric: boolean) {
    this.#rows = rows
    this.#numbers = numeric ? new Float64Array(rows) : null
  }

  set(from: number, cells: readonly unknown[]): void {
    const room = Math.min(cells.length, this.#rows - from)
    for (let at = 0; at < room; at++) {
      const cell = toCell(cells[at])
      if (this.#numbers && (cell === null || typeof cell === 'number')) this.#numbers[from + at] = cell ?? Number.NaN
      else this.#anything(from + at)[from + at] = cell
    }
  }

  /** An integer beyond what a number can hold came as text: from here on all are kept as they come. */
  #anything(upTo: number): Cell[] {
    if (this.#numbers) {
      this.#values = Array.from(this.#numbers.subarray(0, upTo), value => (Number.isNaN(value) ? null : value))
      this.#numbers = null
    }
    return this.#values
  }

  first(count: number): ColumnValues {
    return this.#numbers ? this.#numbers.subarray(0, count) : this.#values.slice(0, count)
  }
}
