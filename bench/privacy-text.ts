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

/** Prose, code, data, logs and a little that is private, as much of it as asked for. */
export function makeText(bytes: number): string {
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
