import { tellingName } from '../../fields.ts'
import { digit, word } from '../classes.ts'
import { classAt, codeAt } from '../codes.ts'
import type { Entry } from '../compile.ts'
import { entropy, isPlaceholder } from '../plausible.ts'
import type { Scan } from '../scan.ts'
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
  let end = wordEnd
  while (end - start < longest && (classAt(end) & word || inside[codeAt(end) & 127])) end++
  while (end > start && codeAt(end - 1) === 0x2e) end--
  // A word under way when the limit is reached is a picture or a program, not a key.
  if (end - start < shortest || end - start >= longest || codeAt(end) === 0x2f || codeAt(end) === 0x28) return 0
  if (!isNamed(scan, detector, start, end) || !isKey(scan.text.slice(start, end))) return 0
  scan.found.push({ start, end, type: detector.type, rule: detector.rule, score: detector.near })
  return end
}

/** Whether a service is named near it; where it is given to `Key`, before that. */
function isNamed(scan: Scan, detector: Entry, start: number, end: number): boolean {
  if (scan.near(detector, start, end)) return true
  const sign = isQuote(codeAt(start - 1)) ? start - 2 : start - 1
  if (codeAt(sign) !== 0x3d) return false
  const name = tellingName(sign)
  return name >= 0 && name < sign && scan.near(detector, name, end)
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function isKey(plain: string): boolean {
  if (isPlaceholder(plain)) return false
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
