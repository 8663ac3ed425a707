import { create } from 'zustand'
import type { PathId } from '../../src/contract/ids.ts'

/** A variable whose rows are looked at. */
export interface Viewed {
  readonly path: PathId
  readonly name: string
}

export const useViewedTable = create<{ viewed: Viewed | null }>(() => ({ viewed: null }))

/** Opens all rows of a variable that holds a data frame. */
export const viewTable = (path: PathId, name: string): void => useViewedTable.setState({ viewed: { path, name } })
export const closeTable = (): void => useViewedTable.setState({ viewed: null })
