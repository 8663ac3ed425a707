// `npm test`: everything, from a fresh clone. `npm test -- --help` for parts of it.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ensureBuild,
  ensureNode24,
  ensurePackages,
  ensureSystem,
  environment,
  root,
  say,
  systemParts,
} from './ready.mjs'

const help = `npm test [-- PART…]

Runs everything, or the named parts:
  style    formatter and linter
  types    the compiler, on engine and renderer
  unit     vitest: engine and renderer
  e2e      the built application in a browser, and in Electron where its binary is here

Installs what is missing (npm packages; Debian packages when run as root on Debian) and says so.
An Electron binary is looked for in ELECTRON_OVERRIDE_DIST_PATH, then in node_modules/electron/dist.
`

const args = process.argv.slice(2)
if (args.includes('--help')) {
  process.stdout.write(help)
  process.exit(0)
}

ensurePackages()
await ensureNode24(process.argv[1], args)
if (process.platform === 'linux') {
  ensureSystem(Object.values(systemParts))
}

const folder = mkdtempSync(join(tmpdir(), 'countersign-test-'))
const total = { passed: 0, failed: [], skipped: [] }

const parts = {
  style: () => check('formatter and linter', 'biome', ['check', '.']),
  types: () =>
    Promise.all([
      check('types of the engine', 'tsc', ['-p', '.']),
      check('types of the renderer', 'tsc', ['-p', 'renderer']),
    ]),
  async unit() {
    const file = join(folder, 'vitest.json')
    await execute('vitest', ['run', '--reporter=dot', '--reporter=./scripts/vitest-reporter.mjs'], {
      COUNTERSIGN_SUMMARY: file,
    })
    add('vitest', () => JSON.parse(readFileSync(file, 'utf8')))
  },
  async e2e() {
    ensureBuild()
    const file = join(folder, 'playwright.json')
    await execute('playwright', ['test', '--reporter=line,json'], { PLAYWRIGHT_JSON_OUTPUT_NAME: file })
    add('playwright', () => fromPlaywright(JSON.parse(readFileSync(file, 'utf8'))))
  },
}

const unknown = args.filter(arg => !Object.hasOwn(parts, arg))
if (unknown.length > 0) {
  say(`there is no part ${unknown.join(', ')}\n\n${help}`)
  process.exit(2)
}
for (const [name, part] of Object.entries(parts)) {
  if (args.length > 0 && !args.includes(name)) continue
  const started = Date.now()
  process.stdout.write(`\n── ${name} ──\n`)
  await part()
  process.stdout.write(`   ${name}: ${((Date.now() - started) / 1000).toFixed(0)} s\n`)
}
rmSync(folder, { recursive: true, force: true })

process.stdout.write('\n')
for (const name of total.failed) process.stdout.write(`failed: ${name}\n`)
for (const { name, reason } of total.skipped) process.stdout.write(`skipped: ${name}: ${reason || 'no reason given'}\n`)
process.stdout.write(`${total.passed} passed, ${total.failed.length} failed, ${total.skipped.length} skipped\n`)
process.exit(total.failed.length === 0 ? 0 : 1)

function execute(command, commandArgs, extra = {}) {
  const child = spawn(join(root, 'node_modules', '.bin', command), commandArgs, {
    cwd: root,
    stdio: 'inherit',
    env: { ...environment(), ...extra },
  })
  return new Promise(resolve => {
    child.once('error', () => resolve(false))
    child.once('close', code => resolve(code === 0))
  })
}

async function check(name, command, commandArgs) {
  if (await execute(command, commandArgs)) total.passed++
  else total.failed.push(name)
}

/** A runner that died has written no summary: that is a failure, not nothing. */
function add(runner, read) {
  try {
    const { passed, failed, skipped } = read()
    total.passed += passed
    total.failed.push(...failed)
    total.skipped.push(...skipped)
    if (passed + failed.length === 0) total.failed.push(`${runner} ran no test`)
  } catch (error) {
    total.failed.push(`${runner} did not finish: ${error.message}`)
  }
}

function fromPlaywright(report) {
  const summary = { passed: 0, failed: report.errors.map(error => error.message), skipped: [] }
  const walk = (suite, above) => {
    for (const spec of suite.specs ?? []) {
      for (const test of spec.tests) {
        const name = [...above, spec.title, `(${test.projectName})`].join(' › ')
        const reason = test.annotations.find(each => each.type === 'skip')?.description
        if (test.status === 'flaky') process.stdout.write(`needed a second try: ${name}\n`)
        if (test.status === 'expected' || test.status === 'flaky') summary.passed++
        else if (test.status === 'skipped') summary.skipped.push({ name, reason })
        else summary.failed.push(name)
      }
    }
    for (const inner of suite.suites ?? []) walk(inner, [...above, inner.title])
  }
  for (const suite of report.suites) walk(suite, [suite.title])
  return summary
}
