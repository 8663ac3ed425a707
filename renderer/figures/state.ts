import { create } from 'zustand'
import type { CellId, ConversationId, FigureId, PathId } from '../../src/contract/ids.ts'
import { setView } from '../state/view.ts'

export type InspectorTab = 'variables' | 'figures' | 'files' | 'run' | 'sandbox'

/** What is open of the figures, and which tab the inspector shows. */
interface FiguresView {
  readonly tab: InspectorTab
  /** A cell of which something is being pinned, and what was pointed at. */
  readonly pinning: { path: PathId; cell: CellId; find: string } | null
  readonly lineage: { path: PathId; figure: FigureId } | null
  /** A conversation whose figures are compared across its paths. */
  readonly comparing: ConversationId | null
  /** A path of which a report is made. */
  readonly report: { path: PathId } | null
}

export const useFigures = create<FiguresView>(() => ({
  tab: 'variables',
  pinning: null,
  lineage: null,
  comparing: null,
  report: null,
}))

export const setFigures = useFigures.setState

export const openPinning = (path: PathId, cell: CellId, find = ''): void =>
  setFigures({ pinning: { path, cell, find } })

/** Brings the figures of the path into sight, wherever the inspector was. */
export function showFigures(): void {
  setView({ place: 'notebook', rightOpen: true, compare: null })
  setFigures({ tab: 'figures' })
}
