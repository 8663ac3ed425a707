import type { ItemId } from '../../contract/conversations.ts'
import type { FigureId, PathId, TenantId, UserId } from '../../contract/ids.ts'

/** The latest row of a path and figure, up to a version, is what the path has pinned; `inherited` lifts its own word. */
export interface FiguresTable {
  path: PathId
  figure: FigureId
  version: number
  tenant: TenantId
  state: 'present' | 'removed' | 'inherited'
  position: string
  name: string
  cell: ItemId
  /** JSON: where in the outputs of the cell. */
  place: string
  pinned_by: UserId
  at: number
}

export interface FiguresTables {
  figures: FiguresTable
}
