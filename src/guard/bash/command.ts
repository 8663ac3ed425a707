import { listOf } from '../lists.ts'
import { origin, type Value } from '../model.ts'
import { join, sketch, text, textOf, unknown, wholeOf } from '../values.ts'
import { type Builtin, builtins } from './builtins.ts'
import { carried, type Hands, handOver, handsOf, writtenTo } from './embedded-code.ts'
import { plainName } from './interpreters.ts'
import { readOptions } from './options.ts'
import { outputOf } from './outputs.ts'
import { inside, type Reading, type Standing } from './reading.ts'
import { isKnownTool } from './tools.ts'
import { peel, type Wrapper, wrappers } from './wrappers.ts'

/**
 * Reads one command: finds out what it really runs, lists that, and says what it prints. `outside`: functions and aliases
 * of the script do not count, as for what `command rm` and `env rm` run.
 */
export function runCommand(words: readonly Value[], standing: Standing, reading: Reading, outside = false): Value {
  let at = 0
  // `$unset rm x`: an empty word is no command.
  while (at < words.length && textOf(words[at]) === '') at++
  const first = words[at]
  if (first === undefined) return text('')
  const args = words.slice(at + 1)
  if (first.kind === 'choice') {
    const outputs = first.options.slice(0, 4).map(option => runCommand([...split(option), ...args], standing, reading))
    return outputs[0] ?? unknown
  }
  if (first.kind === 'list') return runCommand([...first.items, ...args], standing, reading)
  if (standing.settings.size > 0) for (const [name, value] of standing.settings) carried(name, value, standing, reading)
  const { name, path, wrapper, builtin, hands } = called(first)
  const isOwn = path === undefined && !outside
  const printed = isOwn ? reading.callFunction(name, args, standing) : null
  if (printed !== null) return printed
  const alias = isOwn ? reading.state.aliases.get(name) : undefined
  if (alias !== undefined && first.kind === 'text')
    return reading.inline(aliased(alias, args), withoutAlias(name, standing, reading))
  if (wrapper !== undefined) {
    const peeled = peel(wrapper, args, standing.input)
    reading.emit(name, args, standing, path)
    if (peeled === null) return outputOf(name, args, standing.input)
    const settings =
      peeled.settings.length === 0 ? standing.settings : new Map([...standing.settings, ...peeled.settings])
    const within: Standing = {
      ...standing,
      settings,
      input: wrapper.feeds ? (standing.input ?? unknown) : standing.input,
    }
    for (const code of peeled.code) reading.inline(code, within)
    if (peeled.opensShell) return reading.command([text('sh'), text('-i')], within)
    if (peeled.words.length > 0) return runCommand(peeled.words, within, reading, wrapper.inShell !== true)
    return outputOf(name, args, standing.input)
  }
  const written = path === undefined ? undefined : writtenTo(path, reading)
  // What a command that is not known comes from is all that can be said of it.
  if (name === '?' || (first.origins & origin.decoded) !== 0) reading.emit('unknown.name', [first], inside(standing))
  reading.emit(name, args, standing, path)
  handOnWritten(name, args, standing, reading)
  if (builtin !== undefined) return builtin(args, standing, reading)
  // A script that this script wrote itself a moment ago.
  if (written !== undefined) reading.inline(written, standing)
  if (hands !== null) handOver(name, hands, args, standing, reading)
  return outputOf(name, args, standing.input)
}

/** What the script wrote stays known in a file that it goes to: `… | tee x.sh`, `cp x y`. */
function handOnWritten(name: string, args: readonly Value[], { input }: Standing, reading: Reading): void {
  if (name !== 'tee' && name !== 'cp' && name !== 'mv') return
  const { operands } = readOptions(args)
  const files = listOf(operands, file => sketch(file) ?? '')
  const content = name === 'tee' ? input : writtenTo(files[0] ?? '', reading)
  if (content) for (const file of name === 'tee' ? files : files.slice(1)) reading.written.set(file, content)
}

/** `${tool:-cat file}` is two words. */
const split = (value: Value): Value[] =>
  value.kind === 'text' && /\s/.test(value.text.trim())
    ? value.text
        .trim()
        .split(/\s+/)
        .map(word => text(word, value.origins))
    : [value]

const binFolder = /^(\/usr(\/local)?)?\/(s?bin|libexec)\/([^/]+)$|^\/(?:usr\/)?lib(?:64|32)?\/(?:[\w-]+\/)?(ld[^/]*)$/

/** The name that a reader knows the command by, and how it was reached when not through the search path. */
interface Called {
  readonly name: string
  readonly path: string | undefined
  readonly wrapper: Wrapper | undefined
  readonly builtin: Builtin | undefined
  /** How it may run code that it is given. */
  readonly hands: Hands | null
}

/** Scripts run the same few commands over and over; hostile ones may not fill the memory. */
const known = new Map<string, Called>()

function called(first: Value): Called {
  const whole = wholeOf(first)
  if (whole === null) return tool(partlyKnown(first))
  const before = known.get(whole)
  if (before !== undefined) return before
  const found = reached(whole)
  if (known.size >= 1_000) known.clear()
  if (whole.length <= 200) known.set(whole, found)
  return found
}

const tool = (name: string, path?: string): Called => ({
  name,
  path,
  wrapper: Object.hasOwn(wrappers, name) ? wrappers[name] : undefined,
  builtin: Object.hasOwn(builtins, name) ? builtins[name] : undefined,
  hands: handsOf(name),
})

function reached(whole: string): Called {
  if (!whole.includes('/')) return tool(plainName(whole))
  const inFolder = binFolder.exec(whole)
  const base = inFolder?.[4] ?? inFolder?.[5]
  if (base !== undefined) return tool(plainName(base))
  // `!/bin/sh` is a line for some prompt, not a path.
  if (/^[!:\\]/.test(whole)) return tool(whole, whole)
  // `/usr/share/bug/x/script` is a script of a package, and not the tool of that name.
  if (/^\/(usr\/(share|lib)|etc|var\/lib)\//.test(whole)) return tool(whole, whole)
  const last = plainName(whole.slice(whole.lastIndexOf('/') + 1))
  return isKnownTool(last) ? tool(last, whole) : tool(whole, whole)
}

/** Of `"$dir/tool"` the tool is known; in `r$1m` and `c$@at` the unknown parts are empty more often than not. */
function partlyKnown(first: Value): string {
  const seen = sketch(first, '\u{fffc}')
  if (seen === null) return '?'
  const last = seen.slice(seen.lastIndexOf('/') + 1)
  const known = plainName(last.replaceAll('\u{fffc}', ''))
  return known !== '' && (last === known || isKnownTool(known)) ? known : '?'
}

const aliased = (alias: string, args: readonly Value[]): Value =>
  args.length === 0 ? text(alias) : join([alias, ...args.flatMap(arg => [' ', quoted(arg)])])

const quoted = (value: Value): Value => {
  const known = textOf(value)
  return known === null || /^[\w@%+=:,./*?~-]+$/.test(known)
    ? value
    : text(`'${known.replace(/'/g, "'\\''")}'`, value.origins)
}

/** An alias is not expanded again inside itself: `alias ls='ls -l'`. */
function withoutAlias(name: string, standing: Standing, reading: Reading): Standing {
  reading.state.aliases.delete(name)
  return standing
}
