import { describe, expect, it } from 'vitest'
import { bait } from '../corpus/bait.ts'
import { detectors } from '../detectors/detectors.ts'
import { Scanner } from './scanner.ts'
import { StreamScanner } from './stream.ts'

const scanner = new Scanner(detectors)

/** Most characters of work for a character of text. */
const most = 250

/** How many characters are cut out or put to an expression that looks everywhere: the same on every machine, other than time. */
function workFor(text: string): number {
  const { exec, test } = RegExp.prototype
  const { slice } = String.prototype
  let count = 0
  try {
    Reflect.set(RegExp.prototype, 'test', function (this: RegExp, value: string): boolean {
      if (!this.sticky) count += value.length
      return exec.call(this, value) !== null
    })
    Reflect.set(String.prototype, 'slice', function (this: string, from?: number, to?: number): string {
      const cut = slice.call(this, from, to)
      count += cut.length
      return cut
    })
    scanner.scan(text, { whole: false })
  } finally {
    Reflect.set(RegExp.prototype, 'test', test)
    Reflect.set(String.prototype, 'slice', slice)
  }
  return count
}

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

  it.each(Object.entries(bait))('takes work that grows with its length alone: %s', (_name, unit) => {
    const text = (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
    const [once, twice] = [workFor(text(8000)), workFor(text(16_000))]
    expect(twice).toBeLessThan(once * 2.2 + 4000)
    expect(twice).toBeLessThan(16_000 * most)
  })
})
