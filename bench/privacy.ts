/**
 * How fast private data is found: all detectors over 50 MB of prose, code and logs, cold and warm, in chunks, against
 * other redaction libraries in the same run, and the time per byte from 1 KB to 100 MB.
 * `node bench/privacy.ts [MEGABYTES]`; one JSON line on standard output.
 */
import { redact as arcjet } from '@arcjet/redact'
import { Redactor } from '@redactpii/node'
import { maskString } from 'data-guardian'
import { detectors } from '../src/privacy/detectors/detectors.ts'
import {
  defaultScanner,
  RedactionStream,
  redactText,
  Scanner,
  StreamScanner,
  TokenBook,
} from '../src/privacy/privacy.ts'
import { makeText } from './privacy-text.ts'

const megabytes = Number(process.argv[2] ?? 50)
const say = (text: string) => process.stderr.write(`${text}\n`)
const round = (value: number, digits = 1) => Number(value.toFixed(digits))
const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const p95 = (values: number[]) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.ceil(values.length * 0.95) - 1)] ?? 0

interface Speed {
  readonly wall: number
  readonly cpu: number
}
function speedOf(bytes: number, work: () => void): Speed {
  const cpu = process.threadCpuUsage()
  const start = performance.now()
  work()
  const wall = performance.now() - start
  const spent = process.threadCpuUsage(cpu)
  return { wall: bytes / 1000 / wall, cpu: bytes / (spent.user + spent.system) }
}

const size = megabytes * 1_000_000
const text = makeText(size)
say(`${megabytes} MB of text made`)

const scanner = defaultScanner()
let findings = 0
const scan = () => {
  findings = scanner.scan(text).length
}
const cold = speedOf(size, scan)
say(`cold: ${round(cold.wall)} MB/s (${round(cold.cpu)} by processor time), ${findings} findings`)
const warm = Array.from({ length: 5 }, () => speedOf(size, scan))
say(
  `warm: ${round(median(warm.map(speed => speed.wall)))} MB/s (${round(median(warm.map(speed => speed.cpu)))} by processor time)`,
)

const redaction = Array.from({ length: 3 }, () =>
  speedOf(size, () => void redactText(text, scanner.scan(text), new TokenBook())),
)
const chunked = Array.from({ length: 3 }, () =>
  speedOf(size, () => {
    const stream = new RedactionStream(new StreamScanner(scanner), new TokenBook())
    for (let at = 0; at < text.length; at += 65_536) stream.push(text.slice(at, at + 65_536))
    stream.end()
  }),
)
say(
  `redacted: ${round(median(redaction.map(speed => speed.wall)))} MB/s; in chunks: ${round(median(chunked.map(speed => speed.wall)))} MB/s`,
)

/**
 * The others as their readme shows them, with all the rules they have, on a piece that they can finish; each gets a first
 * round to warm up. We look for more and check what we find, so what they look for stands beside their speed: five
 * patterns without a check can be as fast as all of ours.
 */
const part = Buffer.from(text.slice(0, 1_000_000)).toString('utf8')
// Processor time is counted in steps of some milliseconds: what is quick gets more to do.
const long = Buffer.from(text.slice(0, 10_000_000)).toString('utf8')
const redactor = new Redactor()
redactor.redact(part.slice(0, 100_000))
const redactpii = Array.from({ length: 3 }, () => speedOf(long.length, () => void redactor.redact(long)))
maskString(part.slice(0, 100_000))
const guardian = Array.from({ length: 3 }, () => speedOf(part.length, () => void maskString(part)))
await arcjet(part.slice(0, 10_000))
const arcjetSpeeds: Speed[] = []
for (let turn = 0; turn < 3; turn++) {
  const piece = part.slice(0, 200_000)
  const cpu = process.threadCpuUsage()
  const start = performance.now()
  await arcjet(piece)
  const spent = process.threadCpuUsage(cpu)
  arcjetSpeeds.push({
    wall: piece.length / 1000 / (performance.now() - start),
    cpu: piece.length / (spent.user + spent.system),
  })
}
const ownSpeed = median(redaction.map(speed => speed.cpu))
/** What we need for the same kinds of data alone: all that the other looks for, checksums and contexts included. */
function ownSpeedFor(types: readonly string[]): number {
  const narrow = new Scanner(detectors.filter(({ type }) => types.includes(type)))
  const speeds = Array.from({ length: 4 }, () =>
    speedOf(long.length, () => void redactText(long, narrow.scan(long), new TokenBook())),
  )
  return median(speeds.slice(1).map(({ cpu }) => cpu))
}
const compared = (speeds: readonly Speed[], types: readonly string[]) => {
  const speed = median(speeds.map(({ cpu }) => cpu))
  return {
    looksFor: types,
    MBps: round(speed, 2),
    ourSpeedOverTheirs: round(ownSpeed / speed, 2),
    ourSpeedForTheSameOverTheirs: round(ownSpeedFor(types) / speed, 2),
  }
}
const others = {
  '@redactpii/node 1.0.17': compared(redactpii, ['PERSON', 'EMAIL', 'PHONE', 'CREDIT_CARD', 'US_SSN']),
  'data-guardian 1.1.4': compared(guardian, ['PASSWORD', 'EMAIL', 'CREDIT_CARD', 'US_SSN', 'IP_ADDRESS']),
  '@arcjet/redact 1.12.0': compared(arcjetSpeeds, ['EMAIL', 'PHONE', 'CREDIT_CARD', 'IP_ADDRESS']),
}
say(`others, by processor time: ${JSON.stringify(others)}`)

/**
 * The sizes take turns, and the best of each counts: what else the machine does must not look like growth. Each round
 * reads another part of the text; the same part again and again would be known by heart.
 */
const flat = (part: string): string => Buffer.from(part).toString('utf8')
const sizes = [1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000].map(length => ({
  length,
  parts:
    length > text.length
      ? [makeText(length)]
      : Array.from({ length: Math.floor(Math.min(20_000_000, text.length) / length) || 1 }, (_, at) =>
          flat(text.slice(at * length, (at + 1) * length)),
        ),
}))
const nanosecondsPerByte: Record<string, number> = {}
for (let turn = 0; turn < 4; turn++) {
  for (const { length, parts } of sizes) {
    const { cpu } = speedOf(length * parts.length, () => {
      for (const part of parts) scanner.scan(part)
    })
    nanosecondsPerByte[length] = round(Math.min(nanosecondsPerByte[length] ?? Number.POSITIVE_INFINITY, 1000 / cpu), 2)
  }
}
say(`nanoseconds a byte, by length: ${JSON.stringify(nanosecondsPerByte)}`)

const times = warm.map(speed => size / 1000 / speed.wall)
const flatness = Object.values(nanosecondsPerByte)
process.stdout.write(
  `${JSON.stringify({
    bench: 'privacy',
    megabytes,
    findings,
    coldMBps: { wall: round(cold.wall), cpu: round(cold.cpu) },
    warmMBps: { wall: round(median(warm.map(speed => speed.wall))), cpu: round(median(warm.map(speed => speed.cpu))) },
    warmMs: { median: round(median(times)), p95: round(p95(times)) },
    redactMBps: round(ownSpeed),
    chunkedMBps: round(median(chunked.map(speed => speed.cpu))),
    rules: detectors.length,
    others,
    nanosecondsPerByte,
    slowestOverFastestSize: round(Math.max(...flatness) / Math.min(...flatness), 2),
  })}\n`,
)
