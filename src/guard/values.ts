import { listOf } from './lists.ts'
import { origin, type Value } from './model.ts'

/** Makers and readers of `Value`, so that rules and front ends say what they mean. */

/** Any value, before it is said what is in it. */
interface Blank {
  readonly kind: Value['kind']
  readonly origins: number
  text: string | undefined
  parts: readonly (string | Value)[] | undefined
  number: number | undefined
  boolean: boolean | undefined
  items: readonly Value[] | undefined
  entries: ReadonlyMap<string, Value> | undefined
  open: boolean | undefined
  name: string | undefined
  id: number | undefined
  options: readonly Value[] | undefined
}

/**
 * All kinds of values have the fields of all, in one order. Code is compiled for the shapes of the objects that it has
 * met; with a shape for each kind, most of what reads values would be thrown away and compiled again and again.
 */
function blank(kind: Value['kind'], origins: number): Blank {
  return {
    kind,
    origins,
    text: undefined,
    parts: undefined,
    number: undefined,
    boolean: undefined,
    items: undefined,
    entries: undefined,
    open: undefined,
    name: undefined,
    id: undefined,
    options: undefined,
  }
}

export function text(content: string, origins = 0): Value {
  const made = blank('text', origins)
  made.text = content
  return made as Value
}

export function number(content: number, origins = 0): Value {
  const made = blank('number', origins)
  made.number = content
  return made as Value
}

export function boolean(content: boolean): Value {
  const made = blank('boolean', 0)
  made.boolean = content
  return made as Value
}

export const nothing = blank('nothing', 0) as Value
export const unknown = blank('unknown', 0) as Value
export const from = (origins: number): Value => (origins === 0 ? unknown : (blank('unknown', origins) as Value))

export function thing(name: string, origins = 0): Value {
  const made = blank('thing', origins)
  made.name = name
  return made as Value
}

/** A function or class of the program, which its front end finds by the number. */
export function own(name: string, id: number): Value {
  const made = blank('own', 0)
  made.name = name
  made.id = id
  return made as Value
}

export function list(items: readonly Value[], open = false): Value {
  let origins = 0
  for (const item of items) origins |= item.origins
  const made = blank('list', origins)
  made.items = items
  made.open = open
  return made as Value
}

export function map(entries: ReadonlyMap<string, Value>, open = false): Value {
  let origins = 0
  for (const entry of entries.values()) origins |= entry.origins
  const made = blank('map', origins)
  made.entries = entries
  made.open = open
  return made as Value
}

export function oneOf(options: readonly Value[], origins: number): Value {
  const made = blank('choice', origins)
  made.options = options
  return made as Value
}

/** Text of which some parts are not known; `join` makes it from parts that may be. */
export function joined(parts: readonly (string | Value)[], origins: number): Value {
  const made = blank('joined', origins)
  made.parts = parts
  return made as Value
}

/** An object of its own that says the same. */
export function copyOf(value: Value, origins = value.origins): Value {
  const from = value as Blank
  const made = blank(value.kind, origins)
  made.text = from.text
  made.parts = from.parts
  made.number = from.number
  made.boolean = from.boolean
  made.items = from.items
  made.entries = from.entries
  made.open = from.open
  made.name = from.name
  made.id = from.id
  made.options = from.options
  return made as Value
}

/** The same value, with more said about where it comes from. */
export const tainted = (value: Value, origins: number): Value =>
  (value.origins & origins) === origins ? value : copyOf(value, value.origins | origins)

/** Text made of parts in order; known neighbours melt into one, and all known parts make a `text`. */
export function join(parts: readonly (string | Value)[]): Value {
  const found: (string | Value)[] = []
  let origins = 0
  let open = ''
  for (const part of parts) {
    if (typeof part === 'string') open += part
    else {
      origins |= part.origins
      const known = scalarText(part)
      if (known !== null) open += known
      else if (part.kind === 'joined') {
        for (const inner of part.parts) {
          if (typeof inner === 'string') open += inner
          else {
            if (open) found.push(open)
            open = ''
            found.push(inner)
          }
        }
      } else {
        if (open) found.push(open)
        open = ''
        found.push(part)
      }
    }
  }
  if (found.length === 0) return text(open, origins)
  if (open) found.push(open)
  return joined(found, origins)
}

/** Words with blanks between them. */
export function spaced(words: readonly Value[]): Value {
  const parts: (string | Value)[] = []
  for (const word of words) {
    if (parts.length > 0) parts.push(' ')
    parts.push(word)
  }
  return join(parts)
}

function scalarText(value: Value): string | null {
  if (value.kind === 'text') return value.text
  if (value.kind === 'number') return String(value.number)
  return null
}

/** The text, when all of it is known. */
export const textOf = (value: Value | undefined): string | null => (value?.kind === 'text' ? value.text : null)

/** The text with each unknown part as `hole`; null for what is no text at all. */
export function sketch(value: Value | undefined, hole = '\u{fffc}'): string | null {
  if (value === undefined) return null
  if (value.kind === 'text') return value.text
  if (value.kind === 'joined') return listOf(value.parts, part => (typeof part === 'string' ? part : hole)).join('')
  return null
}

/** What is certainly at the start of the text: all of it, or the part before the first hole. */
export function startOf(value: Value | undefined): string {
  if (value?.kind === 'text') return value.text
  if (value?.kind === 'joined') return typeof value.parts[0] === 'string' ? value.parts[0] : ''
  return ''
}

export const isKnown = (value: Value | undefined): boolean =>
  value !== undefined &&
  (value.kind === 'text' ||
    value.kind === 'number' ||
    value.kind === 'boolean' ||
    value.kind === 'nothing' ||
    (value.kind === 'list' && !value.open && value.items.every(isKnown)))

export const comesFrom = (value: Value | undefined, origins: number): boolean =>
  value !== undefined && (value.origins & origins) !== 0

/** Any origin that someone other than the author controls. */
export const outside = origin.request | origin.input | origin.download | origin.environment

/** The word that stands for an unknown part in code that is read in turn; rules know it as "someone else decides". */
export const unknownWord = '__UNKNOWN__'

/** Code in a value, with unknown parts as a variable that the language can parse; null when nothing of it is known. */
export function codeOf(
  value: Value | undefined,
  language: 'python' | 'javascript' | 'typescript' | 'bash',
): string | null {
  return sketch(value, language === 'bash' ? `$${unknownWord}` : unknownWord)
}

/** A list of words as one command line that a shell would split into the same words. */
export function commandLine(words: readonly Value[]): string | null {
  const [name] = words
  if (name === undefined || sketch(name) === null) return null
  return words
    .map(word => {
      const known = word.kind === 'number' ? String(word.number) : textOf(word)
      if (known !== null) return /^[\w@%+=:,./-]+$/.test(known) ? known : `'${known.replace(/'/g, "'\\''")}'`
      const partly = sketch(word, `"$${unknownWord}"`)
      return partly ?? `"$${unknownWord}"`
    })
    .join(' ')
}
