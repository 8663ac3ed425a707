import type { Finding } from '../../contract/privacy.ts'

/** The same findings with offsets that count code points, as Python and PostgreSQL do, instead of UTF-16 units. */
export function inCodePoints(text: string, found: readonly Finding[]): Finding[] {
  let units = 0
  let points = 0
  const advance = (to: number): number => {
    while (units < to) {
      const pair = (text.charCodeAt(units) & 0xfc00) === 0xd800 && (text.charCodeAt(units + 1) & 0xfc00) === 0xdc00
      units += pair ? 2 : 1
      points++
    }
    return points
  }
  return found.map(finding => ({ ...finding, start: advance(finding.start), end: advance(finding.end) }))
}
