// `npm test`: everything, from a fresh clone. `npm test -- --help` for parts of it.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildImage, gvisor, keptImages, startEngine, whyNoEngine, whyNoRegistry } from './container-engine.mjs'
import { machines, makeMachine, whyNoMachine } from './machine-image.mjs'
import { quickFolder } from './quick-folder.mjs'
import {
  ensureNode24,
  ensurePackages,
  ensureSystem,
  environment,
  gvisorParts,
  machineParts,
  root,
  say,
  systemParts,
  typeChecker,
} from './ready.mjs'
import { addSummary, newTotal, printTotal } from './test-summary.mjs'

const help = `npm test [-- PART… [PATH…] [--watch]]

Runs everything, or the named parts:
  style    formatter and linter
  types    the compiler, on engine and renderer
  unit     vitest: engine and renderer
  e2e      the built application in a browser
  desktop  the built application in Electron, where its binary is here
  docker   the sandbox in containers of an engine of its own (root on Debian)

and these, which take long, only when they are named:
  conformance  the client of MCP servers against every scored scenario of the protocol's own suite
  gvisor       the sandbox behind a kernel in user space, where the engine has one
  microvm      the sandbox in virtual machines (Debian)

PATH narrows unit, e2e or desktop down to a folder or file: npm test -- unit src/runs
--watch runs the unit tests again whenever a file changes: npm test -- unit src/runs --watch

Where there are two cores, scenarios, containers and the desktop run beside the other parts. Nothing is tried twice.
Installs what is missing (npm packages; Debian packages when run as root on Debian) and says so.
An Electron binary is looked for in ELECTRON_OVERRIDE_DIST_PATH, then in node_modules/electron/dist.
`

const args = process.argv.slice(2)
if (args.includes('--help')) {
  process.stdout.write(help)
  process.exit(0)
}

const usual = ['style', 'types', 'unit', 'docker', 'desktop', 'e2e']
const long = ['conformance', 'gvisor', 'microvm']
const names = [...usual, ...long]
const named = args.filter(arg => names.includes(arg))
const wanted = named.length > 0 ? named : usual
const paths = args.filter(arg => !names.includes(arg) && !arg.startsWith('-'))
const unknown = args.filter(arg => arg.startsWith('-') && arg !== '--watch')
const isWatching = args.includes('--watch')
const wrong =
  unknown.length > 0
    ? `there is no option ${unknown.join(', ')}`
    : paths.length > 0 && !(wanted.length === 1 && ['unit', 'e2e', 'desktop'].includes(wanted[0]))
      ? `'${paths.join(' ')}' is no part; a path goes with unit, e2e or desktop alone`
      : isWatching && wanted.join() !== 'unit'
        ? '--watch goes with unit alone'
        : null
if (wrong) {
  say(`${wrong}\n\n${help}`)
  process.exit(2)
}

ensurePackages()
await ensureNode24(process.argv[1], args)
if (process.platform === 'linux') {
  ensureSystem([
    ...Object.values(systemParts),
    ...(wanted.includes('gvisor') ? gvisorParts : []),
    ...(wanted.includes('microvm') ? machineParts : []),
  ])
}
if (isWatching) {
  process.exit((await execute('vitest', ['watch', ...paths], { stdio: 'inherit' })).code)
}

const folder = mkdtempSync(join(tmpdir(), 'countersign-test-'))
const quick = quickFolder()
/** Where tests have their files. */
const places = quick ? { TMPDIR: quick.folder } : {}
/** Threads and programs that tests start run from source: without this each would read and compile all of it again. */
const compiled = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'countersign-compiled') }
const total = newTotal()
let building = null
/** Of the scenarios in a browser, those that nobody has begun with. */
const shards = []
const started = Date.now()

const parts = {
  style: () => check('formatter and linter', 'biome', ['check', '.']),
  async types() {
    const engine = await check('types of the engine', typeChecker, ['-p', '.'])
    return engine + (await check('types of the renderer', typeChecker, ['-p', 'renderer']))
  },
  async unit() {
    const file = join(folder, 'vitest.json')
    const reporters = ['--reporter=dot', '--reporter=./scripts/vitest-reporter.mjs']
    const { text } = await execute('vitest', ['run', ...reporters, ...paths], {
      env: { COUNTERSIGN_SUMMARY: file, ...compiled, ...places },
    })
    addSummary(total, 'vitest', () => leftToDocker(JSON.parse(readFileSync(file, 'utf8'))))
    return text
  },
  async docker() {
    const suites = [
      'src/sandbox/contract.test.ts',
      'src/sandbox/hostile.test.ts',
      'src/sandbox/docker',
      'src/network/attack/granted.test.ts',
    ]
    const noRegistry = whyNoRegistry()
    if (noRegistry) total.skipped.push({ name: 'a registry’s base image', reason: noRegistry })
    return inEngine('docker', whyNoEngine(), async engine => {
      const text = await ofPart([...suites, '-t', 'docker'], { COUNTERSIGN_TEST_ENGINE: engine.host })
      await engine.stop()
      // Alone, since it stops and starts the engine under what runs in it.
      const engines = ['src/sandbox/docker/engines.test.ts', 'src/sandbox/docker/registry.test.ts']
      return text + (await ofPart(engines, { COUNTERSIGN_TEST_ENGINE_DATA: keptImages }))
    })
  },
  conformance: () => ofPart(['src/mcp/conformance.test.ts'], { COUNTERSIGN_TEST_CONFORMANCE: '1' }),
  async gvisor() {
    const suites = ['src/sandbox/contract.test.ts', 'src/sandbox/hostile.test.ts', 'src/sandbox/docker/gvisor.test.ts']
    const reason = whyNoEngine() ?? (gvisor().runtimes ? null : 'runsc is not installed')
    return inEngine('gvisor', reason, ({ host }) =>
      ofPart([...suites, '-t', 'gvisor'], { COUNTERSIGN_TEST_GVISOR: host }),
    )
  },
  async microvm() {
    const reason = whyNoMachine()
    if (reason) {
      total.skipped.push({ name: 'microvm', reason })
      return ''
    }
    const made = await makeMachine(execute)
    if (made.code !== 0) {
      total.failed.push('image of the machine')
      return made.text
    }
    const file = join(folder, 'microvm.json')
    const reporters = ['--reporter=dot', '--reporter=./scripts/vitest-reporter.mjs']
    const { text } = await execute(
      'vitest',
      [
        'run',
        ...reporters,
        'src/sandbox/contract.test.ts',
        'src/sandbox/hostile.test.ts',
        'src/sandbox/microvm',
        '-t',
        'microvm',
      ],
      { env: { COUNTERSIGN_SUMMARY: file, COUNTERSIGN_TEST_MACHINES: machines } },
    )
    addSummary(total, 'vitest', () => withoutSkipped(JSON.parse(readFileSync(file, 'utf8'))))
    return text
  },
  e2e: restOfBrowser,
  desktop: () => scenarios('electron'),
  'more e2e': restOfBrowser,
}

// Scenarios, containers and windows wait for most of their time: others run in what they leave free. Nothing comes before
// the unit tests, which take longest.
const apart = [['e2e'], ['unit', 'conformance', 'microvm'], ['style', 'types', 'docker', 'gvisor', 'desktop']]
const wantedApart = apart.map(lane => lane.filter(name => wanted.includes(name))).filter(lane => lane.length > 0)
const lanes = availableParallelism() > 1 ? wantedApart : [wanted]
const isSideBySide = lanes.length > 1
// Scenarios take longest: the lane that is done first helps with them, a few files at a time.
if (isSideBySide && wanted.includes('e2e') && !lanes.at(-1).includes('e2e')) {
  lanes.at(-1).push('more e2e')
  shards.push(...Array.from({ length: 6 }, (_, at) => `--shard=${at + 1}/6`))
} else shards.push(null)
if (named.length === 0)
  for (const name of long) total.skipped.push({ name, reason: `takes long; npm test -- ${name} runs it` })
await Promise.all(lanes.map(runInOrder))
rmSync(folder, { recursive: true, force: true })
quick?.remove()
printTotal(total, (Date.now() - started) / 1000)
process.exit(total.failed.length === 0 ? 0 : 1)

/** Does something with an engine of its own that has the image of the sandbox; where there can be none, says why. */
async function inEngine(name, reason, work) {
  const engine = reason ? null : await startEngine({ data: keptImages, settings: gvisor() })
  if (!engine) {
    total.skipped.push({ name, reason: reason ?? 'the engine did not start' })
    return ''
  }
  try {
    const [program, programArgs] = buildImage
    const image = await execute(program, programArgs, {
      env: { DOCKER_HOST: engine.host, COUNTERSIGN_HOME: join(folder, 'image') },
    })
    if (image.code === 0) return await work(engine)
    total.failed.push('image of the sandbox')
    return image.text
  } finally {
    await engine.stop()
  }
}

/** Runs files of tests that only their own part has. */
async function ofPart(suites, env) {
  const file = join(folder, `part-${suites.length}.json`)
  const reporters = ['--reporter=dot', '--reporter=./scripts/vitest-reporter.mjs']
  const { text } = await execute('vitest', ['run', ...reporters, ...suites], {
    env: { COUNTERSIGN_SUMMARY: file, ...compiled, ...env },
  })
  addSummary(total, 'vitest', () => withoutSkipped(JSON.parse(readFileSync(file, 'utf8'))))
  return text
}

async function restOfBrowser() {
  const texts = []
  while (shards.length > 0) texts.push(await scenarios('browser', shards.shift()))
  return texts.join('\n')
}

/** Runs the scenarios behind one door, or a shard of them, each with files of its own. */
async function scenarios(door, shard = null) {
  const build = await builtOnce()
  if (build.code !== 0) {
    total.failed.push('build')
    return build.text
  }
  const name = shard ? `${door}-${shard.replace(/\D+/g, '')}` : door
  const file = join(folder, `${name}.json`)
  const options = [
    `--project=${door}`,
    ...(shard ? [shard] : []),
    `--output=e2e/results/${name}`,
    '--reporter=line,json',
  ]
  const { text } = await execute('playwright', ['test', ...options, ...paths], {
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: file, ...places },
  })
  addSummary(total, `playwright (${door})`, () => fromPlaywright(JSON.parse(readFileSync(file, 'utf8'))))
  return text
}

/** In a process of its own, since it would stop this one and with it the parts that run beside; for two doors once. */
function builtOnce() {
  building ??= execute('node', ['-e', "import('./scripts/ready.mjs').then(ready => ready.ensureBuild())"])
  return building
}

/** Tests in containers run in their own parts, which say themselves when they cannot. */
function leftToDocker(summary) {
  if (!wanted.includes('docker')) return summary
  return { ...summary, skipped: summary.skipped.filter(({ name }) => !/ in (a )?docker|the real gvisor/.test(name)) }
}

/** What this part leaves to another is not skipped. */
function withoutSkipped(summary) {
  return { ...summary, skipped: [] }
}

async function runInOrder(lane) {
  for (const name of lane) {
    const from = Date.now()
    if (isSideBySide) process.stdout.write(`── ${name} begins\n`)
    else process.stdout.write(`\n── ${name} ──\n`)
    const text = await parts[name]()
    // Two parts that write at the same time cannot be read: each is printed when it is over.
    if (isSideBySide) process.stdout.write(`\n── ${name} ──\n${text}`)
    process.stdout.write(`   ${name}: ${((Date.now() - from) / 1000).toFixed(0)} s\n`)
  }
}

/** Runs a tool of ours. Its output goes to the terminal, or is answered when other parts run beside it. */
function execute(command, commandArgs, { env = {}, stdio = isSideBySide ? 'pipe' : 'inherit' } = {}) {
  const child = spawn(join(root, 'node_modules', '.bin', command), commandArgs, {
    cwd: root,
    stdio: ['inherit', stdio, stdio],
    env: { ...environment(), ...env },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', data => (text += data))
  return new Promise(resolve => {
    child.once('error', error => resolve({ code: 1, text: `${text}${error.message}\n` }))
    child.once('close', code => resolve({ code: code ?? 1, text }))
  })
}

async function check(name, command, commandArgs) {
  const { code, text } = await execute(command, commandArgs)
  if (code === 0) total.passed++
  else total.failed.push(name)
  return text
}

function fromPlaywright(report) {
  const summary = { passed: 0, failed: report.errors.map(error => error.message), skipped: [], files: [] }
  const walk = (suite, above) => {
    let ms = 0
    for (const spec of suite.specs ?? []) {
      for (const test of spec.tests) {
        const name = [...above, spec.title, `(${test.projectName})`].join(' › ')
        const reason = test.annotations.find(each => each.type === 'skip')?.description
        ms += test.results.reduce((sum, result) => sum + result.duration, 0)
        if (test.status === 'expected') summary.passed++
        else if (test.status === 'skipped') summary.skipped.push({ name, reason })
        // Also one that passed at the second try: what fails now and then keeps good work from landing.
        else summary.failed.push(name)
      }
    }
    for (const inner of suite.suites ?? []) ms += walk(inner, [...above, inner.title])
    return ms
  }
  for (const suite of report.suites) summary.files.push({ file: `e2e/${suite.title}`, ms: walk(suite, [suite.title]) })
  return summary
}
