import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Language } from '../src/contract/run.ts'
import { corpus, rates } from '../src/guard/corpus/corpus.ts'
import { prepare } from '../src/guard/front-ends.ts'
import { createGuard } from '../src/guard/guard.ts'
import { inspectProgram } from '../src/guard/inspect.ts'
import { parseJavaScript } from '../src/guard/javascript/parse.ts'
import { parsePython } from '../src/guard/python/parse.ts'
import { reader } from '../src/guard/tree/reader.ts'

/**
 * How fast the guard reads: programs of 100 lines a second on one core by language and mixed, 2,000 lines, how the time
 * grows with the size, what parsing takes of it, and the first verdict of a new process. Processor time, since others
 * may be at work on the machine; the start is wall time, beside that of a bare Node. And how often the guard is right
 * about our own labelled programs.
 */

const measured = ['python', 'javascript', 'bash'] as const
/** Markup in JavaScript has a figure of its own. */
const markup = /<\/|\/>/
const sizes = [25, 100, 500, 2_000, 8_000] as const
/**
 * Rounds until a process has compiled for good what it reads programs with, some thousand programs in. How fast it is
 * until then is a figure of its own: that of the command, which starts cold.
 */
const untilCompiled = 120
const say = (text: string): void => void process.stderr.write(`${text}\n`)

/** Programs of about `lines` lines, put together from whole samples of one language, benign ones and others in turn. */
function programs(language: Language, lines: number, count: number, marked = false): string[] {
  const samples = corpus.filter(
    sample => sample.language === language && (language !== 'javascript' || marked || !markup.test(sample.code)),
  )
  const benign = samples.filter(({ label }) => label === 'benign')
  const others = samples.filter(({ label }) => label !== 'benign')
  const made: string[] = []
  for (let next = 0; made.length < count; ) {
    const text: string[] = []
    while (text.length < lines) {
      // One in ten does something, as in a notebook that is not all harmless.
      const from = next % 10 === 9 ? others : benign
      const code = from[Math.floor(next / (from === others ? 10 : 1)) % from.length]?.code ?? ''
      text.push(`${language === 'javascript' ? '//' : '#'} step ${next++}`, ...separated(code, language), '')
    }
    made.push(`${text.join('\n')}\n`)
  }
  return made
}

/** Samples are written tightly; programs have one statement a line. What no longer parses so is left as it is. */
function separated(code: string, language: Language): string[] {
  if (language === 'python') return code.split('\n')
  const spread = code.replace(/; /g, ';\n')
  if (language === 'bash') return spread.split('\n')
  return `${parseJavaScript(spread) === null ? code : spread};`.split('\n')
}

const round = (value: number): number => Math.round(value * 100) / 100
const at = (values: readonly number[], share: number): number =>
  round([...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0)

function cpu(work: () => void): number {
  const began = process.cpuUsage()
  work()
  const used = process.cpuUsage(began)
  return (used.user + used.system) / 1000
}

/** Milliseconds a text, of `rounds` rounds over all texts after `warm` to warm up. */
function times(texts: readonly string[], rounds: number, work: (text: string) => void, warm = rounds): number[] {
  for (let turn = 0; turn < warm; turn++) for (const text of texts) work(text)
  return Array.from({ length: rounds }, () => texts.map(text => cpu(() => work(text)))).flat()
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

await Promise.all(measured.map(prepare))
const hundred: Record<string, object> = {}
const growth: Record<string, Record<string, number>> = {}
const means: number[] = []
for (const language of measured) {
  say(`${language}: 100 lines`)
  const inspect = (code: string) => void inspectProgram(code, language)
  const found = times(programs(language, 100, 30), 40, inspect, untilCompiled)
  means.push(mean(found))
  hundred[language] = { median: at(found, 0.5), p95: at(found, 0.95), perSecond: Math.round(1000 / mean(found)) }
  say(`${language}: growth`)
  growth[language] = {}
  for (const lines of sizes) {
    const texts = programs(language, lines, Math.max(1, Math.floor(1_000 / lines)))
    growth[language][lines] = at(times(texts, lines > 2_000 ? 6 : 12, inspect), 0.5)
  }
}

say('javascript with markup')
const withMarkup = programs('javascript', 100, 15, true)
const jsx = times(withMarkup, 40, code => void inspectProgram(code, 'javascript'), untilCompiled)
hundred.javascriptWithMarkup = { median: at(jsx, 0.5), p95: at(jsx, 0.95), perSecond: Math.round(1000 / mean(jsx)) }

say('parsing alone')
const parsing: Record<string, object> = {}
for (const [language, quick] of [
  ['python', parsePython],
  ['javascript', parseJavaScript],
] as const) {
  const grammar = await reader(language)
  // Lines for the notebook itself are taken out before Python is parsed.
  const texts = programs(language, 100, 30).map(text => text.replace(/^[!%].*$/gm, 'pass'))
  parsing[language] = {
    quick: at(times(texts, 30, quick), 0.5),
    grammar: at(
      times(texts, 30, text => grammar.read(text)),
      0.5,
    ),
    readQuickly: round(texts.filter(text => quick(text) !== null).length / texts.length),
  }
}

say('first verdict of a new process')
const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
const built = fileURLToPath(new URL('../out/main/cli.js', import.meta.url))
if (!existsSync(built)) throw new Error('Build first: npm run build.')
const small: Record<string, string> = {
  'small.py': "import pandas as pd\nprint(pd.read_csv('a.csv').describe())\n",
  'small.js': "const fs = require('fs')\nconsole.log(fs.readFileSync('a.csv', 'utf8').length)\n",
  'small.sh': 'head -n 3 a.csv\n',
}
const start = (argv: string[]): number[] =>
  Array.from({ length: 12 }, () => {
    const began = performance.now()
    spawnSync(process.execPath, argv)
    return performance.now() - began
  })
const startUp: Record<string, number> = { bareNode: at(start(['-e', '0']), 0.5) }
startUp.version = at(start([built, '--version']), 0.5)
for (const [name, code] of Object.entries(small)) {
  const file = join(folder, name)
  writeFileSync(file, code)
  startUp[`validate ${name}`] = at(start([built, 'validate', file, '--json']), 0.5)
}

say('many programs through one process')
const lines = join(folder, 'many.jsonl')
const many = measured.flatMap(language => programs(language, 100, 1_500).map(code => ({ language, code })))
writeFileSync(lines, many.map((row, id) => JSON.stringify({ id, ...row })).join('\n'))
const began = performance.now()
spawnSync(process.execPath, [built, 'validate', '--jsonl', lines], { maxBuffer: 1 << 28 })
const jsonl = { programs: many.length, perSecond: Math.round((1000 * many.length) / (performance.now() - began)) }
rmSync(folder, { recursive: true })

say('through the worker')
const opened = performance.now()
const guard = createGuard()
await guard.inspect('print(1)\n', 'python')
const guardStart = performance.now() - opened
const [one = ''] = programs('python', 100, 1)
const roundTrip: number[] = []
for (let turn = 0; turn < 300; turn++) {
  const asked = performance.now()
  await guard.inspect(one, 'python')
  if (turn >= 100) roundTrip.push(performance.now() - asked)
}
await guard.close()

process.stdout.write(
  `${JSON.stringify({
    bench: 'guard',
    unit: 'ms of processor time; startUp, worker and jsonl: wall time',
    load: round(loadavg()[0] ?? 0),
    hundredLines: hundred,
    mixedPerSecond: Math.round(1000 / mean(means)),
    twoThousandLines: Object.fromEntries(measured.map(language => [language, growth[language]?.[2_000]])),
    growthByLines: growth,
    parsingHundredLines: parsing,
    startUpMs: startUp,
    jsonl,
    workerMs: { firstVerdict: round(guardStart), median: at(roundTrip, 0.5), p95: at(roundTrip, 0.95) },
    aboveLow: Object.fromEntries(
      rates(({ code, language }) => inspectProgram(code, language).risk !== 'low').map(
        ({ set, aboveLow, programs }) => [set, `${aboveLow} of ${programs}`],
      ),
    ),
  })}\n`,
)
