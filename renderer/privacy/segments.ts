import type { Redaction } from '../../src/contract/privacy.ts'

/** A stretch of a text: plain, a finding (by its place in the list), or something that only looked like a token. */
export interface Segment {
  /** Where it begins in its text. */
  readonly at: number
  readonly text: string
  readonly finding: number | null
  readonly lookAlike?: true
}

/** The original, cut at its findings. */
export function originalSegments({ original, findings }: Redaction): Segment[] {
  const segments: Segment[] = []
  let at = 0
  for (const [finding, { start, end }] of findings.entries()) {
    push(segments, at, original.slice(at, start))
    segments.push({ at: start, text: original.slice(start, end), finding })
    at = end
  }
  push(segments, at, original.slice(at))
  return segments
}

const token = /\[[A-Z][A-Z0-9_]{0,39}_[1-9][0-9]{0,8}\]/g

/**
 * What is sent, cut at its tokens. They come in the order of the findings; one that is not the next finding's stands
 * for a text that looked like a token and was replaced so that putting back stays exact.
 */
export function sentSegments({ sent, findings }: Redaction): Segment[] {
  const segments: Segment[] = []
  let at = 0
  let next = 0
  for (const match of sent.matchAll(token)) {
    push(segments, at, sent.slice(at, match.index))
    const isNext = findings[next]?.token === match[0]
    const segment = { at: match.index, text: match[0] }
    segments.push(isNext ? { ...segment, finding: next } : { ...segment, finding: null, lookAlike: true })
    if (isNext) next++
    at = match.index + match[0].length
  }
  push(segments, at, sent.slice(at))
  return segments
}

function push(segments: Segment[], at: number, text: string): void {
  if (text !== '') segments.push({ at, text, finding: null })
}

/** Longer texts are cut for the screen; the guard has read all of it. */
export function firstOf(segments: readonly Segment[], characters: number): { shown: Segment[]; left: number } {
  const shown: Segment[] = []
  let room = characters
  let left = 0
  for (const segment of segments) {
    if (room > 0) {
      // A finding is shown whole or not at all: half a value would be neither hidden nor readable.
      const text = segment.finding === null ? segment.text.slice(0, room) : segment.text
      shown.push({ ...segment, text })
      left += segment.text.length - text.length
      room -= text.length
    } else left += segment.text.length
  }
  return { shown, left }
}
