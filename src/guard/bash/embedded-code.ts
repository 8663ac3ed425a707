import { listOf } from '../lists.ts'
import { origin, type Value } from '../model.ts'
import {
  codeOf,
  comesFrom,
  fromSketch,
  join,
  sketch,
  spaced,
  startOf,
  text,
  textOf,
  unknown,
  wholeOf,
} from '../values.ts'
import { carryingVariables, type ExecOptions, execOptions } from './exec-options.ts'
import { type Deed, deedsOfAwk, deedsOfPrompt, deedsOfScript, deedsOfSed } from './foreign.ts'
import { type CodeLanguage, type Interpreter, interpreters, shellNames } from './interpreters.ts'
import { after, readOptions } from './options.ts'
import { moduleOf, runModule } from './python-modules.ts'
import { inside, noSettings, type Reading, type Standing } from './reading.ts'
import { made } from './recipes.ts'
import { soughtName } from './touching.ts'
import { mayRun } from './unread.ts'

/** How a command can hand code on. */
export interface Hands {
  readonly interpreter: Interpreter | undefined
  readonly exec: ExecOptions | undefined
  /** The switches of the exec. */
  readonly options: readonly (readonly [readonly string[], CodeLanguage])[]
}

/** Null for a command that cannot; asked once for each name. */
export function handsOf(name: string): Hands | null {
  const interpreter = Object.hasOwn(interpreters, name) ? interpreters[name] : undefined
  const exec = Object.hasOwn(execOptions, name) ? execOptions[name] : undefined
  if (interpreter === undefined && exec === undefined && name !== 'find') return null
  const options = Object.entries(exec?.options ?? {}).map(([option, language]) => [[option], language] as const)
  return { interpreter, exec, options }
}

/** Finds the code that a command hands on, to an interpreter or through a tool, and reads that too. */
export function handOver(
  name: string,
  hands: Hands,
  args: readonly Value[],
  standing: Standing,
  reading: Reading,
): void {
  const within: Standing = inside(standing)
  if (hands.interpreter !== undefined) interpret(name, hands.interpreter, args, within, reading)
  if (name === 'find') searched(args, within, reading)
  if (name === 'make' || name === 'gmake') made(args, standing, reading)
  if (hands.exec === undefined) return
  const code = codeIn(hands.exec, hands.options, args, standing.input)
  for (const { value, language } of code.texts) carry(name, language, value, within, reading)
  if (hands.exec.remote !== undefined) far(name, hands.exec.remote, args, within, reading)
  if (code.command.length > 0) {
    reading.emit(`carried.${name}`, code.command, within)
    reading.command(code.command, { ...within, input: undefined })
  }
}

/** `ssh host cmd`, `ssh host <<END`: what stands behind the host, or comes in without that, is a script over there. */
function far(name: string, valued: string, args: readonly Value[], standing: Standing, reading: Reading): void {
  const words = readOptions(args, valued, true).operands.slice(1)
  const code = words.length > 0 ? spaced(words) : standing.input
  if (code !== undefined) hand(name, 'bash', code, { ...standing, input: undefined }, reading)
}

function carry(name: string, language: CodeLanguage, value: Value, standing: Standing, reading: Reading): void {
  // A switch may name a script that was written a moment ago instead of holding the code itself.
  const known = reading.written.get(sketch(value) ?? '') ?? value
  if (language === 'bash') reading.emit(`carried.${name}`, [value], standing)
  hand(name, language, known, language === 'bash' ? { ...standing, input: undefined } : standing, reading)
}

/** Code in one of the languages goes to whoever reads it. */
function hand(via: string, language: CodeLanguage, code: Value, standing: Standing, reading: Reading): void {
  switch (language) {
    case 'bash':
      reading.apart(
        () => void reading.inline(code, { ...standing, settings: noSettings }, Object.hasOwn(interpreters, via)),
      )
      return
    case 'python':
    case 'javascript':
      reading.embed(language, code, via, standing)
      return
    case 'script':
      perform(deedsOfScript, via, code, standing, reading)
      return
    case 'awk':
      perform(deedsOfAwk, via, code, standing, reading)
      return
    case 'sed':
      perform(deedsOfSed, via, code, standing, reading)
      return
    case 'prompt':
      perform(deedsOfPrompt, via, code, standing, reading)
      return
  }
}

const longestOneLiner = 20_000

function perform(find: (code: string) => Deed[], via: string, code: Value, standing: Standing, reading: Reading): void {
  const source = codeOf(code, 'bash')
  if (source === null) return
  for (const { kind, target } of find(source.slice(0, longestOneLiner)).slice(0, 20)) {
    const value = target === null ? unknown : fromSketch(target, code.origins)
    reading.emit(`script.${kind}`, [value, text(via)], standing)
    if (kind === 'run' && target !== null) reading.inline(value, { ...standing, input: undefined })
  }
}

function interpret(
  name: string,
  interpreter: Interpreter,
  args: readonly Value[],
  standing: Standing,
  reading: Reading,
): void {
  const { language } = interpreter
  const started = language === 'python' ? moduleOf(args) : null
  if (started !== null) {
    runModule(started.module, started.words, standing, reading)
    return
  }
  const given = givenCode(interpreter, args)
  for (const code of given) {
    const outer = reading.state.parameters
    if (language === 'bash')
      reading.state.parameters = readOptions(args, 'o O rcfile init-file', true).operands.slice(2)
    // `emacs --script file`: what the script wrote into the file is the code.
    hand(
      name,
      language,
      (language === 'bash' ? undefined : writtenTo(sketch(code) ?? '', reading)) ?? code,
      standing,
      reading,
    )
    reading.state.parameters = outer
  }
  if (given.length > 0) return
  const { flags, operands } = readOptions(args, language === 'bash' ? 'o O rcfile init-file' : 'W X I F v f m', true)
  // `bash -s word`: the words are for the code that comes in.
  const [file] = language === 'bash' && flags.has('s') ? [] : operands
  if (interpreter.operandIsCode) {
    const [named] = switched(['-f', '--file'], args)
    const path = sketch(named) ?? ''
    // `awk -f /dev/stdin`, `sed -f` with a file that the script wrote: the code is known all the same.
    const code = named === undefined ? file : (writtenTo(path, reading) ?? (isInput(path) ? standing.input : undefined))
    if (code) hand(name, language, code, standing, reading)
    return
  }
  const known = file === undefined ? undefined : writtenTo(sketch(file) ?? '', reading)
  const { input } = standing
  const code = known ?? (file === undefined || startOf(file) === '-' || isInput(startOf(file)) ? input : undefined)
  if (code === undefined) return
  if (known === undefined ? isUnread(code) && isPlain(language, args, code) : isForeign(sketch(file) ?? '', code))
    reading.emit('unread.code', [code], standing)
  hand(
    name,
    language,
    code,
    { ...standing, input: known === undefined && language === 'bash' ? unknown : undefined },
    reading,
  )
}

/** What comes in is code, and not the data of `python3 -m json.tool`; a file passed on unchanged is a script as any. */
const isPlain = (language: CodeLanguage, args: readonly Value[], code: Value): boolean =>
  !comesFrom(code, origin.file) &&
  (language === 'bash' || args.every(arg => /^(-[a-zA-Z]?|\/dev\/stdin)$/.test(textOf(arg) ?? '')))

/** Files that stand for what comes in. */
export const isInput = (file: string): boolean => /^(\/dev\/stdin|(\/dev|\/proc\/self)\/fd\/\d+)$/.test(file)

/** What the script itself wrote into a file, with or without `./` in front. */
export const writtenTo = (file: string, { written }: Reading): Value | undefined =>
  written.get(file) ?? (file.startsWith('./') ? written.get(file.slice(2)) : undefined)

/** The script wrote into a file what somebody gave it; what a tool prints into one is a script as any. */
export const isForeign = (file: string, written: Value): boolean =>
  !isInput(file) && comesFrom(written, origin.input | origin.environment | origin.line) && isUnread(written)

/** Code that stands among the words of the command itself. */
export const givenCode = ({ language, code }: Interpreter, args: readonly Value[]): Value[] =>
  language === 'bash' ? shellCode(args) : switched(code, args)

/** Code of which no word is known: `sh -c "$1"`. Of `sh -c "ls $1"` it is known what runs. */
export const isUnread = (code: Value): boolean =>
  wholeOf(code) === null && !/[\p{L}\p{N}]/u.test((sketch(code) ?? '').replace(/\d?>+\s*(&\d|\/dev\/null)/g, ''))

/** `bash -c 'code' name args`: the code is the first operand. */
function shellCode(args: readonly Value[]): Value[] {
  const options = readOptions(args, 'o O rcfile init-file', true)
  const [code] = options.operands
  return options.flags.has('c') && code ? [code] : []
}

/** All switches in `execOptions` start like this. */
const isSwitch = (arg: Value): boolean => startOf(arg)[0] === '-'

/** Values of switches that are written in any of the ways people write them: `-e x`, `-ex`, `--eval=x`, `-pie x`. */
export function switched(names: readonly string[], args: readonly Value[]): Value[] {
  const found: Value[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? unknown
    const word = startOf(arg)
    if (word === '--') break
    // Most words are no switches.
    if (word[0] !== '-' && !names.includes(word)) continue
    for (const name of names) {
      const whole = arg.kind === 'text'
      if (whole && word === name) found.push(args[at + 1] ?? unknown)
      else if (name.startsWith('--') && word.startsWith(`${name}=`)) found.push(after(arg, name.length + 1))
      else if (name.length === 2 && name[0] === '-' && word[0] === '-' && word[1] !== '-') {
        if (
          whole &&
          word.length > 2 &&
          /^-[a-zA-Z0-9.]+$/.test(word) &&
          word.endsWith(name.slice(1)) &&
          at + 1 < args.length
        )
          found.push(args[at + 1] ?? unknown)
        else if (word.startsWith(name) && word.length > 2 && !/^-[a-zA-Z]+$/.test(word)) found.push(after(arg, 2))
      } else continue
    }
  }
  return found
}

function codeIn(
  exec: ExecOptions,
  options: Hands['options'],
  args: readonly Value[],
  input: Value | undefined,
): { texts: { value: Value; language: CodeLanguage }[]; command: readonly Value[] } {
  const texts: { value: Value; language: CodeLanguage }[] = []
  if (args.some(isSwitch))
    for (const [names, language] of options) for (const value of switched(names, args)) texts.push({ value, language })
  for (const [pattern, language] of exec.words ?? []) {
    for (const arg of args) {
      const whole = sketch(arg)
      const found = whole === null || whole.length > 4096 ? null : pattern.exec(whole)
      if (found?.[1]) texts.push({ value: fromSketch(found[1], arg.origins), language })
    }
  }
  if (exec.operand) {
    const value = readOptions(args).operands[exec.operand[0]]
    if (value) texts.push({ value, language: exec.operand[1] })
  }
  if (exec.input && input && textOf(input) !== null) texts.push({ value: input, language: exec.input })
  const { after: mark } = exec
  const at = mark === undefined ? -1 : args.findIndex(arg => mark.test(textOf(arg) ?? ''))
  // `tmux new -s name cmd`, `direnv exec folder cmd`: what the tool itself is told comes first.
  const command = at === -1 ? [] : readOptions(args.slice(at + 1), exec.valued, true).operands.slice(exec.before ?? 0)
  const [only] = command
  // `git submodule foreach 'rm -rf x'`: one word is a line for a shell.
  if (only && command.length === 1 && /\s/.test(textOf(only) ?? '')) {
    texts.push({ value: only, language: 'bash' })
    return { texts, command: [] }
  }
  // `fd -x rm`: what is found is put behind the command.
  const fed = exec.feeds && command.length > 0 && !command.some(arg => startOf(arg).includes('{'))
  return { texts, command: fed ? [...command, text('./*')] : command }
}

/** `find root … -exec cmd {} \;`: the command is run on everything below the root. */
function searched(args: readonly Value[], standing: Standing, reading: Reading): void {
  const roots = args.slice(
    0,
    Math.max(
      0,
      args.findIndex(arg => /^[-!(]/.test(startOf(arg))),
    ),
  )
  const root = roots[0] ?? (args.length > 0 && !/^[-!(]/.test(startOf(args[0])) ? args[0] : text('.'))
  const sought = soughtName(args)
  const inner = sought === null ? '/*' : `/*/${sought}`
  const below = join([root ?? text('.'), inner])
  for (let at = 0; at < args.length; at++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(startOf(args[at]))) continue
    const end = args.findIndex((arg, index) => index > at && /^(;|\+)$/.test(startOf(arg)))
    const words = args.slice(at + 1, end === -1 ? args.length : end)
    // Says of what was found no more than `find` itself could.
    if (/^(ls|stat|du)$/.test(startOf(words[0]))) continue
    reading.command(
      listOf(words, word =>
        startOf(word).includes('{}')
          ? startOf(word) === '{}'
            ? below
            : fromSketch(startOf(word).replaceAll('{}', wholeOf(below) ?? './*'))
          : word,
      ),
      { ...standing, input: undefined },
    )
  }
}

/** Variables in which the shell itself looks for code each time it prompts or traces. */
export function prompted(name: string, value: Value, standing: Standing, reading: Reading): void {
  const quiet: Standing = { ...standing, settings: noSettings, input: unknown, last: { call: null } }
  if (name === 'PROMPT_COMMAND') reading.inline(value, quiet)
  if (!/^PS[0-4]$/.test(name)) return
  const shown = codeOf(value, 'bash')
  if (shown !== null && mayRun(shown)) reading.expand(shown)
}

/** Variables such as `PAGER` name a command that another program will start. */
export function carried(name: string, value: Value, standing: Standing, reading: Reading): void {
  const exported = exportedFunction(name, value)
  if (exported !== null) {
    reading.emit('carried.function', [text(exported), value], inside(standing))
    reading.inline(join([exported, ' ', value]), { ...inside(standing), settings: noSettings })
  }
  if (!carryingVariables.has(name)) return
  reading.emit('carried.variable', [text(name), value], inside(standing))
  const code = startOf(value).startsWith('|') ? after(value, 1) : value
  const quiet: Standing = { ...standing, settings: noSettings, input: unknown, last: { call: null } }
  // An editor or a pager is fed; a shell in its place takes commands from whoever sits there.
  const first = (textOf(code) ?? '').split(/\s/, 1)[0] ?? ''
  const isShell = (shellNames as readonly string[]).includes(first.replace(/^.*\//, ''))
  reading.inline(code, isShell ? { ...quiet, input: undefined } : quiet)
}

/** A shell takes functions from its environment: `BASH_FUNC_ls%%=() { …; }`, older ones from any variable. */
const exportedFunction = (name: string, value: Value): string | null =>
  /^BASH_FUNC_(.+?)(?:%%|\(\))$/.exec(name)?.[1] ?? (/^\(\)\s*\{/.test(startOf(value)) ? name : null)
