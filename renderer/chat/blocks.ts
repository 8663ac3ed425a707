const fence = /^ {0,3}(`{3,}|~{3,})/

/**
 * A text that is still being written, cut at its blank lines: what stands before the last cut does not change any more,
 * so it need not be read anew with each word. Code between fences and indented lines stay with what they belong to.
 */
export function blocksOf(text: string): string[] {
  const blocks: string[] = []
  let from = 0
  let open: string | null = null
  let isBlank = false
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const next = end < 0 ? text.length : end + 1
    const line = text.slice(at, next)
    const mark = fence.exec(line)?.[1]
    if (open === null && isBlank && at > from && isBeginning(line)) {
      blocks.push(text.slice(from, at))
      from = at
    }
    if (open === null) open = mark ?? null
    else if (mark?.startsWith(open) && line.trim() === mark) open = null
    isBlank = line.trim() === ''
    at = next
  }
  if (from < text.length) blocks.push(text.slice(from))
  return blocks
}

/**
 * Whether a line after a blank one begins something new: a further item or an indented line may go on with a list, and a
 * bare number may be about to become an item.
 */
const isBeginning = (line: string): boolean => /^\S/.test(line) && !/^(?:[-*+]|\d{1,9}[.)]?)(?:\s|$)/.test(line)
