import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import type { ItemId } from '../../src/contract/conversations.ts'
import type { ConversationId, PathId, RequestId } from '../../src/contract/ids.ts'

export const places = [
  'notebook',
  'analyses',
  'workflows',
  'mcp',
  'review',
  'sandboxes',
  'audit',
  'privacy',
  'settings',
] as const
export type Place = (typeof places)[number]

/** Where the person is and what they look at. What they made is never here. */
export interface View {
  readonly place: Place
  readonly conversation: ConversationId | null
  readonly path: PathId | null
  readonly leftOpen: boolean
  readonly rightOpen: boolean
  /** The selected item, and whether its text is being edited (else single keys are commands). */
  readonly selected: ItemId | null
  readonly editing: boolean
  /** Two paths side by side, in place of one. */
  readonly compare: { left: PathId; right: PathId } | null
  /** A path whose replay is shown. */
  readonly replay: PathId | null
  /** A path that is about to be merged; the dialog asks into which and what. */
  readonly merge: { source: PathId; target: PathId | null } | null
  /** A path whose name is being written. */
  readonly renaming: PathId | null
  /** The request that the review queue should open. */
  readonly request: RequestId | null
  readonly dialog: 'none' | 'bin' | 'templates' | 'palette' | 'search' | 'keys' | 'doctor' | 'conversations'
}

export const useView = create<View>()(
  persist(
    (): View => ({
      place: 'notebook',
      conversation: null,
      path: null,
      leftOpen: true,
      rightOpen: true,
      selected: null,
      editing: false,
      compare: null,
      replay: null,
      merge: null,
      renaming: null,
      request: null,
      dialog: 'none',
    }),
    {
      name: 'countersign.view',
      // A narrow window has its sides closed by itself: kept, they would be closed in a wide one after a reload.
      partialize: ({ place, conversation, path, leftOpen, rightOpen }) => ({
        place,
        conversation,
        path,
        ...(narrowWindow().matches ? {} : { leftOpen, rightOpen }),
      }),
    },
  ),
)

/** Where the sides would leave no room for the middle. */
export const narrowWindow = (): MediaQueryList => matchMedia('(max-width: 800px)')

export const setView = useView.setState

export function openPath(conversation: ConversationId, path: PathId, selected: ItemId | null = null): void {
  setView({
    place: 'notebook',
    conversation,
    path,
    selected,
    editing: false,
    dialog: 'none',
    compare: null,
    replay: null,
  })
}

/** Names this window towards the engine, so that drafts of two windows stay apart. */
export const windowName = crypto.randomUUID()
