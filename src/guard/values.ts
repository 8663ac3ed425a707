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
  made.text = withoutMarks(content)
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
export const fresh = blank('fresh', 0) as Value
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
  made.parts = listOf(parts, part => (typeof part === 'string' ? withoutMarks(part) : part))
  return made as Value
}

/**
 * How a sketch shows a part that is not known, and letters that only the run will choose. No text of a value has these
 * characters, so that nobody can write a sketch: that a part is not known is said by the value alone.
 */
const marks = { unknown: '\u{fffc}', fresh: '\u{fffb}' } as const
const anyMark = /[\u{fffb}\u{fffc}]/gu

/** A text of the program, with what would be taken for a mark as a sign that is none. */
export const withoutMarks = (content: string): string =>
  content.includes(marks.unknown) || content.includes(marks.fresh) ? content.replace(anyMark, '\u{25a1}') : content

export const hasFresh = (sketched: string): boolean => sketched.includes(marks.fresh)

/** A sketch as people see it: as `mktemp` writes what it will choose. */
export const shown = (sketched: string): string =>
  hasFresh(sketched) ? sketched.replaceAll(marks.fresh, 'XXXXXX') : sketched

/** The value of which this is the sketch; parts that are not known come from `origins`. */
export function fromSketch(sketched: string, origins = 0): Value {
  if (!sketched.includes(marks.unknown) && !hasFresh(sketched)) return text(sketched, origins)
  const parts = sketched
    .split(/([\u{fffb}\u{fffc}])/u)
    .filter(part => part !== '')
    .map(part => (part === marks.fresh ? fresh : part === marks.unknown ? from(origins) : part))
  const [only] = parts
  return parts.length === 1 && typeof only === 'object' ? only : joined(parts, origins)
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

/** The text with each unknown part as `hole`; null for what is no text at all. Only a mark cannot be in a text itself. */
export function sketch(value: Value | undefined, hole: string = marks.unknown): string | null {
  if (value === undefined) return null
  if (value.kind === 'text') return value.text
  const chosen = hole === marks.unknown ? marks.fresh : hole
  if (value.kind === 'fresh') return chosen
  if (value.kind === 'joined')
    return listOf(value.parts, part => (typeof part === 'string' ? part : part.kind === 'fresh' ? chosen : hole)).join(
      '',
    )
  return null
}

/** The sketch of a text of which all is known, or will be chosen by the run. */
export function wholeOf(value: Value | undefined): string | null {
  const known = value?.kind === 'text' ? value.text : sketch(value)
  return known?.includes(marks.unknown) ? null : known
}

/** The sketch of what is certainly at the start of the text: all of it, or the part before the first unknown one. */
export function startOf(value: Value | undefined): string {
  if (value?.kind === 'text') return value.text
  if (value?.kind === 'fresh') return marks.fresh
  if (value?.kind !== 'joined') return ''
  let start = ''
  for (const part of value.parts) {
    if (typeof part === 'string') start += part
    else if (part.kind === 'fresh') start += marks.fresh
    else break
  }
  return start
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

/**
 * Code in a value; null when nothing of it is known. In shell code an unknown part is a mark; elsewhere it is a variable
 * with a name that the code does not have, so that the code cannot say what it is.
 */
export function codeOf(
  value: Value | undefined,
  language: 'python' | 'javascript' | 'typescript' | 'bash',
): string | null {
  if (language === 'bash') return sketch(value)
  let name = 'UNKNOWN'
  const known = sketch(value, '') ?? ''
  while (known.includes(name)) name += 'N'
  return sketch(value, `__${name}__`)
}

/** Nor can the code give such a variable a value by a name that it puts together. */
export const isHole = (name: string): boolean => /^__UNKNOWN+__$/.test(name)

/** A list of words as one command line that a shell would split into the same words. */
export function commandLine(words: readonly Value[]): string | null {
  const [name] = words
  if (name === undefined || sketch(name) === null) return null
  return words
    .map(word => {
      const known = word.kind === 'number' ? String(word.number) : (sketch(word) ?? marks.unknown)
      return /^[\w@%+=:,./-]+$/.test(known) ? known : `'${known.replace(/'/g, "'\\''")}'`
    })
    .join(' ')
}
