import { type Found, lookAlikes } from './look-alikes.ts'

/** A piece of text as it stands, or a character that would not show itself, by name. */
export interface Piece {
  readonly text: string
  /** What stands in the text where `text` is shown; absent where both are the same. */
  readonly stands?: string
}

/**
 * Text as a reviewer must see it: nothing in it moves the cursor, colours, turns around or hides. Line breaks stay;
 * every other character that does not show itself, or shows itself as another, is named.
 */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const { at, character } of disguised(text)) {
    if (at > end) pieces.push({ text: text.slice(end, at) })
    pieces.push({ text: pictures[character] ?? nameOf(character), stands: character })
    end = at + character.length
  }
  if (end < text.length) pieces.push({ text: text.slice(end) })
  return pieces
}

export const visible = (text: string): string =>
  piecesOf(text)
    .map(piece => piece.text)
    .join('')

/** Where characters stand that are not what they seem, in order. Tabs are among them: they can push text out of sight. */
export function disguised(text: string): Found[] {
  const found = lookAlikes(text)
  for (const match of text.matchAll(hidden)) found.push({ at: match.index, character: match[0] })
  return found.sort((a, b) => a.at - b.at)
}

export const nameOf = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`

const pictures: Record<string, string> = { '\t': '⇥   ', '\r': '␍', '\x1b': '␛', '\x7f': '␡', '\0': '␀' }

/** Controls, halves and unknown characters, separators that look like spaces or breaks, and all that shows nothing. */
const hidden =
  /(?!\n)\p{Cc}|\p{Cf}|\p{Co}|\p{Cn}|\p{Cs}|(?! )\p{Zs}|\p{Zl}|\p{Zp}|\u2800|\p{Default_Ignorable_Code_Point}/gu
