import { origin, type Value } from './model.ts'

/** Makers and readers of `Value`, so that rules and front ends say what they mean. */

export const text = (content: string, origins = 0): Value => ({ kind: 'text', text: content, origins })
export const number = (content: number, origins = 0): Value => ({ kind: 'number', number: content, origins })
export const boolean = (content: boolean): Value => ({ kind: 'boolean', boolean: content, origins: 0 })
export const nothing: Value = { kind: 'nothing', origins: 0 }
export const unknown: Value = { kind: 'unknown', origins: 0 }
export const from = (origins: number): Value => (origins === 0 ? unknown : { kind: 'unknown', origins })
export const thing = (name: string, origins = 0): Value => ({ kind: 'thing', name, origins })

export function list(items: readonly Value[], open = false): Value {
  let origins = 0
  for (const item of items) origins |= item.origins
  return { kind: 'list', items, open, origins }
}

export function map(entries: ReadonlyMap<string, Value>, open = false): Value {
  let origins = 0
  for (const entry of entries.values()) origins |= entry.origins
  return { kind: 'map', entries, open, origins }
}

/** The same value, with more said about where it comes from. */
export const tainted = (value: Value, origins: number): Value =>
  (value.origins & origins) === origins ? value : { ...value, origins: value.origins | origins }

/** Text made of parts in order; known neighbours melt into one, and all known parts make a `text`. */
export function join(parts: readonly (string | Value)[]): Value {
  const joined: (string | Value)[] = []
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
            if (open) joined.push(open)
            open = ''
            joined.push(inner)
          }
        }
      } else {
        if (open) joined.push(open)
        open = ''
        joined.push(part)
      }
    }
  }
  if (joined.length === 0) return { kind: 'text', text: open, origins }
  if (open) joined.push(open)
  return { kind: 'joined', parts: joined, origins }
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
  if (value.kind === 'joined') return value.parts.map(part => (typeof part === 'string' ? part : hole)).join('')
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
