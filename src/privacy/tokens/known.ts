import type { Finding } from '../../contract/privacy.ts'
import { resolve } from '../scanner/resolve.ts'
import { literal, type TokenBook, type TokenEntry, type TokenNames, tokenPattern } from './tokens.ts'

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

/** A value as it was written, in letters of another size where it is more than a word, and from its end. */
function valuesIn(text: string, book: TokenBook): Finding[] {
  const found: Finding[] = []
  const small = text.toLowerCase()
  const anySize = small.length === text.length
  for (const entry of book.entries()) {
    const { value, small: inSmall, reversed, isWord } = spellingsOf(entry)
    if (entry.type === literal || value.length < shortest) continue
    const note = (start: number, end: number) => {
      if (!isPartOfWord(text, start, end)) found.push({ start, end, type: entry.type, rule: 'known-value', score: 1 })
    }
    if (isWord || !anySize) each(text, value, note)
    else {
      each(small, inSmall, note)
      each(small, reversed, note)
    }
  }
  return found
}

interface Spellings {
  readonly value: string
  readonly small: string
  readonly reversed: string
  /** It may stand in a text as a word of the language. */
  readonly isWord: boolean
}

/** Worked out once for each entry: every text that leaves is looked through for every value. */
const spellings = new WeakMap<TokenEntry, Spellings>()

function spellingsOf(entry: TokenEntry): Spellings {
  const known = spellings.get(entry)
  if (known) return known
  const value = entry.kind === 'json' ? entry.value.replace(/n$/, '') : entry.value
  const small = value.toLowerCase()
  const made = {
    ...{ value, small, reversed: [...small].reverse().join('') },
    isWord: value.length < moreThanWord && /^\p{L}*$/u.test(value),
  }
  spellings.set(entry, made)
  return made
}

/** Shorter ones stand in texts as words of the language: a name such as Grace. */
const moreThanWord = 8

function each(text: string, value: string, note: (start: number, end: number) => void): void {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) note(at, at + value.length)
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
