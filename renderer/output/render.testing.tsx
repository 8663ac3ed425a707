import { act, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { TooltipProvider } from '../ui/tooltip.tsx'
import type { OutputActions } from './actions.ts'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

/** Puts something on a page of its own; `undo` takes it away again. */
export async function render(node: ReactNode) {
  const place = document.body.appendChild(document.createElement('div'))
  const root = createRoot(place)
  const show = (next: ReactNode) => act(async () => root.render(<TooltipProvider>{next}</TooltipProvider>))
  await show(node)
  const find = (selector: string): HTMLElement => {
    const found = place.querySelector<HTMLElement>(selector)
    if (!found) throw new Error(`nothing on the page fits ${selector}`)
    return found
  }
  const button = (name: string): HTMLElement => {
    const found = Array.from(place.querySelectorAll<HTMLElement>('button')).find(
      element => (element.getAttribute('aria-label') ?? element.textContent).trim() === name,
    )
    if (!found) throw new Error(`there is no button ${name}`)
    return found
  }
  return {
    place,
    show,
    find,
    button,
    click: (element: HTMLElement) => act(async () => element.click()),
    press: (element: HTMLElement, key: string, more: KeyboardEventInit = {}) =>
      act(async () => {
        element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }))
      }),
    type: (element: HTMLElement, text: string) =>
      act(async () => {
        // React listens to the setter of the prototype; one on the element itself would go unheard.
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(element, text)
        element.dispatchEvent(new Event('input', { bubbles: true }))
      }),
    undo: () =>
      act(async () => {
        root.unmount()
        place.remove()
      }),
  }
}

export type Page = Awaited<ReturnType<typeof render>>

/** Actions that write down what was asked. */
export function recorded(): { actions: OutputActions; asked: unknown[] } {
  const asked: unknown[] = []
  return {
    asked,
    actions: {
      onOpenLine: (...args) => asked.push(['line', ...args]),
      onOpenLink: url => asked.push(['link', url]),
      onSave: (name, mime, data) => asked.push(['save', name, mime, data]),
      onSaveAll: () => asked.push(['all']),
    },
  }
}
