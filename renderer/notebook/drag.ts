import { type DragEvent, useState } from 'react'
import type { ItemId } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { showProblem } from '../state/toasts.ts'
import { moveAfter } from './actions.ts'

const kind = 'application/x-countersign-item'

/** The handle by which an item is dragged. */
export const dragHandlers = (item: ItemId) => ({
  draggable: true,
  onDragStart(event: DragEvent) {
    event.dataTransfer.setData(kind, item)
    event.dataTransfer.effectAllowed = 'move'
  },
})

/** Where it can be dropped: below another item. */
export function useDropTarget(path: PathId, item: ItemId) {
  const [over, setOver] = useState(false)
  return {
    over,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!event.dataTransfer.types.includes(kind)) return
        event.preventDefault()
        setOver(true)
      },
      onDragLeave: () => setOver(false),
      onDrop(event: DragEvent) {
        setOver(false)
        const dragged = event.dataTransfer.getData(kind) as ItemId
        if (!dragged || dragged === item) return
        event.preventDefault()
        void moveAfter(path, dragged, item).catch(showProblem)
      },
    },
  }
}
