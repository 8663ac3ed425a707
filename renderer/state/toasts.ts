import { create } from 'zustand'
import { problemFrom } from './connection.ts'

export interface Toast {
  readonly id: number
  readonly kind: 'info' | 'good' | 'bad'
  readonly text: string
  readonly hint?: string
  readonly action?: { label: string; run(): void }
  /** Asks for something: it stays until it is answered or dismissed. */
  readonly asks?: true
  /** Offers to undo what the next undo, however asked for, takes back: after it the offer would undo something else. */
  readonly untilUndo?: true
}

interface Toasts {
  readonly toasts: readonly Toast[]
  show(toast: Omit<Toast, 'id'>): void
  dismiss(id: number): void
}

let next = 1

export const useToasts = create<Toasts>(set => ({
  toasts: [],
  show: toast => set(state => ({ toasts: [...state.toasts.slice(-4), { ...toast, id: next++ }] })),
  dismiss: id => set(state => ({ toasts: state.toasts.filter(each => each.id !== id) })),
}))

export const showToast = (toast: Omit<Toast, 'id'>): void => useToasts.getState().show(toast)

export const undone = (): void =>
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter(toast => !toast.untilUndo) }))

/** Shows what went wrong; for promises that nobody else looks at: `void save().catch(showProblem)`. */
export function showProblem(error: unknown): void {
  const { message, hint } = problemFrom(error)
  showToast({ kind: 'bad', text: message, hint })
}
