// Runs a folder of notebooks here and in Jupyter and compares them cell by cell: a cell that works there must work here.
// Usage: node scripts/compare-jupyter.mjs FOLDER [--json]. Both sides run the cells in one interpreter, which
// JUPYTER_PYTHON names (default /usr/bin/python3) and which needs ipykernel; nbclient is taken from there or from the
// system (Debian: python3-ipykernel python3-nbclient). Both sides have the files that lie in the folder, but no folders
// inside it. Network and %pip are left out: a sandbox has neither. Takes minutes and is no part of `npm test`.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [folder, ...options] = process.argv.slice(2)
if (!folder) {
  process.stderr.write('Usage: node scripts/compare-jupyter.mjs FOLDER [--json]\n')
  process.exit(2)
}
const system = '/usr/bin/python3'
const python = process.env.JUPYTER_PYTHON ?? system
const has = (interpreter, module) => spawnSync(interpreter, ['-c', `import ${module}`]).status === 0
const stop = message => {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}
if (!existsSync(folder)) stop(`${folder} is not there.`)
if (!has(python, 'sys')) stop(`${python} is no Python interpreter that runs.`)
if (!has(python, 'ipykernel')) stop(`${python} has no ipykernel, so Jupyter cannot run cells in it: install it there.`)
const client = [python, system].find(each => has(each, 'nbclient'))
if (!client) stop(`Neither ${python} nor ${system} has nbclient, which runs notebooks in Jupyter: install it in one.`)

/** Jupyter by itself starts the interpreter that nbclient stands in; the cells are to run in the chosen one. */
const own = mkdtempSync(join(tmpdir(), 'compare-own-'))
process.on('exit', () => rmSync(own, { recursive: true, force: true }))
mkdirSync(join(own, 'kernels', 'compared'), { recursive: true })
const kernel = { argv: [python, '-m', 'ipykernel_launcher', '-f', '{connection_file}'], display_name: 'compared' }
writeFileSync(join(own, 'kernels', 'compared', 'kernel.json'), JSON.stringify({ ...kernel, language: 'python' }))

const countersign = (cwd, ...words) =>
  spawnSync(process.execPath, [join(root, 'bin', 'countersign'), ...words], {
    ...{ cwd, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
    env: { ...process.env, COUNTERSIGN_HOME: join(own, 'home') },
  })
/** As much time as Jupyter is given below, and memory as its kernels have: both are settings here. */
mkdirSync(join(own, 'home'), { recursive: true })
const limits = { timeoutSeconds: 120, memoryMegabytes: 4096 }
writeFileSync(join(own, 'home', 'config.json'), JSON.stringify({ sandbox: limits }))
const added = countersign(root, 'environments', 'add', python, '--name', 'compared', '--yes')
if (added.status !== 0) stop(`Countersign cannot use ${python}: ${added.stderr}`)

/** As in a sandbox: what a machine says about its arithmetic changes the last digits of a result. */
const isOfArithmetic = name => /^(OPENBLAS|OMP|MKL)_/.test(name)
const plain = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOfArithmetic(name)))

const files = readdirSync(folder, { withFileTypes: true }).flatMap(each => (each.isFile() ? [each.name] : []))

const inJupyter = `
import json, sys, nbformat
from nbclient import NotebookClient
book = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(book, timeout=120, allow_errors=True, kernel_name='compared').execute()
answer = []
for cell in book.cells:
    if cell.cell_type != 'code':
        answer.append(None)
        continue
    errors = [o.ename for o in cell.outputs if o.output_type == 'error']
    # A magic that is missing or wrongly used fails the cell too, which is only printed.
    errors += ['UsageError' for o in cell.outputs if o.output_type == 'stream' and o.text.startswith('UsageError: ')]
    shown = ''.join(o.text for o in cell.outputs if o.output_type == 'stream' and o.name == 'stdout')
    results = [o.data.get('text/plain', '') for o in cell.outputs if o.output_type in ('execute_result', 'display_data')]
    kinds = sorted({k for o in cell.outputs if 'data' in o for k in o.data})
    answer.append(dict(source=cell.source, error=errors[0] if errors else None, stdout=shown, results=results, kinds=kinds))
print('ANSWER' + json.dumps(answer))
`

/** Each side works in a copy of its own: notebooks write files. */
function withCopy(use) {
  const copy = mkdtempSync(join(tmpdir(), 'compare-'))
  try {
    for (const name of files) copyFileSync(join(folder, name), join(copy, name))
    return use(copy)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function there(name) {
  return withCopy(copy => {
    const { stdout, stderr, status } = spawnSync(client, ['-c', inJupyter, name], {
      ...{ cwd: copy, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
      env: { ...plain, OPENBLAS_NUM_THREADS: '1', JUPYTER_PATH: own },
    })
    const answer = stdout.split('\n').find(line => line.startsWith('ANSWER'))
    if (status !== 0 || !answer) throw new Error(`Jupyter did not run ${name}: ${stderr.slice(-500)}`)
    return JSON.parse(answer.slice('ANSWER'.length))
  })
}

function here(name) {
  return withCopy(copy => {
    const beside = files.flatMap(each => ['--with', each])
    const options = ['--json', '--approve', '--keep-going', '--env', 'compared', ...beside]
    const { stdout, stderr } = countersign(copy, 'run', name, ...options)
    if (stdout.startsWith('{')) return JSON.parse(stdout).cells
    const error = { name: 'not run', message: stderr.slice(-500) }
    return { notRun: { success: false, error, outputs: [] } }
  })
}

const isLeftOut = source => /^\s*[%!]pip\b|urllib|requests\.|https?:\/\//m.test(source)
/** Addresses and times differ from run to run; Jupyter gives commands a terminal, which ends lines in its own way. */
const steady = text =>
  text
    .replaceAll('\r\n', '\n')
    .replace(/0x[0-9a-f]+/g, '0x…')
    .replace(/\b\d\d:\d\d:\d\d\b/g, '…')
    .replace(/^The slowest run took .*\n/gm, '')
    .replace(/\d+(\.\d+)? ?(ns|[µμ]s|us|ms|s)\b/g, '… s')
    .replace(/[\d,]+ loops? each/g, '… loops each')

const rows = []
for (const name of files.filter(each => each.endsWith('.ipynb'))) {
  let theirs
  try {
    theirs = there(name)
  } catch (error) {
    // A notebook that ends its kernel there tells nothing about here.
    process.stderr.write(`${error.message}\n`)
    continue
  }
  const ours = here(name)
  const before = rows.length
  theirs.forEach((their, at) => {
    const { source = '' } = their ?? {}
    if (source.trim() === '' || isLeftOut(source)) return
    const our = ours.notRun ?? ours[at]
    const stdout = our.outputs.flatMap(o => (o.type === 'stream' && o.name === 'stdout' ? [o.text] : [])).join('')
    const results = our.outputs.flatMap(o => (o.data ? [String(o.data['text/plain'] ?? '')] : []))
    const same =
      steady(stdout) === steady(their.stdout) && steady(results.join('\n')) === steady(their.results.join('\n'))
    const verdict = their.error
      ? our.success
        ? 'works only here'
        : 'fails in both'
      : our.success
        ? same
          ? 'same'
          : 'works in both, other text'
        : 'FAILS ONLY HERE'
    rows.push({
      notebook: name,
      cell: at,
      verdict,
      source: source.slice(0, 120),
      ...(verdict === 'same' ? {} : { theirs: their, ours: { error: our.error, stdout, results } }),
    })
  })
  const failed = rows.slice(before).filter(row => row.verdict === 'FAILS ONLY HERE')
  process.stderr.write(`${name}: ${rows.length - before} cells, ${failed.length} fail only here\n`)
}

const counts = {}
for (const { verdict } of rows) counts[verdict] = (counts[verdict] ?? 0) + 1
if (options.includes('--json')) process.stdout.write(`${JSON.stringify({ cells: rows.length, counts, rows })}\n`)
else {
  for (const row of rows.filter(each => each.verdict !== 'same')) {
    process.stdout.write(`${row.verdict}: ${row.notebook} cell ${row.cell + 1}: ${row.source.split('\n')[0]}\n`)
    if (row.verdict === 'FAILS ONLY HERE')
      process.stdout.write(`    ${row.ours.error?.name}: ${row.ours.error?.message}\n`)
  }
  process.stdout.write(`${rows.length} cells: ${JSON.stringify(counts)}\n`)
}
process.exitCode = counts['FAILS ONLY HERE'] ? 1 : 0
