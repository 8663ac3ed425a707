import type { Assignment, Command, Word } from 'unbash'
import type { Span, Value } from '../model.ts'
import { from, join, list, map, sketch, startOf, text, unknown } from '../values.ts'
import { workOut } from './arithmetic.ts'
import { prompted } from './embedded-code.ts'
import { after } from './options.ts'
import { inside, noSettings, type Reading, type Standing } from './reading.ts'
import { Redirects } from './redirects.ts'
import { appended, literal, wordsOf, worthOf } from './words.ts'

const alone = { input: undefined, background: false }
const declares = /^(export|declare|typeset|local|readonly)$/

/** Reads a command with its assignments, words and redirections; says what it prints. */
export function readSimple(
  node: Command,
  given: Value | undefined,
  background: boolean,
  last: Standing['last'],
  reading: Reading,
): Value {
  const { name } = node
  let settings: Map<string, Value> | undefined
  for (const part of node.prefix) {
    if (part.type !== 'Assignment') continue
    const value = assigned(part, reading)
    if (/^P(S\d|ROMPT_)/.test(part.name))
      prompted(part.name, value, { ...alone, at: reading.at(part), settings: settings ?? noSettings, last }, reading)
    if (name === undefined) assign(part.name, value, 'assign', reading.at(part), reading)
    else {
      settings ??= new Map()
      settings.set(part.name, value)
    }
  }
  const redirected = node.redirects
  const redirects = redirected.length === 0 ? null : new Redirects(redirected, reading)
  if (name === undefined) {
    redirects?.list(null, text(''))
    // `$(<file)` is what the file says.
    return redirects?.input(undefined) ?? text('')
  }
  const words = wordsOf(name, reading)
  keepText(name, reading)
  for (const arg of node.args) {
    if (arg.type === 'Word') {
      keepText(arg, reading)
      const found = arg.parts === undefined ? [literal(arg.value, reading)] : wordsOf(arg, reading)
      words.push(...found)
      // `export "NAME=value"`, `declare "$name=value"`.
      if (declares.test(name.value)) for (const word of found) assignWord(word, name.value, reading.at(arg), reading)
      continue
    }
    // `export NAME=value`, `declare -a list=(…)`: set here, and shown to the command as a word as well.
    const value = assigned(arg, reading)
    if (declares.test(name.value)) assign(arg.name, value, howOf(name.value), reading.at(arg), reading)
    words.push(value.kind === 'list' || value.kind === 'map' ? text(`${arg.name}=(…)`) : join([`${arg.name}=`, value]))
  }
  const standing: Standing = {
    at: reading.at(node),
    input: redirects === null ? given : redirects.input(given),
    settings: settings ?? noSettings,
    background,
    last,
  }
  if (hides(name)) reading.emit('hidden.name', [words[0] ?? unknown], inside(standing))
  const output = reading.command(words, standing)
  redirects?.list(last.call, output)
  return output
}

function assigned({ value: node, name, append, index }: Assignment, reading: Reading): Value {
  const before = append ? reading.state.get(name) : undefined
  if (node.type === 'ArrayValue') {
    const table = tableOf(node.elements, reading)
    if (table !== null) return before?.kind === 'map' ? map(new Map([...before.entries, ...table])) : map(table)
    const items = node.elements.flatMap(word => wordsOf(word, reading))
    const all = before?.kind === 'list' ? [...before.items, ...items] : items
    return list(all)
  }
  keepText(node, reading)
  const value = worthOf(node, reading)
  // A subscript is worked out, with what stands in it.
  const subscript = index ? worthOf(index, reading) : null
  if (subscript !== null) workOut(subscript, reading)
  if (reading.state.numbers.has(name)) workOut(value, reading)
  const place = subscript === null ? null : sketch(subscript)
  if (place !== null && /^\d{1,3}$/.test(place) && !reading.inLoop) {
    const known = reading.state.get(name)
    const items = known?.kind === 'list' ? [...known.items] : []
    if (Number(place) <= items.length) {
      items[Number(place)] = value
      return list(items, known?.kind === 'list' && known.open)
    }
  }
  if (place !== null && !/^\d/.test(place) && !reading.inLoop) {
    const known = reading.state.get(name)
    const entries = known?.kind === 'map' ? known.entries : new Map<string, Value>()
    const earlier = append ? entries.get(place) : undefined
    if (known?.kind !== 'list' && entries.size < mostEntries)
      return map(new Map(entries).set(place, earlier === undefined ? value : appended(earlier, value)))
  }
  if (index) return from(value.origins)
  if (!append) return value
  // Names in small letters are the script's own: before their first use they are empty.
  if (before === undefined && !reading.inLoop && /[a-z]/.test(name)) return value
  // In a loop nobody knows how often it was appended.
  if (before === undefined || reading.inLoop) return from((before?.origins ?? 0) | value.origins)
  return appended(before, value)
}

const mostEntries = 256

/** `([a]=x [b]=y)`: texts by their names; null for a plain list. */
function tableOf(elements: readonly Word[], reading: Reading): Map<string, Value> | null {
  if (elements.length === 0 || elements.length > mostEntries || !elements.every(({ text }) => text[0] === '['))
    return null
  const entries = new Map<string, Value>()
  for (const element of elements) {
    const value = worthOf(element, reading)
    const key = /^\[([^\]]+)\]=/.exec(startOf(value))
    if (!key?.[1]) return null
    entries.set(key[1], after(value, key[0].length))
  }
  return entries
}

const howOf = (command: string): 'assign' | 'export' => (command === 'export' ? 'export' : 'assign')

function assignWord(word: Value, command: string, at: Span, reading: Reading): void {
  const found = /^([A-Za-z_]\w*)=/.exec(startOf(word))
  if (found?.[1]) assign(found[1], after(word, found[0].length), howOf(command), at, reading)
}

function assign(name: string, value: Value, how: 'assign' | 'export', at: Span, { state, program }: Reading): void {
  state.set(name, value)
  program.assignments.push({ target: state.real(name), value, how, start: at.start, end: at.end })
}

/** Strings are kept for rules that look at text itself: keys, addresses, escapes. */
function keepText(word: Word, reading: Reading): void {
  // Without its quotes a word is no longer than with them.
  if (word.text.length < 8 || word.value.length < 8 || word.value.length > 20_000) return
  const { start, end } = reading.at(word)
  reading.program.texts.push({ text: word.value, role: 'value', start, end })
}

/** A command whose name is written so that a reader does not see it: `r""m`, `$'\x72m'`, `c\at`, `/bin/c?t`. */
function hides(name: Word): boolean {
  const written = name.text
  // `{cat,notes}` is a command with its words and without a space.
  if (written.startsWith('{') && /^\{[^{},\s]+,[^{}\s]+\}$/.test(written)) return true
  if (name.parts === undefined) return written.includes('\\') && /\w\\\w/.test(written)
  if (name.parts.some(part => part.type === 'Glob') && !/^\[{1,2}$/.test(written)) return true
  if (/\$'|\$\{\w+:\d+:\d+\}|\w\$[@*]\w|\w\$\{[@*]\}\w|^\w+\$\d\w+$/.test(written)) return true
  if (/[/ $]/.test(written)) return false
  return /\w(""|'')\w|\w\\\w|\w["']\w+["']\w|["']\w+["']["']\w+["']|^["']\w["']/.test(written)
}
