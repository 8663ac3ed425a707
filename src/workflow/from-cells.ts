import { stringify } from 'yaml'
import type { Language } from '../contract/run.ts'

/** What a cell takes and leaves, as the guard reads it. */
export interface CellUse {
  readonly language: Language
  readonly code: string
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** It may read or write more than is listed. */
  readonly unknown: boolean
}

/**
 * A graph with a task for each cell, in one shared sandbox so that variables are handed on. A cell needs every earlier
 * one that writes what it reads or writes, or that reads what it writes; what is not known counts as needed.
 */
export function graphFromCells(name: string, cells: readonly CellUse[]): string {
  const tasks = cells.map((cell, at) => {
    const needs = cells.slice(0, at).flatMap((earlier, index) => (depends(cell, earlier) ? [index] : []))
    return [
      `cell_${at + 1}`,
      {
        type: 'code_execution',
        language: cell.language,
        sandbox: 'shared',
        ...(needs.length > 0 ? { needs: withoutImplied(needs, cells).map(index => `cell_${index + 1}`) } : {}),
        code: cell.code,
      },
    ]
  })
  return stringify({ name, tasks: Object.fromEntries(tasks) }, { lineWidth: 0 })
}

function depends(cell: CellUse, earlier: CellUse): boolean {
  if (cell.unknown || earlier.unknown) return true
  const touched = new Set([...cell.reads, ...cell.writes])
  return earlier.writes.some(name => touched.has(name)) || earlier.reads.some(name => cell.writes.includes(name))
}

/** Leaves out what another need already waits for, so that the drawing shows the edges that matter. */
function withoutImplied(needs: readonly number[], cells: readonly CellUse[]): number[] {
  return needs.filter(
    index => !needs.some(other => other > index && depends(cells[other] as CellUse, cells[index] as CellUse)),
  )
}
