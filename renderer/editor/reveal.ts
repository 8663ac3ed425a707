import type { editor } from 'monaco-editor'

/** A line to show in the editor that is about to have the focus. */
let wanted: { line: number; at: number } | null = null
let current: editor.IStandaloneCodeEditor | null = null

export function noteEditor(live: editor.IStandaloneCodeEditor | null): void {
  current = live
  if (live && wanted && Date.now() - wanted.at < 3000) show(live, wanted.line)
}

/** Shows a line of the cell being edited, now or as soon as its editor is there. */
export function revealLine(line: number): void {
  wanted = { line, at: Date.now() }
  if (current?.hasTextFocus()) show(current, line)
}

function show(live: editor.IStandaloneCodeEditor, line: number): void {
  wanted = null
  live.setPosition({ lineNumber: line, column: 1 })
  live.revealLineInCenterIfOutsideViewport(line)
  live.focus()
}

export const focusedEditor = (): editor.IStandaloneCodeEditor | null => current
