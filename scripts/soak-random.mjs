// Runs the random tests many times, each round from another seed.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureNode24, environment, root } from './ready.mjs'

const help = `node scripts/soak-random.mjs [--rounds N] [--first SEED] [--but PART]… [PATH…]

Finds the tests that draw at random (by fast-check) and runs each of them many times, each round from another seed.
  --rounds N     how many rounds (100)
  --first SEED   the seed of the first round, the next ones follow it (by the clock)
  --but PART     leaves out files whose path has this part, such as slow ones
  PATH           only files whose path has one of these parts

Prints a line for each failure, with its seeds, and at the end one JSON line with counts. Exits with 1 when a test failed.
One seed again: COUNTERSIGN_TEST_SEED=SEED npm test -- unit FILE
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '100' },
    first: { type: 'string', default: String(Date.now() % 2 ** 30) },
    but: { type: 'string', multiple: true, default: [] },
  },
})
const [rounds, first] = [Number(values.rounds), Number(values.first)]
if (values.help || !Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(first)) {
  process.stdout.write(help)
  process.exit(values.help ? 0 : 2)
}
await ensureNode24(process.argv[1], process.argv.slice(2))

const files = ['src', 'renderer', 'electron', 'resources', 'scripts']
  .flatMap(top => readdirSync(join(root, top), { recursive: true }).map(file => join(top, file)))
  .filter(file => /\.test\.tsx?$/.test(file))
  .filter(file => /from 'fast-check'|\/seed\.testing\.ts'/.test(readFileSync(join(root, file), 'utf8')))
  .filter(file => positionals.length === 0 || positionals.some(part => file.includes(part)))
  .filter(file => !values.but.some(part => file.includes(part)))
  .sort()
if (files.length === 0) {
  process.stderr.write('no random test is in there\n')
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'countersign-soak-'))
const told = join(folder, 'told.jsonl')
writeFileSync(told, '')
const started = Date.now()
// Whoever stops it wants to know what it found so far.
process.on('SIGINT', () => {})
const code = await new Promise((resolve, reject) => {
  const child = spawn(
    join(root, 'node_modules/.bin/vitest'),
    ['run', '--reporter=dot', '--testTimeout=600000', ...files],
    {
      cwd: root,
      env: {
        ...environment(),
        COUNTERSIGN_TEST_SEED: String(first),
        COUNTERSIGN_TEST_ROUNDS: String(rounds),
        COUNTERSIGN_TEST_TOLD: told,
      },
      stdio: ['ignore', 2, 2],
    },
  )
  child.on('error', reject)
  child.on('close', resolve)
})
const tests = readFileSync(told, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map(line => JSON.parse(line))
rmSync(folder, { recursive: true })

const random = tests.filter(({ times }) => times > 0)
const failed = tests
  .filter(test => test.failed)
  .map(({ file, test, seeds, messages }) => ({ file, test, seeds, messages }))
for (const { file, test, seeds } of failed) process.stderr.write(`seed ${seeds.join(', ')}: ${file}: ${test}\n`)
process.stdout.write(
  `${JSON.stringify({
    files: new Set(random.map(({ file }) => file)).size,
    randomTests: random.length,
    timesRun: random.reduce((sum, { times }) => sum + times, 0),
    seeds: [first, first + rounds - 1],
    failed,
    seconds: Math.round((Date.now() - started) / 1000),
  })}\n`,
)
process.exit(code === 0 && failed.length === 0 ? 0 : 1)
