/** A cell by where it stands on the screen. Row -1 is the header. */
export interface Position {
  readonly row: number
  readonly column: number
}

/** A block of cells: where it was begun and where it goes to. The cell at `to` has the focus. */
export interface Selection {
  readonly from: Position
  readonly to: Position
}

export interface Bounds {
  readonly rows: number
  readonly columns: number
  /** Rows that one page key moves by. */
  readonly page: number
}

export interface Key {
  readonly key: string
  readonly shift: boolean
  /** Control, or Command on a Mac. */
  readonly control: boolean
}

export const single = (position: Position): Selection => ({ from: position, to: position })

/** The selection after a key, or `null` when the key is none of the grid's. */
export function moved(selection: Selection, key: Key, bounds: Bounds): Selection | null {
  if (key.control && key.key.toLowerCase() === 'a') {
    return { from: { row: 0, column: 0 }, to: { row: bounds.rows - 1, column: bounds.columns - 1 } }
  }
  if (key.key === 'Escape') return single(selection.to)
  const target = destination(selection.to, key, bounds)
  if (!target) return null
  const to = within(target, bounds, key.shift ? 0 : -1)
  return key.shift ? { from: selection.from, to } : single(to)
}

function destination({ row, column }: Position, { key, control }: Key, bounds: Bounds): Position | null {
  switch (key) {
    case 'ArrowUp':
      return { row: control ? 0 : row - 1, column }
    case 'ArrowDown':
      return { row: control ? bounds.rows - 1 : row + 1, column }
    case 'ArrowLeft':
      return { row, column: control ? 0 : column - 1 }
    case 'ArrowRight':
      return { row, column: control ? bounds.columns - 1 : column + 1 }
    case 'Home':
      return { row: control ? 0 : row, column: 0 }
    case 'End':
      return { row: control ? bounds.rows - 1 : row, column: bounds.columns - 1 }
    case 'PageUp':
      return { row: Math.max(0, row - bounds.page), column }
    case 'PageDown':
      return { row: row + bounds.page, column }
    default:
      return null
  }
}

export function within(position: Position, bounds: Bounds, firstRow = -1): Position {
  return {
    row: Math.max(firstRow, Math.min(position.row, bounds.rows - 1)),
    column: Math.max(0, Math.min(position.column, bounds.columns - 1)),
  }
}

/** The block's edges, whichever way it was drawn; the far ends are included. */
export function edges({ from, to }: Selection): { top: number; bottom: number; left: number; right: number } {
  return {
    top: Math.max(0, Math.min(from.row, to.row)),
    bottom: Math.max(from.row, to.row),
    left: Math.min(from.column, to.column),
    right: Math.max(from.column, to.column),
  }
}

export function cellCount(selection: Selection): number {
  const { top, bottom, left, right } = edges(selection)
  return Math.max(0, bottom - top + 1) * (right - left + 1)
}
