import type { HereDocBody, ParsedScript } from 'unbash'
import { parseWhole } from './cut-words.ts'

/** A script as a tree; null when it cannot be parsed at all. */
export function parsed(source: string): ParsedScript | null {
  try {
    return parseWhole(source)
  } catch {
    // The parser guards its own depth; should a text get past that, it counts as unreadable.
    return null
  }
}

const mark = 'END_OF_TEXT_TO_EXPAND'

/** A text as the shell expands it in double quotes; null when it cannot be parsed. */
export function textToExpand(source: string): HereDocBody | null {
  const command = parsed(`: <<${mark}\n${source}\n${mark}\n`)?.commands[0]?.command
  const redirect = command?.type === 'Command' ? command.redirects[0] : undefined
  return redirect?.type === 'HereDoc' ? redirect.body : null
}
