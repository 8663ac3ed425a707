import type { Finding } from '../../contract/privacy.ts'
import { resolve } from '../scanner/resolve.ts'
import { literal, type TokenBook, type TokenNames, tokenPattern } from './tokens.ts'

/** Shorter values stand in too many texts by chance: a country code, a house number. */
const shortest = 5

/**
 * For texts that go back to somebody who has seen the conversation's tokens: they hold tokens already, which stay, and
 * a value that once had a token gets it wherever it stands, also where nothing around it says what it is.
 */
export const keepingTokens = (book: TokenBook): TokenNames => ({
  tokenFor: (type, value, kind) => (book.entryOf(value) ? value : book.tokenFor(type, value, kind)),
})

/** What is found in a text that may hold tokens: nothing inside a token, and every value that has one. */
export function findBesideTokens(text: string, found: readonly Finding[], book: TokenBook): Finding[] {
  const tokens = text.includes('[') ? [...text.matchAll(tokenPattern)].filter(([token]) => book.entryOf(token)) : []
  const known = valuesIn(text, book)
  if (tokens.length === 0) return known.length === 0 ? [...found] : resolve([...found, ...known])
  const spans = tokens.map(({ index, 0: token }) => ({ start: index, end: index + token.length }))
  return resolve([...found, ...known].flatMap(finding => outside(finding, spans, text)))
}

function valuesIn(text: string, book: TokenBook): Finding[] {
  const found: Finding[] = []
  for (const { value: kept, type, kind } of book.entries()) {
    const value = kind === 'json' ? kept.replace(/n$/, '') : kept
    if (type === literal || value.length < shortest) continue
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
      const end = at + value.length
      if (isPartOfWord(text, at, end)) continue
      found.push({ start: at, end, type, rule: 'known-value', score: 1 })
    }
  }
  return found
}

const wordBefore = /[\p{L}\p{N}]$/u
const wordAfter = /^[\p{L}\p{N}]/u

/** `12345` in `9123456` is another number. A sign at the value's own edge ends a word by itself. */
const isPartOfWord = (text: string, start: number, end: number): boolean =>
  (wordBefore.test(text.slice(Math.max(0, start - 2), start)) && wordAfter.test(text.slice(start, start + 2))) ||
  (wordAfter.test(text.slice(end, end + 2)) && wordBefore.test(text.slice(end - 2, end)))

/** The parts of a finding that are not a token; what is left of a label around one is no value. */
function outside(finding: Finding, tokens: readonly { start: number; end: number }[], text: string): Finding[] {
  let parts = [finding]
  for (const token of tokens) {
    parts = parts.flatMap(part => {
      if (token.end <= part.start || token.start >= part.end) return [part]
      return [
        { ...part, end: Math.min(part.end, token.start) },
        { ...part, start: Math.max(part.start, token.end) },
      ].filter(
        ({ start, end }) => end > start && /[\p{L}\p{N}].*[\p{L}\p{N}].*[\p{L}\p{N}]/su.test(text.slice(start, end)),
      )
    })
  }
  return parts
}
