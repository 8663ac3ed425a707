import { origin, type Value } from '../model.ts'
import { normalise } from '../paths.ts'
import { codeOf, from, list, sketch, spaced, startOf, text, textOf, unknown, wholeOf } from '../values.ts'
import { runSubscripts, workOut } from './arithmetic.ts'
import { carried, isForeign, isInput, isUnread, prompted, switched, writtenTo } from './embedded-code.ts'
import { after, readOptions, valuesOf } from './options.ts'
import { outputOf } from './outputs.ts'
import { inside, type Reading, type Standing } from './reading.ts'
import { mayRun } from './unread.ts'

export type Builtin = (args: readonly Value[], standing: Standing, reading: Reading) => Value

const changeFolder: Builtin = (args, _, { state }) => {
  const [target] = readOptions(args).operands
  const folder = target === undefined ? '~' : wholeOf(target)
  // A folder that is not known is taken for one in the workspace: rules see targets inside it as relative.
  if (folder === null) state.folder = startOf(target).startsWith('/') ? normalise(startOf(target)) : '.'
  else if (folder === '-') state.folder = '.'
  else state.folder = /^[/~]/.test(folder) ? normalise(folder) : normalise(`${state.folder}/${folder}`)
  if (folder === null || folder === '-') state.lost = state.folder === '.'
  else if (/^[/~]/.test(folder)) state.lost = false
  return text('')
}

/** `export`, `declare` and the like: assignments were made while the words were read. */
const declare: Builtin = (args, standing, reading) => {
  const counts = args.some(arg => /^-\w*i/.test(startOf(arg)))
  subscripts(args, reading)
  const refers = args.some(arg => /^-[a-zA-Z]*n/.test(startOf(arg)))
  for (const arg of args) {
    const found = /^([A-Za-z_]\w*)(=|$)/.exec(startOf(arg))
    if (!found?.[1]) continue
    if (counts) reading.state.numbers.add(found[1])
    if (found[2] === '') continue
    const value = after(arg, found[0].length)
    if (counts) workOut(value, reading)
    carried(found[1], value, standing, reading)
    if (/^P(S\d|ROMPT_)/.test(found[1])) prompted(found[1], value, standing, reading)
    const other = refers ? textOf(value) : null
    if (other !== null && other !== found[1]) reading.state.references.set(found[1], other)
  }
  return text('')
}

const source: Builtin = (args, standing, reading) => {
  const [file, ...rest] = args
  if (file === undefined) return unknown
  reading.program.imports.push({ module: sketch(file) ?? '?', names: [], ...standing.at })
  const name = sketch(file) ?? ''
  // `source /dev/stdin <<< '…'`: what comes in is run.
  const written = writtenTo(name, reading)
  const code = written ?? (isInput(name) ? standing.input : undefined)
  if (code && (written ? isForeign(name, code) : isUnread(code))) reading.emit('unread.code', [code], standing)
  if (code) reading.inline(code, written ? standing : { ...standing, input: unknown })
  // The environment of a tool sets variables of its own and no more.
  else if (!/\/bin\/activate$/.test(name)) reading.emit('unread.file', [file], standing)
  if (rest.length > 0) reading.state.parameters = rest
  return unknown
}

const takesInput: Builtin = (args, standing, reading) => {
  const { input } = standing
  const { state } = reading
  subscripts(args, reading)
  const origins = (input?.origins ?? 0) | (input === undefined ? origin.input : 0) | origin.line
  const options = readOptions(args, 'a d i n N p t u C c O')
  const named = [...valuesOf(options, 'a'), ...options.operands]
  // Without a name the line goes into `REPLY`.
  for (const name of named.length === 0 ? [text('REPLY')] : named) {
    const known = textOf(name)
    if (known !== null) state.set(known, input?.kind === 'text' && !/\n./.test(input.text) ? input : from(origins))
  }
  return text('')
}

/** `mapfile -C cmd`, `complete -C cmd`: the shell runs the command by itself, sooner or later. */
const runsLater =
  (...switches: readonly string[]): Builtin =>
  (args, standing, reading) => {
    for (const code of switched(switches, args)) reading.inline(code, inside(standing))
    return text('')
  }

/** `mapfile -t lines`: each line of the input is an item. */
const takesLines: Builtin = (args, standing, reading) => {
  runsLater('-C')(args, standing, reading)
  takesInput(args, standing, reading)
  const name = textOf(readOptions(args, 'd n O s u C c').operands[0])
  const { input } = standing
  if (name !== null) reading.state.set(name, from((input?.origins ?? origin.input) | origin.line))
  if (name !== null && input?.kind === 'text' && input.text.length < 4_096)
    reading.state.set(
      name,
      list(
        input.text
          .trimEnd()
          .split('\n')
          .map(line => text(line, input.origins)),
      ),
    )
  return text('')
}

/** `read 'a[$(cmd)]'`: the shell works out a subscript, also one in quotes, and runs what is in it. */
function subscripts(args: readonly Value[], reading: Reading): void {
  for (const arg of args) runSubscripts(arg, reading)
}

/** `[ -v 'a[$(cmd)]' ]`. */
const asksForNames: Builtin = (args, _, reading) => {
  subscripts(args, reading)
  return unknown
}

/** `let x=y` works out each of its words. */
const calculates: Builtin = (args, _, reading) => {
  for (const arg of args) workOut(arg, reading)
  return unknown
}

/** Each word of `compgen -W list` is expanded, now or when somebody presses Tab. */
const completes: Builtin = (args, standing, reading) => {
  for (const list of switched(['-W'], args)) {
    const words = codeOf(list, 'bash')
    if (words !== null && mayRun(words)) reading.expand(words)
  }
  return runsLater('-C')(args, standing, reading)
}

/** Commands of the shell itself that change what the rest of the script means. */
export const builtins: Readonly<Record<string, Builtin>> = {
  cd: changeFolder,
  pushd: changeFolder,
  popd: (_, __, { state }) => {
    state.folder = '.'
    return text('')
  },
  export: declare,
  declare,
  typeset: declare,
  local: declare,
  readonly: declare,
  read: takesInput,
  mapfile: takesLines,
  readarray: takesLines,
  complete: completes,
  compgen: completes,
  bind: (args, standing, reading) => {
    for (const arg of args) {
      const found = /^"[^"]+":\s*"?([^"]*)/.exec(startOf(arg))
      if (found?.[1]) reading.inline(text(found[1].replace(/\\n$|\\C-m$/, '')), inside(standing))
    }
    return text('')
  },
  let: calculates,
  test: asksForNames,
  '[': asksForNames,
  wait: asksForNames,
  hash: (args, _, { state }) => {
    // `hash -p /bin/rm ls`: the name means another program from here on.
    const [program] = switched(['-p'], args)
    const name = textOf(args.at(-1))
    if (program && textOf(program) !== null && name !== null) state.aliases.set(name, textOf(program) ?? '')
    return text('')
  },
  getopts: (args, _, { state }) => {
    const name = textOf(args[1])
    if (name !== null) state.set(name, from(origin.input))
    return text('')
  },
  unset: (args, _, reading) => {
    subscripts(args, reading)
    for (const arg of args) reading.state.unset(startOf(arg))
    return text('')
  },
  set: (args, _, { state }) => {
    const at = args.findIndex(arg => startOf(arg) === '--' || !/^[-+]/.test(startOf(arg)))
    if (at !== -1) state.parameters = startOf(args[at]) === '--' ? args.slice(at + 1) : args.slice(at)
    return text('')
  },
  shift: (args, _, { state }) => {
    state.parameters = state.parameters?.slice(Number(textOf(args[0]) ?? 1)) ?? null
    return text('')
  },
  eval: (args, standing, reading) => reading.inline(spaced(args), inside(standing), true),
  source,
  '.': source,
  trap: (args, standing, reading) => {
    const [code] = readOptions(args).operands
    if (code !== undefined && args.length > 1 && startOf(code) !== '-') reading.inline(code, inside(standing))
    return text('')
  },
  alias: (args, standing, reading) => {
    for (const arg of args) {
      const found = /^([^=\s]+)=/.exec(startOf(arg))
      if (!found?.[1]) continue
      const code = after(arg, found[0].length)
      const known = textOf(code)
      // What an alias says is run by whoever uses it, also outside this script.
      reading.inline(code, { ...standing, input: unknown, last: { call: null } })
      if (known !== null) reading.state.aliases.set(found[1], known)
    }
    return text('')
  },
  printf: (args, standing, reading) => {
    const { state } = reading
    if (startOf(args[0]) === '-v') subscripts(args.slice(1, 2), reading)
    const name = startOf(args[0]) === '-v' ? textOf(args[1]) : null
    if (name === null) return outputOf('printf', args, standing.input)
    state.set(name, outputOf('printf', args.slice(2), standing.input))
    return text('')
  },
}
