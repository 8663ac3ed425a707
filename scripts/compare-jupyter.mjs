// Runs a folder of notebooks here and in Jupyter and compares them cell by cell: a cell that works there must work here.
// Usage: node scripts/compare-jupyter.mjs FOLDER [--json]. Needs nbclient and ipykernel (Debian: python3-nbclient
// python3-ipykernel). Network and %pip are left out: a sandbox has neither. Takes minutes and is no part of `npm test`.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [folder, ...options] = process.argv.slice(2)
if (!folder) {
  process.stderr.write('Usage: node scripts/compare-jupyter.mjs FOLDER [--json]\n')
  process.exit(2)
}
const python = process.env.JUPYTER_PYTHON ?? '/usr/bin/python3'

const inJupyter = `
import json, sys, nbformat
from nbclient import NotebookClient
book = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(book, timeout=120, allow_errors=True, kernel_name='python3').execute()
answer = []
for cell in book.cells:
    if cell.cell_type != 'code':
        answer.append(None)
        continue
    errors = [o for o in cell.outputs if o.output_type == 'error']
    shown = ''.join(o.text for o in cell.outputs if o.output_type == 'stream' and o.name == 'stdout')
    results = [o.data.get('text/plain', '') for o in cell.outputs if o.output_type in ('execute_result', 'display_data')]
    kinds = sorted({k for o in cell.outputs if 'data' in o for k in o.data})
    answer.append(dict(error=errors[0].ename if errors else None, stdout=shown, results=results, kinds=kinds))
print('ANSWER' + json.dumps(answer))
`

/** Each side works in a copy of its own: notebooks write files. */
function withCopy(use) {
  const copy = mkdtempSync(join(tmpdir(), 'compare-'))
  try {
    cpSync(folder, copy, { recursive: true })
    return use(copy)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function there(name) {
  return withCopy(copy => {
    const { stdout, stderr, status } = spawnSync(python, ['-c', inJupyter, name], { cwd: copy, encoding: 'utf8' })
    const answer = stdout.split('\n').find(line => line.startsWith('ANSWER'))
    if (status !== 0 || !answer) throw new Error(`Jupyter did not run ${name}: ${stderr.slice(-500)}`)
    return JSON.parse(answer.slice('ANSWER'.length))
  })
}

function here(name) {
  return withCopy(copy => {
    const run = [join(root, 'bin', 'countersign'), 'run', name, '--json', '--approve', '--keep-going']
    const env = { ...process.env, COUNTERSIGN_HOME: join(copy, '.home') }
    const { stdout, stderr } = spawnSync(process.execPath, run, {
      cwd: copy,
      encoding: 'utf8',
      env,
      maxBuffer: 256 * 1024 * 1024,
    })
    try {
      return JSON.parse(stdout).cells
    } catch {
      throw new Error(`Countersign did not run ${name}: ${stderr.slice(-500)}`)
    }
  })
}

const isLeftOut = source => /^\s*[%!]pip\b|urllib|requests\.|https?:\/\//m.test(source)
/** Addresses and times differ from run to run. */
const steady = text => text.replace(/0x[0-9a-f]+/g, '0x…').replace(/\d+(\.\d+)? ?(ns|µs|us|ms|s)\b/g, '… $2')

const rows = []
for (const name of readdirSync(folder).filter(each => each.endsWith('.ipynb'))) {
  const cells = JSON.parse(readFileSync(join(folder, name), 'utf8')).cells
  let theirs
  try {
    theirs = there(name)
  } catch (error) {
    // A notebook that ends its kernel there tells nothing about here.
    process.stderr.write(`${error.message}\n`)
    continue
  }
  const ours = here(name)
  cells.forEach((cell, at) => {
    const source = [cell.source].flat().join('')
    if (cell.cell_type !== 'code' || source.trim() === '' || isLeftOut(source)) return
    const [their, our] = [theirs[at], ours[at]]
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
