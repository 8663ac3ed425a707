import { rowText, type Terminal } from './terminal.ts'

const mostLines = 40
const mostChars = 20_000
const headRows = 20
const tailRows = 8

/** How many rows stay in sight above and below the fold; `null` when the text is short enough to stand as it is. */
export function foldOf(terminal: Terminal): { head: number; tail: number } | null {
  const count = terminal.rowCount
  const chars = (row: number) => {
    const found = terminal.row(row)
    return found ? rowText(found).length : 0
  }
  if (count <= mostLines) {
    let total = 0
    for (let row = 0; row < count; row++) total += chars(row)
    if (total <= mostChars) return null
  }
  // The start says what it is, the end how it went. Long rows count by their length, and at least one stays in sight.
  const fitting = (from: number, step: 1 | -1, most: number, room: number) => {
    let rows = 0
    for (let left = room; rows < most; rows++) {
      left -= chars(from + rows * step)
      if (left < 0) break
    }
    return rows
  }
  const head = Math.min(count, Math.max(1, fitting(0, 1, headRows, 8000)))
  return { head, tail: Math.min(count - head, fitting(count - 1, -1, tailRows, 4000)) }
}
