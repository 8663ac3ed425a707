import { type Call, type Embedded, origin, type Program, type Value } from '../model.ts'
import { text, thing, unknown } from '../values.ts'
import { isPython, type Magic } from './magics.ts'

/**
 * What the magics of a notebook do, and the text without them. Code in them is listed to be read in its own language;
 * what is no code becomes a call by the name of the magic (`%run`), for rules and effects to know. Offsets stay.
 */
export function withoutMagics(source: string, magics: readonly Magic[], program: Program): string {
  let readable = ''
  let at = 0
  for (const magic of magics) {
    if (magic.start < at) continue
    const end = isWhole(magic) ? magic.end : magic.lineEnd
    readable += source.slice(at, magic.start) + read(magic, source, end, program)
    at = end
  }
  return readable + source.slice(at)
}

/** A text that begins with `%%bash` is all for the shell; further down the lines below are read as Python too. */
const isWhole = (magic: Magic): boolean => magic.first && magic.sign === '%%' && !isPython(magic.name)

function read(magic: Magic, source: string, end: number, program: Program): string {
  const written = source.slice(magic.start, end)
  if (isPython(magic.name)) return asPython(magic, written, program)
  perform(magic, program)
  // Something has to stand there: a block may hold nothing but a magic.
  return `0${written.slice(1).replace(/[^\n]/g, ' ')}`
}

/** `%timeit -n 5 f(x)`: the options go, `f(x)` stays where it is. */
function asPython(magic: Magic, written: string, program: Program): string {
  const { name, sign, assigned, rest } = magic
  const options = name === 'capture' || name === 'debug' ? written.length : optionsEnd(written, sign.length)
  const code = rest === '' ? '' : written.slice(options)
  const head = written.length - code.length
  if (code.startsWith('!')) {
    shell(magic, code.slice(1), program)
    return `0${' '.repeat(written.length - 1)}`
  }
  if (code === '') return `0${' '.repeat(head - 1)}`
  return assigned ? ' '.repeat(head) + code : `0;${' '.repeat(head - 2)}${code}`
}

/** An option and the word or number that belongs to it. */
function optionsEnd(written: string, sign: number): number {
  const options =
    /[ \t]*[\w.]+(?:[ \t]+-(?:[a-zA-Z](?:[ \t]*\d+(?=[ \t]|$))|[lsTDfmr][ \t]+[\w./]+|[a-zA-Z]+|-[\w-]+))*[ \t]*/y
  options.lastIndex = sign
  return sign + (options.exec(written)?.[0].length ?? 0)
}

/** Pass over what only shows something or sets how it is shown. */
const harmless =
  /^(matplotlib|pylab|config|precision|autoreload|xmode|pdb|pprint|colors|who|whos|who_ls|whos|psearch|pinfo2?|pdoc|pdef|psource|pfile|lsmagic|magic|quickref|history|hist|doctest_mode|autocall|automagic|autoindent|page|profile|pwd|gui|dhist|dirs|bookmark|tb|unload_ext|reset|reset_selective|xdel|cls|clear|logstop|logon|logoff|logstate|store|watermark|tensorboard|html|HTML|svg|SVG|latex|markdown|wandb|nbdev_\w+|qtconsole|connect_info|killbgscripts|subplots|load_dotenv|dotenv|flow|black|code_wrap|opts|output|vega\w*|skip\w*|md)$/
/** Commands that a notebook knows by their own names. */
const commands =
  /^(pip3?|conda|mamba|micromamba|uv|ls|ll|lf|lk|lx|ldir|cat|cp|mv|rm|rmdir|mkdir|less|more|man|git|apt|apt-get|npm|brew)$/
/** Programs that are given the cell to run. */
const interpreters = /^(bash|sh|zsh|ksh|dash|perl|ruby|node|php|R|Rscript|powershell|pwsh|cmd|lua|tclsh|expect)$/

function perform(magic: Magic, program: Program): void {
  const { name, rest, body, sign } = magic
  const cell = sign === '%%'
  if (sign.startsWith('!') || name === '') shell(magic, `${rest.replace(/^!/, '')}\n${body}`, program)
  else if (/^(sx|system|sc)$/.test(name)) shell(magic, `${rest}\n${body}`, program)
  else if (/^(python[23]?|pypy3?)$/.test(name)) {
    embed(magic, 'python', body, program)
    if (rest !== '') shell(magic, `python ${rest}`, program)
  } else if (/^(javascript|js)$/i.test(name)) embed(magic, 'javascript', cell ? body : rest, program)
  else if (interpreters.test(name)) {
    shell(magic, name === 'bash' || name === 'sh' ? body : given(name, body), program)
    // `-c` and `-e` carry code of their own.
    const own = rest.replace(/--(?:bg|no-raise-error|(?:out|err|proc)[= ]\S+)/g, '').trim()
    if (own !== '' && !/^-[sex]\b/.test(own)) shell(magic, `${name} ${own}`, program)
  } else if (name === 'script') script(magic, program)
  else if (commands.test(name)) shell(magic, `${name} ${rest}`, program)
  else if (name === 'alias') shell(magic, rest.replace(/^\w+[ \t]*/, '').replace(/%[ls]/g, '"$word"'), program)
  else if (/^(load_ext|reload_ext|aload_ext)$/.test(name)) extension(magic, program)
  else if (name === 'aimport') importing(magic, program)
  else if (/^(writefile|file)$/.test(name)) {
    const path = rest.replace(/^(-a|--append)\s+/, '')
    called(magic, '%writefile', [word(path), text(body)], program)
  } else if (/^(cd|pushd)$/.test(name)) called(magic, 'os.chdir', [word(rest || '~')], program)
  else if (/^(env|set_env)$/.test(name)) environment(magic, program)
  else if (/^(run|load|loadpy|pycat|rerun|recall|macro|edit|ed)$/.test(name))
    called(magic, /^(load|pycat)/.test(name) ? '%load' : '%run', [word(firstWord(rest))], program)
  else if (/^(save|notebook|logstart)$/.test(name)) called(magic, '%writefile', [word(firstWord(rest))], program)
  else if (/^(sql|bigquery|duckdb|cql|cypher|sparksql)$/.test(name))
    called(magic, '?.execute', [text(cell ? body : rest)], program)
  else if (!harmless.test(name)) called(magic, '%unknown', [text(name), text(rest), text(body)], program)
}

const firstWord = (rest: string): string => rest.split(/\s+/).find(part => !/^-\w$/.test(part)) ?? ''

/** `{name}` and `$name` are put in by the notebook. */
function word(written: string): Value {
  const plain = written.trim().replace(/^(["'])(.*)\1$/, '$2')
  return plain === '' || /[{$]/.test(plain) ? unknown : text(plain)
}

/** The notebook works out `{…}` as Python before the shell sees it. */
function shell(magic: Magic, command: string, program: Program): void {
  for (const [, inside = ''] of command.matchAll(/\{([^{}]*\([^{}]*)\}/g)) embed(magic, 'python', inside, program)
  embed(magic, 'bash', command.replace(/\{[A-Za-z_][^{},]*\}/g, '"$value"'), program)
}

/** The cell as a here-document, so that whoever reads shell scripts knows who gets it. */
const given = (command: string, body: string): string => {
  const end = 'END_OF_THE_CELL'
  return `${command} <<'${end}'\n${body.replaceAll(end, '')}\n${end}\n`
}

/** `%%script --bg bash`: the first word that is no option is the program. */
function script(magic: Magic, program: Program): void {
  const command = magic.rest.replace(/^(--(bg|no-raise-error)|--(out|err|proc)[= ]\S+)\s+/g, '')
  if (/^\S*\bpython[\d.]*$/.test(command)) embed(magic, 'python', magic.body, program)
  else if (/^\S*\b(ba)?sh$/.test(command)) shell(magic, magic.body, program)
  else if (command !== '' && command !== 'false') shell(magic, given(command, magic.body), program)
}

/** An extension is a module, and loading it runs it. */
function extension(magic: Magic, program: Program): void {
  const module = firstWord(magic.rest)
  program.imports.push({ module, names: [], start: magic.start, end: magic.lineEnd })
  called(magic, '%load_ext', [text(module)], program)
}

/** `%aimport rates, -costs`: the first is loaded, the other never loaded anew. */
function importing({ rest, start, lineEnd: end }: Magic, program: Program): void {
  for (const module of rest.split(/[\s,]+/))
    if (/^\w/.test(module)) program.imports.push({ module, names: [], start, end })
}

function environment(magic: Magic, program: Program): void {
  const { rest, start, lineEnd: end } = magic
  // Without a name it shows every variable.
  if (rest === '') called(magic, 'print', [thing('os.environ', origin.environment)], program)
  const [, name, value = ''] = /^(\w+)(?:\s*=\s*|\s+)(.*)$/.exec(rest) ?? []
  if (name === undefined) return
  program.assignments.push({ target: `os.environ.${name}`, value: word(value), how: 'assign', start, end })
}

function embed(magic: Magic, language: Embedded['language'], code: string, program: Program): void {
  if (code.trim() === '') return
  const { sign, name, start, lineEnd: end } = magic
  program.embedded.push({ language, code, via: sign + name, start, end })
}

function called({ start, lineEnd: end }: Magic, name: string, args: readonly Value[], program: Program): void {
  const call: Call = {
    name,
    receiver: null,
    args,
    named: new Map(),
    made: false,
    handed: false,
    inLoop: false,
    settings: undefined,
    background: false,
    substitution: false,
    line: undefined,
    within: null,
    start,
    end,
  }
  program.calls.push(call)
}
