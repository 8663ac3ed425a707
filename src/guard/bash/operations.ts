import type { ParameterOperation, Word } from 'unbash'
import { origin, type Value } from '../model.ts'
import { codeOf, from, fromSketch, text, textOf, unknown, wholeOf } from '../values.ts'
import { workOut } from './arithmetic.ts'
import { computeText, type Numbers } from './computing.ts'
import { either } from './state.ts'
import type { Surroundings } from './words.ts'

interface Given {
  readonly name: string
  /** The script set it itself. */
  readonly known: boolean
  readonly read: (word: Word) => Value
  readonly around: Surroundings
  /** Null where nothing that is counted is known. */
  readonly numbers: Numbers | null
}

/** What `${name<operation>}` is worth: defaults, cuts, replacements and slices are how commands are put together unseen. */
export function operate(operation: ParameterOperation, value: Value, given: Given): Value {
  switch (operation.type) {
    case 'Default':
      return withDefault(operation.operator, value, given.read(operation.operand), given)
    case 'Remove':
      return removed(value, operation.operator, textOf(given.read(operation.operand)))
    case 'Replace': {
      const pattern = textOf(given.read(operation.pattern))
      const replacement = textOf(given.read(operation.replacement))
      if (pattern === null || replacement === null || pattern === '') return from(value.origins)
      const flags = operation.operator === '//' ? 'g' : ''
      const anchored = `${operation.operator === '/#' ? '^' : ''}${glob(pattern)}${operation.operator === '/%' ? '$' : ''}`
      return onText(value, whole => safely(() => whole.replace(new RegExp(anchored, flags), () => replacement)))
    }
    case 'Slice':
      return slice(value, given, operation.offset, operation.length)
    case 'CaseModification':
      if (operation.operand) given.read(operation.operand)
      return onText(value, whole => cased(whole, operation.operator))
    case 'Transform':
      // A text that is expanded like a prompt runs what stands in it.
      if (operation.operand.value === 'P') return prompt(value, given.around)
      return operation.operand.value === 'Q' ? value : from(value.origins | origin.decoded)
    case 'Names':
    case 'Unknown':
      return unknown
  }
}

function withDefault(operator: string, value: Value, operand: Value, { name, known, around }: Given): Value {
  switch (operator) {
    case '-':
    case ':-':
    case '=':
    case ':=': {
      const result = !known
        ? operand
        : textOf(value) === ''
          ? operand
          : value.kind === 'unknown'
            ? either(value, operand)
            : value
      if (operator.endsWith('=')) around.assign(name, result)
      return result
    }
    case '+':
    case ':+':
      return known ? operand : either(text(''), operand)
    default:
      return value
  }
}

function onText(value: Value, change: (whole: string) => string | null): Value {
  const known = textOf(value)
  const changed = known === null || known.length > longest ? null : change(known)
  return changed === null ? lost(value) : text(changed, value.origins)
}

/** What is left of a text that was known but for letters that the run chooses is put together out of sight. */
const lost = (value: Value): Value => from(value.origins | (wholeOf(value) === null ? 0 : origin.decoded))

/** Long enough for any command; patterns are not let loose on more. */
const longest = 4096

/**
 * Cuts off a start or an end, as `${file%.*}` does. What the run will choose is letters and digits: a pattern that starts (from the end, ends)
 * with another sign cannot stop in the middle of it.
 */
function removed(value: Value, operator: string, pattern: string | null): Value {
  const outside = operator.startsWith('%') ? /^[^\w?[]/ : /[^\w?\]]$/
  const whole = pattern !== null && outside.test(pattern) ? wholeOf(value) : textOf(value)
  const left = whole === null || whole.length > longest ? null : remove(whole, operator, pattern)
  return left === null ? lost(value) : fromSketch(left, value.origins)
}

function remove(whole: string, operator: string, pattern: string | null): string | null {
  if (pattern === null) return null
  const lazy = operator === '#' || operator === '%'
  if (operator.startsWith('#')) {
    return safely(() => whole.replace(new RegExp(`^${glob(pattern, lazy)}`), ''))
  }
  if (whole.length > 512) return null
  // The shortest match at the end is the one that starts last.
  return safely(() => {
    const test = new RegExp(`^${glob(pattern)}$`)
    for (let step = 0; step <= whole.length; step++) {
      const at = lazy ? whole.length - step : step
      if (test.test(whole.slice(at))) return whole.slice(0, at)
    }
    return whole
  })
}

/** A shell pattern as a regular expression; one with many stars could take for ever and matches nothing instead. */
function glob(pattern: string, lazy = false): string {
  const plain = pattern.replace(/\*+/g, '*')
  if (plain.length > 128 || plain.split('*').length > 3) return '(?!)'
  return plain
    .replace(/[.+^${}()|\\/]/g, '\\$&')
    .replace(/\[!/g, '[^')
    .replace(/\?/g, '.')
    .replace(/\*/g, lazy ? '[\\s\\S]*?' : '[\\s\\S]*')
}

function prompt(value: Value, around: Surroundings): Value {
  const known = codeOf(value, 'bash')
  return known === null ? from(value.origins | origin.decoded) : around.expand(known)
}

function slice(value: Value, { name, read, around, numbers }: Given, offset: Word, length: Word | undefined): Value {
  const place = (word: Word): number => {
    const given = read(word)
    workOut(given, around)
    const known = textOf(given)
    if (known === null) return Number.NaN
    return numbers === null ? Number(known) : (computeText(known, numbers) ?? Number.NaN)
  }
  const start = place(offset)
  const count = length === undefined ? undefined : place(length)
  if (Number.isNaN(start) || Number.isNaN(count)) return from(value.origins)
  // The first letter of these is a slash on every machine.
  if (start === 0 && count === 1 && /^(HOME|PWD|PATH|SHELL)$/.test(name)) return text('/')
  return onText(value, whole => {
    const from = start < 0 ? Math.max(0, whole.length + start) : start
    if (count === undefined) return whole.slice(from)
    return count < 0 ? whole.slice(from, whole.length + count) : whole.slice(from, from + count)
  })
}

function cased(whole: string, operator: string): string {
  switch (operator) {
    case '^':
      return whole.slice(0, 1).toUpperCase() + whole.slice(1)
    case '^^':
      return whole.toUpperCase()
    case ',':
      return whole.slice(0, 1).toLowerCase() + whole.slice(1)
    default:
      return whole.toLowerCase()
  }
}

function safely(make: () => string): string | null {
  try {
    return make()
  } catch {
    return null
  }
}
