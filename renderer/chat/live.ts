import type { ChatEvent, LivePart, Writing } from '../../src/contract/chat.ts'

type Delta = Extract<ChatEvent, { kind: 'delta' }>

/** What has come, with what comes now; null where something between the two has not come. */
export function withDelta(known: Writing | undefined, { turn, step, at, from, part }: Delta): Writing | null {
  const parts = isOf(known, { turn, step }) ? [...known.parts] : []
  const before = parts[at]
  const text = before?.text ?? ''
  if (at > parts.length || from > text.length) return null
  const isKnown = from + part.text.length <= text.length
  parts[at] = {
    ...part,
    language: part.language ?? before?.language ?? null,
    text: isKnown ? text : text.slice(0, from) + part.text,
  }
  return { turn, step, parts }
}

/** What the engine says has come, and what this window was told of it since. */
export function withWhole(known: Writing | undefined, whole: Writing): Writing {
  if (!isOf(known, whole)) return whole
  const count = Math.max(known.parts.length, whole.parts.length)
  const parts = Array.from({ length: count }, (_, at) => longer(known.parts[at], whole.parts[at]))
  return { ...whole, parts: parts.filter(part => part !== undefined) }
}

const isOf = (known: Writing | undefined, { turn, step }: Pick<Writing, 'turn' | 'step'>): known is Writing =>
  known?.turn === turn && known.step === step

const longer = (one: LivePart | undefined, other: LivePart | undefined): LivePart | undefined =>
  (one?.text.length ?? -1) > (other?.text.length ?? -1) ? one : other
