import type { editor } from 'monaco-editor'

/**
 * Strokes between asking for an editor and having it. They would be lost, go into the cell above, or be taken for
 * commands, of which D D deletes a cell.
 */
let held: { strokes: string[]; since: number; left: boolean } | null = null

/** An editor that has not come by then will not come: a key must not disappear for longer. */
const patienceMs = 5000

export function expectEditor(): void {
  held ??= { strokes: [], since: performance.now(), left: false }
}

export function expectNoEditor(): void {
  held = null
}

/** Keeps a stroke that is meant for the editor to come; false when it is not, and somebody else may have it. */
export function hold(event: KeyboardEvent): boolean {
  if (!held || event.ctrlKey || event.metaKey || event.altKey) return false
  if (performance.now() - held.since > patienceMs) held = null
  if (!held || held.left || isElsewhere(event.target)) return false
  // Whoever is through before the editor is there leaves it as soon as it has the text.
  if (event.key === 'Escape') held.left = true
  const isText = event.key.length === 1 || (event.key === 'Enter' && !event.shiftKey) || event.key === 'Backspace'
  if (isText) held.strokes.push(event.key)
  return isText || held.left
}

/** Somebody who has gone to another field types into that. */
const isElsewhere = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select') && !target.closest('.monaco-editor')

/** Types what was held into the editor that was waited for, and leaves it where that was asked for. */
export function giveHeld(live: editor.IStandaloneCodeEditor, leave: () => void): void {
  const { strokes = [], left = false } = held ?? {}
  held = null
  for (const key of strokes) {
    if (key === 'Backspace') live.trigger('keyboard', 'deleteLeft', null)
    else live.trigger('keyboard', 'type', { text: key === 'Enter' ? '\n' : key })
  }
  if (left) leave()
}
