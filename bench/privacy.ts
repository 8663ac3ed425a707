/**
 * How fast private data is found: all detectors over 50 MB of prose, code and logs, cold and warm, in chunks, against
 * other redaction libraries in the same run, and the time per byte from 1 KB to 100 MB.
 * `node bench/privacy.ts [MEGABYTES]`; one JSON line on standard output.
 */
import { redact as arcjet } from '@arcjet/redact'
import { Redactor } from '@redactpii/node'
import { detectors } from '../src/privacy/detectors/detectors.ts'
import { defaultScanner, RedactionStream, redactText, StreamScanner, TokenBook } from '../src/privacy/privacy.ts'

const megabytes = Number(process.argv[2] ?? 50)
const say = (text: string) => process.stderr.write(`${text}\n`)
const round = (value: number, digits = 1) => Number(value.toFixed(digits))
const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const p95 = (values: number[]) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.ceil(values.length * 0.95) - 1)] ?? 0

/** Random and the same in every run. */
let state = 20_260_101
const random = (below: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
const hex = (length: number) => Array.from({ length }, () => random(16).toString(16)).join('')

const words =
  'the capital ratio of a bank is computed from its own funds and its risk exposure amount under the rules that apply on the reporting date while deductions are taken in full and transitional relief has ended for most items so that the figure can be compared between years without adjustment'.split(
    ' ',
  )
const sentence = (): string => {
  const text = Array.from({ length: 8 + random(14) }, () => pick(words)).join(' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}. `
}
const prose = (): string => `${Array.from({ length: 4 }, sentence).join('')}\n\n`
const code = (): string =>
  `export function ${pick(words)}${random(99)}(input: Record<string, number>): number {\n  const total = Object.values(input).reduce((sum, value) => sum + value, 0)\n  if (total > ${random(10_000)}) throw new RangeError('too ${pick(words)}: ' + total)\n  return Math.round(total * 1.${random(1000)}) / 100 // ${pick(words)} ${pick(words)}\n}\n\n`
const log = (): string =>
  `2026-0${1 + random(9)}-1${random(10)}T0${random(10)}:${10 + random(50)}:${10 + random(50)}.${100 + random(900)}Z INFO [worker-${random(8)}] ${hex(8)} ${pick(['GET', 'POST'])} /api/v1/${pick(words)}/${random(100_000)} status=${pick([200, 201, 404])} duration=${random(900)}ms bytes=${random(9_000_000)}\n`
const name = (): string => `${pick(words)}${pick(['', 'Of', 'By', 'Total', '_'])}${pick(words)}`
const json = (): string =>
  `${JSON.stringify({ id: hex(12), [name()]: random(1000), [name()]: pick(words), [name()]: [random(99), random(99)], at: `2026-01-${10 + random(20)}`, ok: true })}\n`
const python = (): string =>
  `def ${pick(words)}_${pick(words)}(self, ${name()}=None, *, ${name()}: int = ${random(64)}) -> "Result":\n    """${sentence()}"""\n    if self._${name()} is None:\n        raise ValueError(f"{self.${name()}!r} has no ${pick(words)}")\n    return self.${pick(words)}(${name()}[${random(9)}:], key=lambda item: item.${pick(words)})\n\n`
const trace = (): string =>
  `Traceback (most recent call last):\n  File "/srv/app/${pick(words)}/${name()}.py", line ${random(900)}, in ${name()}\n    raise RuntimeError("${sentence().trim()}")\n    at ${name()} (node:internal/${pick(words)}:${random(900)}:${random(80)})\n`
const personal = (): string =>
  pick([
    `Please write to ${pick(words)}.${pick(words)}@example${random(99)}.com about it.\n`,
    `Paid with 4111 1111 1111 1111 on account IE29 AIBK 9311 5212 3456 78.\n`,
    `Call +353 86 ${100 + random(900)} ${1000 + random(9000)} or (415) 555-0${100 + random(100)}.\n`,
    `Dear Ms Murphy, your PPS number 1234567T is on file.\n`,
    `client 10.${random(255)}.${random(255)}.7 used token=${hex(40)}\n`,
  ])

function makeText(bytes: number): string {
  const parts: string[] = []
  let length = 0
  while (length < Math.min(bytes, 4_000_000)) {
    const roll = random(100)
    const part = roll < 30 ? prose() : roll < 96 ? pick([code, python, json, trace, log, log, log])() : personal()
    parts.push(part)
    length += part.length
  }
  const unit = parts.join('')
  // Through a buffer, as text from a file comes: one flat string and no tree of pieces.
  return Buffer.from(unit.repeat(Math.ceil(bytes / unit.length)).slice(0, bytes)).toString('utf8')
}

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
 * round to warm up. What they look for is not what we look for, so the number of their rules stands beside their speed.
 */
const part = Buffer.from(text.slice(0, 1_000_000)).toString('utf8')
const redactor = new Redactor()
redactor.redact(part.slice(0, 100_000))
const redactpii = Array.from({ length: 3 }, () => speedOf(part.length, () => void redactor.redact(part)))
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
const compared = (speeds: readonly Speed[], rules: number) => {
  const speed = median(speeds.map(({ cpu }) => cpu))
  return { rules, MBps: round(speed, 2), timesSlower: round(ownSpeed / speed) }
}
const others = {
  '@redactpii/node 1.0.17': compared(redactpii, 5),
  '@arcjet/redact 1.12.0': compared(arcjetSpeeds, 4),
}
say(`others, by processor time: ${JSON.stringify(others)}`)

const nanosecondsPerByte: Record<string, number> = {}
for (const length of [1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]) {
  const piece = length > text.length ? makeText(length) : Buffer.from(text.slice(0, length)).toString('utf8')
  const rounds = Math.max(1, Math.floor(20_000_000 / length))
  const speeds = Array.from({ length: 3 }, () =>
    speedOf(length * rounds, () => {
      for (let turn = 0; turn < rounds; turn++) scanner.scan(piece)
    }),
  )
  nanosecondsPerByte[length] = round(1000 / median(speeds.map(speed => speed.cpu)), 2)
  say(`${length} bytes: ${nanosecondsPerByte[length]} ns a byte`)
}

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
