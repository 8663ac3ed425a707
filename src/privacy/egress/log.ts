import type { Finding } from '../../contract/privacy.ts'
import { redactStructured } from '../tokens/structured.ts'
import { TokenBook } from '../tokens/tokens.ts'

const withheld = '{"level":50,"msg":"A log line was withheld: it could not be checked for private data."}\n'

/**
 * Cleans one line of the log. Logs are read by others and never put back, so values are masked for good (`[EMAIL]`).
 * A line that cannot be checked is not written.
 */
export function redactLogLine(line: string, find: (text: string) => readonly Finding[]): string {
  try {
    const found = find(line)
    if (found.length === 0) return line
    const parsed = parse(line)
    // A line that is not JSON is text, and what is found in it is cut out of it.
    return parsed === undefined ? mask(line, found) : `${JSON.stringify(masked(parsed, find))}\n`
  } catch {
    return withheld
  }
}

function mask(text: string, found: readonly Finding[]): string {
  let out = ''
  let at = 0
  for (const { start, end, type } of found) {
    out += `${text.slice(at, start)}[${type}]`
    at = end
  }
  return out + text.slice(at)
}

/** JSON stays JSON: replacing in the line itself could turn a number into a bare word. */
function masked(value: unknown, find: (text: string) => readonly Finding[]): unknown {
  const { value: redacted } = redactStructured(value, find, new MaskBook())
  return redacted
}

/** Gives every value of a type the same token, and forgets it. */
class MaskBook extends TokenBook {
  override tokenFor(type: string, value: string): string {
    return type === 'LITERAL' ? value : `[${type}]`
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
