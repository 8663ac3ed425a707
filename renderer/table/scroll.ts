/**
 * Which rows are in sight. Browsers do not lay out elements beyond some twenty million pixels; past that the scroll bar
 * moves in larger steps than the rows, and this is the arithmetic between the two.
 */
export const rowHeight = 28
const tallest = 15_000_000

export interface Extent {
  readonly rows: number
  /** Height of the part that shows rows, in pixels. */
  readonly viewport: number
}

const fullHeight = ({ rows }: Extent) => rows * rowHeight
export const laidOutHeight = (extent: Extent): number => Math.min(fullHeight(extent), tallest)
export const isScaled = (extent: Extent): boolean => fullHeight(extent) > tallest

const scale = (extent: Extent) =>
  isScaled(extent) ? (fullHeight(extent) - extent.viewport) / (laidOutHeight(extent) - extent.viewport) : 1

/** From the scroll bar's position to the distance from the first row's top, and back. */
export const toDistance = (extent: Extent, scrollTop: number): number => clamp(extent, scrollTop * scale(extent))
export const toScrollTop = (extent: Extent, distance: number): number => clamp(extent, distance) / scale(extent)

export function clamp(extent: Extent, distance: number): number {
  return Math.max(0, Math.min(distance, fullHeight(extent) - extent.viewport))
}

export function rowsInSight(extent: Extent, distance: number, around: number): { from: number; to: number } {
  const first = Math.floor(distance / rowHeight)
  const last = Math.ceil((distance + extent.viewport) / rowHeight)
  return { from: Math.max(0, first - around), to: Math.min(extent.rows, last + around) }
}

/** The distance that brings a row into sight with the least movement. */
export function distanceToShow(extent: Extent, distance: number, row: number): number {
  const top = row * rowHeight
  if (top < distance) return clamp(extent, top)
  if (top + rowHeight > distance + extent.viewport) return clamp(extent, top + rowHeight - extent.viewport)
  return clamp(extent, distance)
}

/** Columns between two distances, from the running sums of their widths (`edges[i]` is where column `i` starts). */
export function columnsInSight(edges: readonly number[], left: number, right: number): { from: number; to: number } {
  const count = edges.length - 1
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if ((edges[middle + 1] ?? 0) <= left) low = middle + 1
    else high = middle
  }
  let to = low
  while (to < count && (edges[to] ?? 0) < right) to++
  return { from: Math.max(0, low - 1), to: Math.min(count, to + 1) }
}
