import { type KeyboardEvent, type MouseEvent, type PointerEvent, useEffect, useRef, useState } from 'react'

/** An answer that comes sooner than this after the question appeared or changed was meant for something else. */
export const soonestMs = 500

export interface Gate {
  /** True when answers count; until then the buttons say so. */
  readonly open: boolean
  /** For the element around everything that answers. */
  readonly handlers: {
    onPointerDownCapture(event: PointerEvent): void
    onKeyDownCapture(event: KeyboardEvent): void
    onClickCapture(event: MouseEvent): void
  }
}

/**
 * Lets answers to a question through only when they were meant for it: not in the first half second, not by the click
 * that brings the window to the front, not by a key that was already down. `question` names what is asked; when it
 * changes, the half second begins anew.
 */
export function useGate(question: string): Gate {
  const [openFor, setOpenFor] = useState<string | null>(null)
  const isOpen = useRef(false)
  /** A press that began too soon spoils the click that comes of it, however long it lasts. */
  const spoiled = useRef(false)

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const close = () => {
      clearTimeout(timer)
      isOpen.current = false
      setOpenFor(null)
    }
    const wait = () => {
      close()
      timer = setTimeout(() => {
        isOpen.current = true
        setOpenFor(question)
      }, soonestMs)
    }
    // A window that is not in front has shown its question to nobody.
    if (document.hasFocus()) wait()
    else close()
    window.addEventListener('focus', wait)
    window.addEventListener('blur', close)
    return () => {
      close()
      window.removeEventListener('focus', wait)
      window.removeEventListener('blur', close)
    }
  }, [question])

  const stop = (event: MouseEvent | KeyboardEvent) => {
    event.preventDefault()
    event.stopPropagation()
  }
  const handlers: Gate['handlers'] = {
    onPointerDownCapture(event) {
      if (isText(event.target)) return
      spoiled.current = !isOpen.current
      if (spoiled.current) stop(event)
    },
    onKeyDownCapture(event) {
      if (event.key !== 'Enter' && event.key !== ' ') return
      if (isText(event.target)) return
      // A key held down since before it meant this button repeats into it.
      if (!event.repeat) spoiled.current = !isOpen.current
      if (event.repeat || spoiled.current) stop(event)
    },
    onClickCapture(event) {
      if (isText(event.target)) return
      if (spoiled.current || !isOpen.current) stop(event)
      spoiled.current = false
    },
  }
  return { open: openFor === question, handlers }
}

const isText = (target: EventTarget): boolean =>
  target instanceof HTMLElement && /^(TEXTAREA|INPUT)$/.test(target.tagName)
