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
 * The others as their readme shows them, with all the rules they have, on a piece that they can finish. We look for more
 * and check what we find, so what they look for stands beside their speed: five patterns without a check can be half as
 * fast as all of ours.
 */
// Processor time is counted in steps of some milliseconds: what is quick gets more to do.
const long = Buffer.from(text.slice(0, 10_000_000)).toString('utf8')
const redactor = new Redactor()
const narrowed = (types: readonly string[]) => new Scanner(detectors.filter(({ type }) => types.includes(type)))
const redactBy = (own: Scanner): Speed =>
  speedOf(long.length, () => void redactText(long, own.scan(long), new TokenBook()))

/** A round of theirs and one of ours, again and again: a slow moment is slow for both. */
async function compare(types: readonly string[], length: number, redact: (text: string) => unknown) {
  const piece = long.slice(0, length)
  const rounds: { theirs: number; ours: number }[] = []
  for (let turn = 0; turn < 6; turn++) {
    const cpu = process.threadCpuUsage()
    await redact(piece)
    const spent = process.threadCpuUsage(cpu)
    rounds.push({ theirs: length / (spent.user + spent.system), ours: redactBy(scanner).cpu })
  }
  // The first round of each is for warming up.
  const [, ...warmed] = rounds
  const speed = median(warmed.map(({ theirs }) => theirs))
  const narrow = narrowed(types)
  const [, ...same] = Array.from({ length: 4 }, () => redactBy(narrow).cpu)
  return {
    looksFor: types,
    MBps: round(speed, 2),
    ourSpeedOverTheirs: round(median(warmed.map(({ ours, theirs }) => ours / theirs)), 2),
    ourSpeedForTheSameOverTheirs: round(median(same) / speed, 2),
  }
}
const others = {
  '@redactpii/node 1.0.17': await compare(['PERSON', 'EMAIL', 'PHONE', 'CREDIT_CARD', 'US_SSN'], long.length, text =>
    redactor.redact(text),
  ),
  'data-guardian 1.1.4': await compare(['PASSWORD', 'EMAIL', 'CREDIT_CARD', 'US_SSN', 'IP_ADDRESS'], 2_000_000, text =>
    maskString(text),
  ),
  '@arcjet/redact 1.12.0': await compare(['EMAIL', 'PHONE', 'CREDIT_CARD', 'IP_ADDRESS'], 200_000, text =>
    arcjet(text),
  ),
}
const ownSpeed = median(redaction.map(speed => speed.cpu))
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
