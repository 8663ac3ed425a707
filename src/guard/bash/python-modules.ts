import type { Value } from '../model.ts'
import { codeOf, spaced, startOf, text, textOf } from '../values.ts'
import { readOptions, valuesOf } from './options.ts'
import type { Reading, Standing } from './reading.ts'

/** A module that `python -m` starts and that runs, loads or unpacks what it is given. */
interface PythonModule {
  /** Switches with a value, as for `readOptions`. */
  readonly valued?: string
  /** Switches whose value is Python, and such whose value is a line for a shell. */
  readonly code?: readonly string[]
  readonly shell?: readonly string[]
  /** The word before its own switches: `coverage run`. */
  readonly verb?: string
  /** Its operands are lines of Python, or a program with its arguments that it runs as `python` itself would. */
  readonly operands?: 'code' | 'program' | 'module'
  /** It takes commands of a debugger, by its code switches and on standard input. */
  readonly debugs?: boolean
  /** What it does with its operands, as a program. */
  readonly as?: (operands: readonly string[], flags: ReadonlySet<string>, out: string | undefined) => string | null
}

const profiler: PythonModule = { valued: 'o outfile s sort m module r renderer', operands: 'program' }
const packed =
  (open: (file: string) => string): PythonModule['as'] =>
  ([file = 'x', folder = '"."'], flags) =>
    flags.has('e') || flags.has('extract') ? `${open(file)}.extractall(${folder})` : null

const modules: Readonly<Record<string, PythonModule>> = {
  timeit: { valued: 'n number r repeat s setup u unit', code: ['s', 'setup'], operands: 'code' },
  pdb: { valued: 'c command m', code: ['c', 'command'], debugs: true, operands: 'program' },
  idlelib: { valued: 'c r t', code: ['c'], operands: 'program' },
  IPython: { valued: 'c m', code: ['c'], operands: 'program' },
  cProfile: profiler,
  profile: profiler,
  pyinstrument: { ...profiler, valued: `${profiler.valued} c`, code: ['c'] },
  viztracer: profiler,
  scalene: { ...profiler, valued: '' },
  memory_profiler: { ...profiler, valued: 'o' },
  line_profiler: profiler,
  kernprof: profiler,
  trace: { valued: 'f file C coverdir ignore-module ignore-dir module', operands: 'program' },
  coverage: { verb: 'run', valued: 'source omit include rcfile data-file context concurrency m', operands: 'program' },
  debugpy: { valued: 'listen connect m c', code: ['c'], operands: 'program' },
  doctest: { valued: 'o', operands: 'program' },
  runpy: { operands: 'module' },
  inspect: { operands: 'module' },
  pickle: { as: ([file = 'x']) => `import pickle\npickle.load(open(${file}, "rb"))` },
  sqlite3: {
    as: ([file = 'x', ...statements]) =>
      ['import sqlite3', ...statements.map(each => `sqlite3.connect(${file}).execute(${each})`)].join('\n'),
  },
  webbrowser: { as: ([page = 'x']) => `import webbrowser\nwebbrowser.open(${page})` },
  ftplib: { as: ([host = 'x']) => `import ftplib\nftplib.FTP(${host})` },
  telnetlib: { as: ([host = 'x']) => `import telnetlib\ntelnetlib.Telnet(${host})` },
  // Its way to a server may be a command.
  imaplib: { valued: 'd s', shell: ['s'] },
  zipapp: {
    valued: 'o output p python m main',
    as: ([source = 'x'], _, out) =>
      `import zipapp\nzipapp.create_archive(${source}, ${out ?? `${source.replace(/"$/, '')}.pyz"`})`,
  },
  zipfile: { as: packed(file => `import zipfile\nzipfile.ZipFile(${file})`) },
  tarfile: { as: packed(file => `import tarfile\ntarfile.open(${file})`) },
}

/** The module that `python -m NAME …` starts, and the words behind it; null where there is none that this table knows. */
export function moduleOf(args: readonly Value[]): { module: PythonModule; words: readonly Value[] } | null {
  for (let at = 0; at < args.length; at++) {
    const word = startOf(args[at])
    const found = /^-[bBdEiIOqsSuvx]*m(.*)$/.exec(word)
    if (found) {
      const name = (found[1] || textOf(args[at + 1])) ?? ''
      const known = [name, name.replace(/\..*$/, '')].find(each => Object.hasOwn(modules, each))
      const module = known === undefined ? undefined : modules[known]
      return module === undefined ? null : { module, words: args.slice(at + (found[1] ? 1 : 2)) }
    }
    if (word[0] !== '-' || word === '-' || /^-\w*c/.test(word)) return null
    if (/^-\w*[WX]$/.test(word)) at++
  }
  return null
}

/** Reads what a module is given as what it makes of it. */
export function runModule(module: PythonModule, words: readonly Value[], standing: Standing, reading: Reading): void {
  const behind = module.verb === undefined ? 0 : words.findIndex(word => textOf(word) === module.verb) + 1
  if (module.verb !== undefined && behind === 0) return
  const options = readOptions(words.slice(behind), module.valued, module.as === undefined)
  const python = (code: Value) => reading.embed('python', code, 'python -m', standing)
  const given = valuesOf(options, ...(module.code ?? []))
  if (module.debugs && standing.input !== undefined) given.push(standing.input)
  for (const code of given) python(module.debugs ? debugged(code) : code)
  for (const code of valuesOf(options, ...(module.shell ?? []))) reading.inline(code, standing)
  const { operands } = options
  const alone: Standing = { ...standing, input: undefined }
  const [named] = valuesOf(options, 'm', 'module')
  if (module.operands === 'code') for (const code of operands) python(code)
  else if (module.operands === 'module' && operands.length > 0)
    reading.command([text('python'), text('-m'), ...operands], alone)
  else if (module.operands === 'program' && named !== undefined)
    reading.command([text('python'), text('-m'), named, ...operands], alone)
  else if (module.operands === 'program' && operands.length > 0) reading.command([text('python'), ...operands], alone)
  // `zipfile -e a.zip folder`: the switch of these stands for itself, and their operands follow.
  const [out] = valuesOf(options, 'o', 'output')
  const program = module.as?.(operands.map(literal), options.flags, out && literal(out))
  if (program) python(text(program, spaced(operands).origins))
}

const literal = (value: Value): string => {
  const known = textOf(value)
  return known === null ? 'unknown' : JSON.stringify(known)
}

/** Lines for the debugger of Python: `!statement`, `p expression`, and all that is no command of its own. */
function debugged(code: Value): Value {
  const lines = (codeOf(code, 'python') ?? '').split('\n').map(line => line.trim())
  const run = lines.filter(line => !ownCommands.test(line)).map(line => line.replace(/^(!|pp?\s)\s*/, ''))
  return text(run.join('\n'), code.origins)
}

const ownCommands =
  /^(?:b|break|tbreak|c|cont|continue|n|next|s|step|l|list|ll|longlist|w|where|bt|u|up|d|down|q|quit|r|return|unt|until|a|args|h|help|j|jump|cl|clear|disable|enable|ignore|restart|exit|tty|source|display|undisplay|retval)(?:\s+[\w.:,'" ]*)?$/
