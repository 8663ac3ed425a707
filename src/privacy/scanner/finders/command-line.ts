import { classAt, codeAt, digit, word } from '../classes.ts'
import { isPlaceholder } from '../plausible.ts'
import type { Scan } from '../scan.ts'
import { commonWords, isTemplate } from './assigned-value.ts'

/** How far before its `-u` a command may begin; it may go on over several lines. */
const longestCommand = 400
const command = /(?:^|[^\w-])(?:curl|wget|https?|xh)\s[\s\S]{0,400}(?:-u|--user)[ =]{0,5}["']?([^\s:"']{0,80})["']?$/

const isQuote = (code: number | undefined): boolean => code === 0x22 || code === 0x27

/** Whether what ends at `at` stands behind `-u` or `--user`; most colons do not. */
function followsUserOption(codes: Uint16Array, at: number): boolean {
  let start = isQuote(codeAt(codes, at - 1)) ? at - 1 : at
  const floor = Math.max(0, at - 80)
  while (
    start > floor &&
    codeAt(codes, start - 1) > 0x20 &&
    codeAt(codes, start - 1) !== 0x3d &&
    !isQuote(codeAt(codes, start - 1))
  )
    start--
  if (isQuote(codeAt(codes, start - 1))) start--
  for (let gap = 0; gap < 5 && (codeAt(codes, start - 1) === 0x20 || codeAt(codes, start - 1) === 0x3d); gap++) start--
  const option = codeAt(codes, start - 1)
  return (
    (option === 0x75 && codeAt(codes, start - 2) === 0x2d) || (option === 0x72 && codeAt(codes, start - 2) === 0x65)
  )
}

/** Called at `:` in what may be `curl -u name:password`. */
export function findCommandLinePassword(scan: Scan, at: number): number {
  const { text, codes } = scan
  if (classAt(codes, at - 1) & digit && classAt(codes, at + 1) & digit && !(classAt(codes, at - 2) & word)) return 0
  scan.userOption ??= text.includes('-u')
  if (!scan.userOption || !followsUserOption(codes, at)) return 0
  const before = command.exec(text.slice(Math.max(0, at - longestCommand), at))
  if (!before) return 0
  const start = isQuote(codes[at + 1]) ? at + 2 : at + 1
  let end = start
  while (end < text.length && end - at < 128 && (codes[end] ?? 0) > 0x20 && !isQuote(codes[end])) end++
  const plain = text.slice(start, end)
  if (plain.length < 4 || plain === before[1] || isTemplate(plain) || isPlaceholder(plain) || commonWords.test(plain))
    return 0
  const detector = scan.compiled.finders.password
  if (detector) scan.found.push({ start, end, type: detector.type, rule: detector.rule, score: 0.8 })
  return end
}
