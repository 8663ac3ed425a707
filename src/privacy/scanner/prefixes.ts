import { beginning } from './classes.ts'
import { codeAt } from './codes.ts'
import type { Prefixed } from './compile.ts'
import type { Scan } from './scan.ts'

/** The end of the longest key that begins here with a prefix; 0 when there is none. */
export function tryPrefixes(scan: Scan, start: number): number {
  const { compiled } = scan
  const slot = beginning(codeAt(start), codeAt(start + 1), codeAt(start + 2))
  return compiled.opens[slot] ? longestKey(scan, compiled.prefixes.get(slot) ?? [], start) : 0
}

function longestKey(scan: Scan, list: readonly Prefixed[], start: number): number {
  let ends = 0
  for (const { prefix, ending, last, entry, pattern } of list) {
    if (codeAt(start + prefix.length - 1) !== ending || !scan.text.startsWith(prefix, start)) continue
    pattern.lastIndex = start
    if (pattern.test(scan.text)) {
      const end = pattern.lastIndex
      if (scan.candidate(entry, last ? end - last : start, end) && end > ends) ends = end
    }
  }
  return ends
}
