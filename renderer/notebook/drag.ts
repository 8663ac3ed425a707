import { type DragEvent, useState } from 'react'
import type { ItemId } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { showProblem } from '../state/toasts.ts'
import { moveAfter } from './actions.ts'
import styles from './drag.module.css'
import { currentPath } from './path-data.ts'

const kind = 'application/x-countersign-item'

/** The handle by which an item is dragged. */
export const dragHandlers = (item: ItemId) => ({
  draggable: true,
  onDragStart(event: DragEvent) {
    event.dataTransfer.setData(kind, item)
    event.dataTransfer.effectAllowed = 'move'
  },
})

/** Where it can be dropped: above another item or below it, whichever half the pointer is in. */
export function useDropTarget(path: PathId, item: ItemId) {
  const [over, setOver] = useState<'above' | 'below' | null>(null)
  return {
    mark: over && styles[over],
    handlers: {
      onDragOver(event: DragEvent) {
        if (!event.dataTransfer.types.includes(kind)) return
        event.preventDefault()
        setOver(half(event))
      },
      onDragLeave: () => setOver(null),
      onDrop(event: DragEvent) {
        setOver(null)
        const dragged = event.dataTransfer.getData(kind) as ItemId
        if (!dragged || dragged === item) return
        event.preventDefault()
        const after = half(event) === 'below' ? item : itemBefore(path, item, dragged)
        void moveAfter(path, dragged, after).catch(showProblem)
      },
    },
  }
}

function half(event: DragEvent): 'above' | 'below' {
  const { top, height } = event.currentTarget.getBoundingClientRect()
  return event.clientY < top + height / 2 ? 'above' : 'below'
}

function itemBefore(path: PathId, item: ItemId, dragged: ItemId): ItemId | null {
  const others = (currentPath(path)?.items ?? []).filter(each => each.id !== dragged)
  return others[others.findIndex(each => each.id === item) - 1]?.id ?? null
}
