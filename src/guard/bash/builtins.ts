import { origin, type Value } from '../model.ts'
import { normalise } from '../paths.ts'
import { from, join, sketch, startOf, text, textOf, unknown } from '../values.ts'
import { carried } from './handing.ts'
import { after, readOptions } from './options.ts'
import { outputOf } from './outputs.ts'
import { inside, type Reading, type Standing } from './reading.ts'

type Builtin = (args: readonly Value[], standing: Standing, reading: Reading) => Value

const line = (words: readonly Value[]): Value =>
  join(words.flatMap((word, index) => (index === 0 ? [word] : [' ', word])))

const changeFolder: Builtin = (args, _, { state }) => {
  const [target] = readOptions(args).operands
  const folder = target === undefined ? '~' : textOf(target)
  // A folder that is not known is taken for one in the workspace: targets inside it are seen as relative.
  if (folder === null) state.folder = startOf(target).startsWith('/') ? normalise(startOf(target)) : '.'
  else if (folder === '-') state.folder = '.'
  else state.folder = /^[/~]/.test(folder) ? normalise(folder) : normalise(`${state.folder}/${folder}`)
  return text('')
}

/** `export`, `declare` and the like: assignments were made while the words were read. */
const declare: Builtin = (args, standing, reading) => {
  for (const arg of args) {
    const found = /^([A-Za-z_]\w*)=/.exec(startOf(arg))
    if (found?.[1]) carried(found[1], after(arg, found[0].length), standing, reading)
  }
  return text('')
}

const source: Builtin = (args, standing, reading) => {
  const [file, ...rest] = args
  if (file === undefined) return unknown
  reading.program.imports.push({ module: sketch(file) ?? '?', names: [], ...standing.at })
  const known = reading.written.get(sketch(file) ?? '')
  if (known) reading.inline(known, standing)
  if (rest.length > 0) reading.state.parameters = rest
  return unknown
}

const takesInput: Builtin = (args, { input }, { state }) => {
  const origins = (input?.origins ?? 0) | (input === undefined ? origin.input : 0)
  for (const name of readOptions(args, 'a d i n N p t u C c O').operands) {
    const known = textOf(name)
    if (known !== null) state.set(known, input?.kind === 'text' && !/\n./.test(input.text) ? input : from(origins))
  }
  return text('')
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
  mapfile: takesInput,
  readarray: takesInput,
  getopts: (args, _, { state }) => {
    const name = textOf(args[1])
    if (name !== null) state.set(name, from(origin.input))
    return text('')
  },
  unset: (args, _, { state }) => {
    for (const arg of args) state.unset(startOf(arg))
    return text('')
  },
  set: (args, _, { state }) => {
    const at = args.findIndex(arg => startOf(arg) === '--')
    if (at !== -1) state.parameters = args.slice(at + 1)
    return text('')
  },
  shift: (args, _, { state }) => {
    state.parameters = state.parameters?.slice(Number(textOf(args[0]) ?? 1)) ?? null
    return text('')
  },
  eval: (args, standing, reading) => reading.inline(line(args), inside(standing), true),
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
  printf: (args, standing, { state }) => {
    const name = startOf(args[0]) === '-v' ? textOf(args[1]) : null
    if (name === null) return outputOf('printf', args, standing.input)
    state.set(name, outputOf('printf', args.slice(2), standing.input))
    return text('')
  },
}
