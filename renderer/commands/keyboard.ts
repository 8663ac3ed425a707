import { type CommandId, commands } from '../../src/contract/commands.ts'
import { expectNoEditor, hold } from '../editor/type-ahead.ts'
import { useView } from '../state/view.ts'
import { commandInfo, isAvailable, runCommand } from './commands.ts'

const chordMs = 800
const isMac = /Mac/.test(navigator.platform)

/** Turns strokes into commands. Letters count only in command mode, and never while something is being typed. */
export function listenToKeys(target: Window): () => void {
  let pending: { stroke: string; at: number } | null = null
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return
    if (hold(event)) {
      event.preventDefault()
      event.stopPropagation()
      return
    }
    const stroke = strokeOf(event)
    const chord = pending && event.timeStamp - pending.at < chordMs ? `${pending.stroke} ${stroke}` : null
    const found = (chord && commandFor(chord, event)) ?? commandFor(stroke, event)
    pending = startsChord(stroke) && !found ? { stroke, at: event.timeStamp } : null
    if (!found || !runCommand(found)) return
    event.preventDefault()
    event.stopPropagation()
  }
  // Capturing, so that Monaco does not take Shift+Enter for a line break first.
  target.addEventListener('keydown', onKeyDown, true)
  target.addEventListener('pointerdown', expectNoEditor, true)
  return () => {
    target.removeEventListener('keydown', onKeyDown, true)
    target.removeEventListener('pointerdown', expectNoEditor, true)
  }
}

const byKeys = new Map<string, CommandId[]>()
for (const id of Object.keys(commands) as CommandId[]) {
  for (const keys of commandInfo(id).keys ?? []) byKeys.set(keys, [...(byKeys.get(keys) ?? []), id])
}

const startsChord = (stroke: string): boolean => [...byKeys.keys()].some(keys => keys.startsWith(`${stroke} `))

function commandFor(keys: string, event: KeyboardEvent): CommandId | null {
  const typing = isTyping(event.target)
  const inDialog = useView.getState().dialog !== 'none' || document.querySelector('[role="dialog"]') !== null
  return (
    byKeys.get(keys)?.find(id => {
      if (inDialog || !isAvailable(id)) return false
      return commandInfo(id).when === 'command-mode' ? !typing && !isControl(event.target, keys) : true
    }) ?? null
  )
}

function strokeOf(event: KeyboardEvent): string {
  const mod = isMac ? event.metaKey : event.ctrlKey
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key
  return [mod && 'Mod', event.shiftKey && 'Shift', event.altKey && 'Alt', key].filter(Boolean).join('+')
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('.monaco-editor') !== null
  )
}

/** Enter on a button presses it, arrows in a tree or grid move in it: not ours. */
function isControl(target: EventTarget | null, keys: string): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.closest('[role="tree"], [role="grid"], [role="menu"], [role="tablist"], [role="listbox"]')) return true
  return keys === 'Enter' && target.closest('button, a, summary, [role="button"]') !== null
}
