import type { Finding } from '../../contract/privacy.ts'

/** Where a part of a text begins and ends. */
export interface TextPart {
  readonly start: number
  readonly end: number
}

/** A part of a text with what was found in it, made longer where it would cut something that was found. */
export function partOf(
  text: string,
  found: readonly Finding[],
  { start, end }: TextPart = { start: 0, end: text.length },
): { readonly text: string; readonly found: readonly Finding[] } {
  const inside = found.filter(each => each.start < end && each.end > start)
  const from = Math.min(start, ...inside.slice(0, 1).map(each => each.start))
  const to = Math.max(end, ...inside.slice(-1).map(each => each.end))
  return {
    text: text.slice(from, to),
    found: inside.map(each => ({ ...each, start: each.start - from, end: each.end - from })),
  }
}
