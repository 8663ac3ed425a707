import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Language, languages } from '../src/contract/run.ts'
import { corpus, rates } from '../src/guard/corpus/corpus.ts'
import { prepare } from '../src/guard/front-ends.ts'
import { createGuard } from '../src/guard/guard.ts'
import { inspectProgram } from '../src/guard/inspect.ts'
import { reader } from '../src/guard/tree/reader.ts'

/**
 * How fast the guard reads: 100-line programs a second on one core, 2,000 lines, the first verdict of a new process.
 * And how often it is right about our own labelled programs.
 */

const say = (text: string): void => void process.stderr.write(`${text}\n`)

/** Programs of about `lines` lines, put together from the labelled samples of one language. */
function programs(language: Language, lines: number, count: number): string[] {
  const pieces = corpus
    .filter(sample => sample.language === language && sample.label === 'benign')
    .map(({ code }) => code.replace(/; /g, ';\n'))
  const made: string[] = []
  let next = 0
  while (pieces.length > 0 && made.length < count) {
    const text: string[] = []
    while (text.length < lines)
      text.push(
        `${language === 'javascript' ? '//' : '#'} step ${next}`,
        ...(pieces[next++ % pieces.length] ?? '').split('\n'),
        '',
      )
    made.push(text.slice(0, lines).join('\n'))
  }
  return made
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const p95 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0
const round = (value: number): number => Math.round(value * 100) / 100

function timed(code: string, language: Language): number {
  const start = process.cpuUsage()
  inspectProgram(code, language)
  const used = process.cpuUsage(start)
  return (used.user + used.system) / 1000
}

await Promise.all(languages.map(prepare))
const hundred: Record<string, { median: number; p95: number; perSecond: number }> = {}
const long: Record<string, number> = {}
let total = 0
let runs = 0
for (const language of ['python', 'javascript', 'bash'] as const) {
  const short = programs(language, 100, 20)
  if (short.length === 0) continue
  say(`${language}: warming up`)
  for (let round = 0; round < 25; round++) for (const code of short) inspectProgram(code, language)
  say(`${language}: 100 lines`)
  const times: number[] = []
  const began = process.cpuUsage()
  for (let round = 0; round < 25; round++) for (const code of short) times.push(timed(code, language))
  const used = process.cpuUsage(began)
  const spent = (used.user + used.system) / 1000
  total += spent
  runs += times.length
  hundred[language] = {
    median: round(median(times)),
    p95: round(p95(times)),
    perSecond: Math.round((1000 * times.length) / spent),
  }
  say(`${language}: 2,000 lines`)
  const [large = ''] = programs(language, 2_000, 1)
  for (let warm = 0; warm < 5; warm++) inspectProgram(large, language)
  long[language] = round(median(Array.from({ length: 15 }, () => timed(large, language))))
}

say('the parser alone')
const python = await reader('python')
const parsing = programs('python', 100, 20).map(code => {
  const began = process.cpuUsage()
  python.read(code)
  const used = process.cpuUsage(began)
  return (used.user + used.system) / 1000
})

say('first verdict of a new process')
const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
const file = join(folder, 'small.py')
writeFileSync(file, "import pandas as pd\nprint(pd.read_csv('a.csv').describe())\n")
// The built program, as it is installed: `bin/countersign` in a checkout first looks whether it must be built anew.
const bin = fileURLToPath(new URL('../out/main/cli.js', import.meta.url))
const start = (argv: string[]): number[] =>
  Array.from({ length: 7 }, () => {
    const began = performance.now()
    spawnSync(process.execPath, argv)
    return performance.now() - began
  })
const startUp = start([bin, 'validate', file, '--json'])
const bare = start(['-e', '0'])
rmSync(folder, { recursive: true })

say('through the worker')
const guard = createGuard()
await guard.inspect('1', 'python')
const [one = ''] = programs('python', 100, 1)
const roundTrip: number[] = []
for (let turn = 0; turn < 200; turn++) {
  const began = performance.now()
  await guard.inspect(one, 'python')
  roundTrip.push(performance.now() - began)
}
await guard.close()

process.stdout.write(
  `${JSON.stringify({
    bench: 'guard',
    unit: 'ms of processor time',
    hundredLines: hundred,
    parsingShareOfPython: round(median(parsing) / (hundred.python?.median ?? 1)),
    perSecondOverall: Math.round((1000 * runs) / total),
    twoThousandLines: long,
    startUpMs: {
      median: round(median(startUp)),
      p95: round(p95(startUp)),
      bareNodeMedian: round(median(bare)),
      ratio: round(median(startUp) / median(bare)),
    },
    workerRoundTripMs: { median: round(median(roundTrip)), p95: round(p95(roundTrip)) },
    aboveLow: Object.fromEntries(
      rates(({ code, language }) => inspectProgram(code, language).risk !== 'low').map(
        ({ set, aboveLow, programs }) => [set, `${aboveLow} of ${programs}`],
      ),
    ),
  })}\n`,
)
