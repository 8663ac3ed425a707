import type { Redaction } from './privacy.ts'

/**
 * A redaction whose values are hidden: what a window may show before somebody has given a reason to see more. Every
 * character of a value becomes a dot, so that all offsets stay as they are.
 */
export function hideValues(redaction: Redaction): Redaction {
  const { findings } = redaction
  let original = ''
  let at = 0
  for (const { start, end } of findings) {
    original += redaction.original.slice(at, start) + hidden(redaction.original.slice(start, end))
    at = end
  }
  original += redaction.original.slice(at)
  return {
    ...redaction,
    original,
    // The words around a finding may hold another one, so they are cut from the text without values.
    findings: findings.map(finding => ({
      ...finding,
      before: original.slice(finding.start - finding.before.length, finding.start),
      after: original.slice(finding.end, finding.end + finding.after.length),
    })),
  }
}

/** Dots in the shape of the value: what stands between its groups stays, since it tells a card from an address. */
export const hidden = (value: string): string => value.replace(/[^\s@.\-/]/g, '•')
