/**
 * What a text built to be slow costs: nanoseconds a character at 20 KB and at 320 KB for each bait, and how the one
 * grows into the other. `node bench/privacy-hostile.ts`; one JSON line on standard output.
 */
import { bait } from '../src/privacy/corpus/bait.ts'
import { defaultScanner } from '../src/privacy/privacy.ts'

const scanner = defaultScanner()

function costOf(unit: string, length: number): number {
  const text = Buffer.from(unit.repeat(Math.ceil(length / unit.length)).slice(0, length), 'utf16le').toString('utf16le')
  const start = performance.now()
  scanner.scan(text)
  return ((performance.now() - start) * 1e6) / length
}

const rows = Object.entries(bait).map(([name, unit]) => {
  costOf(unit, 20_000)
  const small = Math.min(costOf(unit, 20_000), costOf(unit, 20_000))
  const large = Math.min(costOf(unit, 320_000), costOf(unit, 320_000))
  process.stderr.write(`${name}: ${small.toFixed(0)} then ${large.toFixed(0)} ns a character\n`)
  return { name, small, large, growth: large / small }
})
const slowest = rows.reduce((worst, row) => (row.large > worst.large ? row : worst))
const steepest = rows.reduce((worst, row) => (row.growth > worst.growth ? row : worst))
process.stdout.write(
  `${JSON.stringify({
    bench: 'privacy-hostile',
    baits: rows.length,
    slowest: slowest.name,
    nanosecondsPerCharacter: Math.round(slowest.large),
    steepest: steepest.name,
    growthFor16TimesTheLength: Number(steepest.growth.toFixed(2)),
  })}\n`,
)
