import { tellingName } from '../../fields.ts'
import { digit, word } from '../classes.ts'
import { classAt, codeAt } from '../codes.ts'
import type { Entry } from '../compile.ts'
import { entropy, isPlaceholder } from '../plausible.ts'
import type { Scan } from '../scan.ts'
import { nameEnd } from './assigned-name.ts'
import { isQuote } from './assigned-value.ts'

const shortest = 16
const longest = 200

/** Signs that a random text may have inside it, and those before it that make it the end of something longer. */
const inside = new Uint8Array(128)
for (const sign of '-_.+=~') inside[sign.charCodeAt(0)] = 1
const partOfMore = new Uint8Array(128)
for (const sign of '-_.+~/\\#@&%*$^|') partOfMore[sign.charCodeAt(0)] = 1

/** Called at a word with letters and digits: a random text near the name of a service is a key of it. */
export function findServiceKey(scan: Scan, start: number, wordEnd: number): number {
  const detector = scan.compiled.finders.serviceKey
  if (!detector || start < scan.assignedTo || partOfMore[codeAt(start - 1) & 127]) return 0
  let end = Math.min(start + longest, Math.max(wordEnd, scan.keyRun.knownFrom(start)))
  while (end - start < longest && (classAt(end) & word || inside[codeAt(end) & 127])) end++
  scan.keyRun.goesTo(end)
  while (end > start && codeAt(end - 1) === 0x2e) end--
  // A word under way when the limit is reached is a picture or a program, not a key.
  if (end - start < shortest || end - start >= longest || codeAt(end) === 0x2f || codeAt(end) === 0x28) return 0
  const named = nameOfService(scan, detector, start, end)
  if (named === 'nowhere' || !isKey(scan.text.slice(start, end), named)) return 0
  scan.found.push({ start, end, type: detector.type, rule: detector.rule, score: detector.near })
  return end
}

/**
 * Where a service is named: near the value or before the name that it is given to. If that name means nothing
 * (`sheet_id := "…"`), the value must look like a key the more.
 */
function nameOfService(scan: Scan, detector: Entry, start: number, end: number): 'near' | 'farther' | 'nowhere' {
  if (scan.near(detector, start, end)) return 'near'
  const sign = isQuote(codeAt(start - 1)) ? start - 2 : start - 1
  if (codeAt(sign) !== 0x3d && codeAt(sign - 1) !== 0x3d) return 'nowhere'
  const nameStop = nameEnd(codeAt(sign) === 0x3d ? sign : sign - 1)
  const name = tellingName(nameStop)
  const from = name < 0 ? ~name : name
  if (from === nameStop || !scan.near(detector, from, end)) return 'nowhere'
  return name < 0 ? 'farther' : 'near'
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function isKey(plain: string, named: 'near' | 'farther'): boolean {
  if (isPlaceholder(plain)) return false
  if (named === 'farther' && !/^(?=.*\d)(?=.*[A-Z])(?=.*[a-z])[0-9A-Za-z]{24,}$/.test(plain)) return false
  if (uuid.test(plain)) return true
  // A hash has one of a few lengths as well; where a service is named and nothing says hash, it is taken for a key.
  if (/^[0-9a-f]+$|^[0-9A-F]+$/.test(plain)) return /^.{20}$|^.{32}$|^.{40}$|^.{64}$/.test(plain)
  const run = longestRun(plain)
  if (run.length < 15) return plain.length >= 40 && countOf(plain, /\d/g) >= 4 && entropy(plain) > 4.2
  // Words joined by capitals change case once in four or five letters; a random text at every second.
  if (/[a-z]/.test(run) && /[A-Z]/.test(run))
    return countOf(run, /[a-z](?=[A-Z])|[A-Za-z](?=\d)|\d(?=[A-Za-z])/g) >= run.length * 0.3
  return (
    run.length >= 20 &&
    countOf(run, /\d/g) >= 3 &&
    countOf(run, /[A-Za-z](?=\d)|\d(?=[A-Za-z])/g) >= 3 &&
    entropy(run) > 3
  )
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

function longestRun(plain: string): string {
  let best = ''
  for (const run of plain.split(/[-_.+=~]/)) if (run.length > best.length) best = run
  return best
}

/** The cheap look: whether what begins here may be long enough. */
export const mayBeServiceKey = (length: number, end: number): boolean =>
  length >= shortest || (length >= 6 && inside[codeAt(end) & 127] === 1 && (classAt(end + 1) & (word | digit)) !== 0)
