import type { CountsByType, EgressMode, Finding } from '../../contract/privacy.ts'
import { redactStructured } from '../tokens/structured.ts'
import { TokenBook } from '../tokens/tokens.ts'

const withheld = '{"level":50,"msg":"A log line was withheld: it could not be checked for private data."}\n'

type Find = (text: string) => readonly Finding[]

/** A line as it may be written, and what was found in it. */
export interface CleanLine {
  readonly line: string
  readonly found: readonly Finding[]
}

/**
 * Cleans one line of the log. Logs are read by others and never put back, so values are masked for good (`[EMAIL]`).
 * A line that cannot be checked is not written. JSON is walked whatever its text looks like: `{"password":"abc"}` is
 * known by the name of its field alone.
 */
export function redactLogLine(line: string, find: Find): CleanLine {
  try {
    const parsed = parse(line)
    if (parsed === undefined) {
      // A line that is not JSON is text, and what is found in it is cut out of it.
      const found = find(line)
      return { line: mask(line, found), found }
    }
    const { value, found } = redactStructured(parsed, find, new MaskBook())
    // JSON stays JSON: replacing in the line itself could turn a number into a bare word.
    return { line: found.length === 0 ? line : JSON.stringify(value) + (line.endsWith('\n') ? '\n' : ''), found }
  } catch {
    return { line: withheld, found: [] }
  }
}

/** What lines of the log are passed through, with the sum of what was found in them. */
export interface LogRedactor {
  (line: string): string
  /** What was found since the last call, by mode, for whoever keeps what left; empty when nothing was. */
  take(): LogSum[]
}

export interface LogSum {
  readonly mode: EgressMode
  readonly characters: number
  readonly found: CountsByType
}

export function createLogRedactor(mode: () => EgressMode, find: Find): LogRedactor {
  const sums = new Map<EgressMode, { mode: EgressMode; characters: number; found: CountsByType }>()
  const redact = (line: string): string => {
    const now = mode()
    if (now === 'off') return line
    const clean = redactLogLine(line, find)
    const written = now === 'enforce' ? clean.line : line
    if (clean.found.length > 0) {
      const sum = sums.get(now) ?? { mode: now, characters: 0, found: {} }
      sum.characters += written.length
      for (const { type } of clean.found) sum.found[type] = (sum.found[type] ?? 0) + 1
      sums.set(now, sum)
    }
    return written
  }
  const take = (): LogSum[] => {
    const taken = [...sums.values()]
    sums.clear()
    return taken
  }
  return Object.assign(redact, { take })
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
