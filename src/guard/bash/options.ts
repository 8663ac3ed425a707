import type { Call, Value } from '../model.ts'
import { from, joined, sketch, startOf, text, unknown } from '../values.ts'

/** The words after a command, told apart: switches, switches with a value, and the rest. */
export interface Options {
  /** Without dashes: `r`, `recursive`. A switch that has a value is listed too. */
  readonly flags: ReadonlySet<string>
  readonly values: ReadonlyMap<string, readonly Value[]>
  readonly operands: readonly Value[]
  /** How many of the words were read before the first operand; all when there is none. */
  readonly leading: number
}

const noValues: ReadonlyMap<string, readonly Value[]> = new Map()
const setOf = new Map<string, ReadonlySet<string>>()
/** Names separated by blanks, as a set; the same few lists come again and again. */
function names(list: string): ReadonlySet<string> {
  const known = setOf.get(list)
  if (known) return known
  const made = new Set(list.split(' ').filter(Boolean))
  setOf.set(list, made)
  return made
}

/**
 * Reads switches the way getopt does. `valued` names the ones that take a value: single letters stand for `-x`, longer
 * names for `--name`. With `stopAtOperand` the first operand ends the switches, as in `sudo cmd -r`.
 */
export function readOptions(args: readonly Value[], valued = '', stopAtOperand = false): Options {
  const takes = names(valued)
  const flags = new Set<string>()
  let values: Map<string, Value[]> | null = null
  const operands: Value[] = []
  let leading = -1
  const give = (name: string, value: Value): void => {
    values ??= new Map()
    const before = values.get(name)
    if (before) before.push(value)
    else values.set(name, [value])
  }
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at] ?? unknown
    const word = startOf(arg)
    if (word.length < 2 || word[0] !== '-') {
      if (leading === -1) leading = at
      if (stopAtOperand) break
      operands.push(arg)
      continue
    }
    if (word === '--') {
      at++
      if (leading === -1) leading = at
      break
    }
    if (word[1] === '-') {
      const equals = word.indexOf('=')
      const name = equals === -1 ? word.slice(2) : word.slice(2, equals)
      flags.add(name)
      if (equals !== -1) give(name, after(arg, equals + 1))
      else if (takes.has(name)) give(name, args[++at] ?? unknown)
      continue
    }
    for (let letter = 1; letter < word.length; letter++) {
      const name = word[letter] ?? ''
      flags.add(name)
      if (!takes.has(name)) continue
      if (letter + 1 < word.length || arg.kind === 'joined') give(name, after(arg, letter + 1))
      else give(name, args[++at] ?? unknown)
      break
    }
  }
  for (let rest = at; rest < args.length; rest++) operands.push(args[rest] ?? unknown)
  return { flags, values: values ?? noValues, operands, leading: leading === -1 ? args.length : leading }
}

/** What of a word comes after its first letters. */
export function after(value: Value, length: number): Value {
  if (value.kind === 'text') return text(value.text.slice(length), value.origins)
  if (value.kind !== 'joined') return value
  const [first, ...rest] = value.parts
  if (typeof first !== 'string') return value
  if (first.length < length) return from(value.origins)
  return joined([first.slice(length), ...rest], value.origins)
}

/** All words as one line, unknown parts as a mark that no command contains: what patterns are held against. */
export function lineOf(call: Call): string {
  // Dozens of rules ask this of each command.
  if (call.line !== undefined) return call.line
  const words: string[] = []
  for (const arg of call.args) words.push((sketch(arg) ?? '\u{fffc}') || "''")
  // Joined at once and not bit by bit: a pattern would have to put the bits together first.
  const line = words.join(' ')
  call.line = line
  return line
}

export const has = (options: Options, ...wanted: readonly string[]): boolean =>
  wanted.some(name => options.flags.has(name))

export function valuesOf(options: Options, ...wanted: readonly string[]): Value[] {
  const found: Value[] = []
  for (const name of wanted) for (const value of options.values.get(name) ?? []) found.push(value)
  return found
}

/** Names in one text, so that a long list stays a short read. */
export const words = (list: string): string[] => list.split(/\s+/).filter(Boolean)
