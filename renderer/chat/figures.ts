import type { Figure } from '../../src/contract/chat.ts'

/** Where a figure of an answer leads: to its cell, or nowhere. Both are links inside the page, which open nothing. */
export const figureLink = '#figure-'
export const uncomputedLink = '#not-computed'
const uncomputed = `${uncomputedLink} "not computed here"`

/** A text of the assistant for the screen: its figures as links, and values in the place of tokens. */
export function forScreen(text: string, figures: readonly Figure[], values: Readonly<Record<string, string>>): string {
  let out = ''
  let at = 0
  for (const { start, end, cell } of figures) {
    if (start < at || end > text.length) continue
    out += `${withValues(text.slice(at, start), values)}[${text.slice(start, end)}](${cell ? figureLink + cell : uncomputed})`
    at = end
  }
  return out + withValues(text.slice(at), values)
}

export const withValues = (text: string, values: Readonly<Record<string, string>>): string =>
  text.includes('[') ? text.replace(/\[[A-Z][A-Z0-9_]*_\d+\]/g, token => values[token] ?? token) : text
