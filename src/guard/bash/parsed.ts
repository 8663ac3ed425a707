import { type ParsedScript, parse } from 'unbash'

/** The tree of a script; null when it cannot be read. */
export function parsed(source: string): ParsedScript | null {
  try {
    return parse(source)
  } catch {
    // The parser guards its own depth; should a text get past that, it counts as unreadable.
    return null
  }
}
