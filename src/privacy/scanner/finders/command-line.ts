import { digit, word } from '../classes.ts'
import { classAt, codeAt } from '../codes.ts'
import { isPlaceholder } from '../plausible.ts'
import type { Scan } from '../scan.ts'
import { commonWords, isTemplate } from './assigned-value.ts'

/** How far before its `-u` a command may begin; it may go on over several lines. */
const longestCommand = 400
const command =
  /(?:^|[^\w-])(?:curl|wget|https?|xh)\s[\s\S]{0,400}(?:-u|-U|--(?:proxy-)?user)[ =]{0,5}["']?([^\s:"']{0,80})["']?$/

const isQuote = (code: number | undefined): boolean => code === 0x22 || code === 0x27

/** Whether what ends at `at` stands behind `-u` or `--user`; most colons do not. */
function followsUserOption(at: number): boolean {
  let start = isQuote(codeAt(at - 1)) ? at - 1 : at
  const floor = Math.max(0, at - 80)
  while (start > floor && codeAt(start - 1) > 0x20 && codeAt(start - 1) !== 0x3d && !isQuote(codeAt(start - 1))) start--
  if (isQuote(codeAt(start - 1))) start--
  for (let gap = 0; gap < 5 && (codeAt(start - 1) === 0x20 || codeAt(start - 1) === 0x3d); gap++) start--
  const option = codeAt(start - 1)
  return (option === 0x75 && codeAt(start - 2) === 0x2d) || (option === 0x72 && codeAt(start - 2) === 0x65)
}

/** Called at `:` in what may be `curl -u name:password`. */
export function findCommandLinePassword(scan: Scan, at: number): number {
  const { text } = scan
  if (classAt(at - 1) & digit && classAt(at + 1) & digit && !(classAt(at - 2) & word)) return 0
  if (!scan.userOption || !followsUserOption(at)) return 0
  const before = command.exec(text.slice(Math.max(0, at - longestCommand), at))
  if (!before) return 0
  const start = isQuote(codeAt(at + 1)) ? at + 2 : at + 1
  let end = start
  while (end < text.length && end - at < 128 && codeAt(end) > 0x20 && !isQuote(codeAt(end))) end++
  const plain = text.slice(start, end)
  if (plain.length < 4 || plain === before[1] || isTemplate(plain) || isPlaceholder(plain) || commonWords.test(plain))
    return 0
  const detector = scan.compiled.finders.password
  if (detector) scan.found.push({ start, end, type: detector.type, rule: detector.rule, score: 0.8 })
  return end
}

const pair = /[^\s"']{1,60} {1,3}-p ?["']?([^\s"'$/:;|]{4,64})["']?(?=[\s"');]|$)/y

/** Called at a name behind `-u`: `psexec -u Administrator -p …`. A number behind `-p` is a port. */
export function findOptionPair(scan: Scan, start: number): void {
  pair.lastIndex = start
  const plain = pair.exec(scan.text)?.[1]
  const detector = scan.compiled.finders.password
  if (
    !plain ||
    !detector ||
    /^\d+$/.test(plain) ||
    isTemplate(plain) ||
    isPlaceholder(plain) ||
    commonWords.test(plain)
  )
    return
  const from = scan.text.lastIndexOf(plain, pair.lastIndex)
  scan.found.push({ start: from, end: from + plain.length, type: detector.type, rule: detector.rule, score: 0.75 })
}

const pgpass = /:\d{4,5}:[\w*-]{1,63}:[\w.@-]{1,63}:([^\s:]{4,64})(?=\s|$)/y

/** Called at the colon before a port with another behind it: `host:5432:database:user:…`, a line of `.pgpass`. */
export function findPgpass(scan: Scan, at: number): void {
  let host = at
  while (at - host < 64 && (classAt(host - 1) & word || codeAt(host - 1) === 0x2e || codeAt(host - 1) === 0x2d)) host--
  // An address of a network is full of colons; a line of this file begins with its host.
  if (host > 0 && codeAt(host - 1) !== 0x0a) return
  pgpass.lastIndex = at
  const plain = pgpass.exec(scan.text)?.[1]
  const detector = scan.compiled.finders.password
  if (!plain || !detector || isTemplate(plain) || isPlaceholder(plain) || commonWords.test(plain)) return
  scan.found.push({
    start: pgpass.lastIndex - plain.length,
    end: pgpass.lastIndex,
    type: detector.type,
    rule: detector.rule,
    score: detector.score,
  })
}
