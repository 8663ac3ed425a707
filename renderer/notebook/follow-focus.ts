import { type RefObject, useEffect } from 'react'

/**
 * In command mode the selected item has the focus, so that single keys reach it and screen readers say where one is. The
 * focus of another item comes along: two frames, one of which the keys do not mean, would stand on the page otherwise.
 */
export function useFollowFocus(box: RefObject<HTMLElement | null>, selected: boolean, editing: boolean): void {
  useEffect(() => {
    if (!selected || editing) return
    const { activeElement } = document
    const isElsewhere = activeElement?.closest('[data-item]') && !box.current?.contains(activeElement)
    if (activeElement === document.body || isElsewhere) box.current?.focus({ preventScroll: true })
  }, [box, selected, editing])
}
