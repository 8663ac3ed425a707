/**
 * The lines of a text as the guard, editors and Python count them: a lone carriage return ends one as well. Whoever cut
 * elsewhere would show a finding beside another line than the one that it speaks of. That carriage return stays at the
 * end of its line, so that it can be shown; the empty line after the last break is none.
 */
export function linesOf(text: string): string[] {
  const lines: string[] = []
  let start = 0
  for (const { 0: end, index } of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push(text.slice(start, end === '\r' ? index + 1 : index))
    start = index + end.length
  }
  if (start < text.length || lines.length === 0) lines.push(text.slice(start))
  return lines
}
