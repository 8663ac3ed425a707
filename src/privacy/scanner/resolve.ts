import type { Finding } from '../../contract/privacy.ts'

/** How much surer a finding must be to win over one that contains it. */
const clearly = 0.3

/**
 * Leaves findings that do not overlap, in order. Of two that cover the same text the surer one stays, then the longer;
 * one inside another goes unless it is clearly surer. Whatever a loser covered alone stays covered: nothing that was
 * found is ever let through because something else was found beside it.
 */
export function resolve(candidates: Finding[]): Finding[] {
  if (candidates.length < 2) return candidates
  const sorted = candidates.sort((a, b) => a.start - b.start || b.end - a.end || b.score - a.score)
  const kept: Finding[] = []
  for (const next of sorted) {
    const last = kept.at(-1)
    if (!last || next.start >= last.end) kept.push(next)
    else add(kept, last, next)
  }
  return kept
}

/** `next` starts at or after `last` and overlaps it. */
function add(kept: Finding[], last: Finding, next: Finding): void {
  const same = next.start === last.start && next.end === last.end
  if (same) {
    if (next.score > last.score) kept[kept.length - 1] = next
    return
  }
  if (next.end <= last.end) {
    if (next.score < last.score + clearly) return
    kept.pop()
    if (next.start > last.start) kept.push({ ...last, end: next.start })
    kept.push(next)
    if (next.end < last.end) kept.push({ ...last, start: next.end })
    return
  }
  if (next.score > last.score) {
    kept.pop()
    if (next.start > last.start) kept.push({ ...last, end: next.start })
    kept.push(next)
  } else {
    kept.push({ ...next, start: last.end })
  }
}
