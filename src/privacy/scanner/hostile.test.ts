import { describe, expect, it } from 'vitest'
import { bait } from '../corpus/bait.ts'
import { detectors } from '../detectors/detectors.ts'
import { Scanner } from './scanner.ts'
import { StreamScanner } from './stream.ts'

const scanner = new Scanner(detectors)

/** What it costs is measured by `bench/privacy-hostile.ts`; here only that it ends, and ends the same in a stream. */
describe('a text made to be slow', () => {
  it.each(Object.entries(bait))('is read to its end: %s', (_name, unit) => {
    const text = unit.repeat(Math.ceil(6000 / unit.length)).slice(0, 6000)
    const whole = scanner.scan(text, { whole: false })
    const stream = new StreamScanner(scanner)
    const found = [
      ...stream.push(text.slice(0, 2500)).found,
      ...stream.push(text.slice(2500)).found,
      ...stream.end().found,
    ]
    for (const { start, end } of whole) expect(start < end && start >= 0 && end <= text.length).toBe(true)
    const covered = (list: typeof whole) => list.reduce((sum, { start, end }) => sum + end - start, 0)
    // Where a value has no end of its own the cuts may fall elsewhere; as much is hidden either way.
    expect(Math.abs(covered(found) - covered(whole))).toBeLessThan(1200)
  })
})
