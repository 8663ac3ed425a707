import type { CountsByType, Finding } from '../../contract/privacy.ts'

/**
 * Tokens such as `[EMAIL_1]` stand for what was found. After redaction every text of that form is a token of ours: a
 * text that already looked like one is itself replaced (`[LITERAL_1]`), so putting back is exact for any text at all.
 */
export const tokenPattern = /\[[A-Z][A-Z0-9_]{0,39}_[1-9][0-9]{0,8}\]/g

const tokenHere = new RegExp(tokenPattern.source, 'y')

/** What a text that already looks like a token is filed under. */
export const literal = 'LITERAL'

/** A token may be cut off at the end of a chunk; this is the longest that its beginning can be. */
export const unfinishedToken = /\[(?:[A-Z][A-Z0-9_]{0,49})?$/

/** How a value was written: as text, or as JSON (a number, say) that stood in a field of its own. */
export type ValueKind = 'text' | 'json'

export interface TokenEntry {
  readonly token: string
  readonly type: string
  readonly value: string
  readonly kind: ValueKind
}

/** The tokens of one conversation. The same value always has the same token. */
export class TokenBook {
  readonly #byValue = new Map<string, TokenEntry>()
  readonly #byToken = new Map<string, TokenEntry>()
  readonly #counts = new Map<string, number>()
  #added: TokenEntry[] = []

  constructor(entries: Iterable<TokenEntry> = []) {
    for (const entry of entries) this.#remember(entry)
  }

  tokenFor(type: string, value: string, kind: ValueKind = 'text'): string {
    const known = this.#byValue.get(`${kind}:${value}`)
    if (known) return known.token
    const entry = { token: this.#free(type), type, value, kind }
    this.#remember(entry)
    this.#added.push(entry)
    return entry.token
  }

  entryOf(token: string): TokenEntry | undefined {
    return this.#byToken.get(token)
  }

  /** Every value that has a token, for looking a text through for values that a detector knows only by what stands around them. */
  entries(): Iterable<TokenEntry> {
    return this.#byToken.values()
  }

  /** What was added since the last call: what a vault has yet to keep. */
  takeAdded(): TokenEntry[] {
    const added = this.#added
    this.#added = []
    return added
  }

  /**
   * A token that no text has yet: one that stood in a text before it was given out is somebody else's, from another
   * conversation perhaps, and must not come to mean this value.
   */
  #free(type: string): string {
    for (let number = (this.#counts.get(type) ?? 0) + 1; ; number++) {
      const token = `[${type}_${number}]`
      if (!this.#byValue.has(`text:${token}`)) return token
    }
  }

  #remember(entry: TokenEntry): void {
    this.#byValue.set(`${entry.kind}:${entry.value}`, entry)
    this.#byToken.set(entry.token, entry)
    const number = Number(entry.token.slice(entry.type.length + 2, -1))
    this.#counts.set(entry.type, Math.max(this.#counts.get(entry.type) ?? 0, number))
  }
}

/** What gives out tokens: a book, or a view of one. */
export type TokenNames = Pick<TokenBook, 'tokenFor'>

/** Puts tokens in the place of what was found (in order, without overlaps) and of what looks like a token. */
export function redactText(text: string, found: readonly Finding[], book: TokenNames): string {
  let out = ''
  let at = 0
  // Looked for once and for the whole text: from each finding on, a text without brackets would be read to its end.
  let open = text.indexOf('[')
  const passTo = (end: number): void => {
    for (; open >= 0 && open < end; open = text.indexOf('[', open + 1)) {
      const look = open < at ? '' : tokenAt(text, open)
      if (look === '' || open + look.length > end) continue
      out += text.slice(at, open) + book.tokenFor(literal, look)
      at = open + look.length
    }
    out += text.slice(at, end)
    at = end
  }
  for (const { start, end, type } of found) {
    passTo(start)
    out += book.tokenFor(type, text.slice(start, end))
    at = end
  }
  passTo(text.length)
  return out
}

/** What stands at a bracket and looks like a token. Nearly every bracket has something else than a capital behind it. */
function tokenAt(text: string, open: number): string {
  const next = text.charCodeAt(open + 1)
  if (!(next >= 0x41 && next <= 0x5a)) return ''
  tokenHere.lastIndex = open
  return tokenHere.exec(text)?.[0] ?? ''
}

export const protectLiterals = (text: string, book: TokenBook): string => redactText(text, [], book)

/** Puts real values in the place of tokens; a token that nobody gave out is left as it is. */
export const restoreText = (text: string, book: TokenBook): string =>
  text.includes('[') ? text.replace(tokenPattern, token => textBehind(book.entryOf(token)) ?? token) : text

/** A big number is kept as `123n`, so that it becomes one again; in a text it has no `n`. */
const textBehind = (entry: TokenEntry | undefined): string | undefined =>
  entry?.kind === 'json' ? entry.value.replace(/n$/, '') : entry?.value

export function countByType(found: Iterable<{ readonly type: string }>): CountsByType {
  const counts: CountsByType = {}
  for (const { type } of found) counts[type] = (counts[type] ?? 0) + 1
  return counts
}
