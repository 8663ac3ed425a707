import type { HereDocBody, ParameterExpansionPart, ParsedScript, Word, WordPart } from 'unbash'
import { listOf } from '../lists.ts'
import { origin, type Value } from '../model.ts'
import { fresh, from, fromSketch, join, list, spaced, text, textOf, unknown, wholeOf, withoutMarks } from '../values.ts'
import { numbersOf, readArithmetic, runSubscripts, workOut } from './arithmetic.ts'
import { braces } from './braces.ts'
import { computeText } from './computing.ts'
import { operate } from './operations.ts'
import { choice, environment, type State } from './state.ts'
import { readRest, roleOf } from './unread.ts'

/** What expanding a word needs from the one who reads the script. */
export interface Surroundings {
  readonly state: State
  /** A variable is set by something that does not look like it, and says so to whoever asks for assignments. */
  assign(name: string, value: Value): void
  /** What is read here may run any number of times, so that nothing counted in it is known. */
  readonly inLoop: boolean
  /** Where the parts come from that are not known in the code at hand, which is itself a value. */
  readonly holes: number
  /**
   * Reads a script inside the word and says what it prints, as far as that is known. `apart` says that it was parsed on
   * its own, so that places in it mean nothing in the script.
   */
  substitute(script: ParsedScript, how: 'output' | 'file' | 'sink', apart?: boolean): Value
  hasRead(script: ParsedScript): boolean
  /** Says that something here could not be read. */
  unread(): void
  /** Works out a text that the shell expands as if it stood in double quotes, running what is in it. */
  expand(source: string): Value
}

interface Piece {
  readonly value: Value
  /** Came out of an expansion without quotes: blanks in it separate words, and when it is empty there is no word. */
  readonly loose: boolean
}

/** What stands in the code as it is. In code that is itself a value, some of it may not be known. */
export const literal = (content: string, { holes }: Surroundings): Value =>
  withoutMarks(content) === content ? text(content) : fromSketch(content, holes)

/** The words that one word of the source becomes: none, one or many. */
export function wordsOf(word: Word, around: Surroundings): Value[] {
  const { parts } = word
  if (parts === undefined) return [literal(word.value, around)]
  const words = expanded(parts, around)
  readRest(word, word.text, around)
  return words
}

function expanded(parts: readonly WordPart[], around: Surroundings): Value[] {
  if (!parts.some(part => part.type === 'BraceExpansion')) {
    const found = piecesOf(parts, around)
    const [only] = found
    // In quotes a word stays one word.
    if (found.length === 1 && only?.loose === false && only.value.kind !== 'list') return [only.value]
    return split(found, separators(around.state))
  }
  const blank = separators(around.state)
  let ways: Piece[][] = [[]]
  for (const part of parts) {
    const options =
      part.type === 'BraceExpansion'
        ? braceWords(part, around).map((value): Piece[] => [{ value, loose: false }])
        : [pieces(part, around)]
    ways = ways.flatMap(way => options.map(option => [...way, ...option])).slice(0, mostWays)
  }
  return ways.flatMap(way => split(way, blank))
}
const mostWays = 32

interface Blank {
  readonly leading: RegExp
  readonly between: RegExp
  readonly trailing: RegExp
}
const blanks: Blank = { leading: /^\s/, between: /\s+/, trailing: /\s$/ }

/**
 * What parts the words of an expansion. With `IFS=,` the line `a=rm,-rf,/; $a` is a command of three words; blanks
 * part words even then, because a script that hides a command may put the old value back where nobody can follow.
 */
function separators(state: State): Blank {
  const set = state.get('IFS')
  if (set === undefined) return blanks
  const own = (textOf(set) ?? '').replace(/\s/g, '').slice(0, 16)
  if (own === '') return blanks
  const letters = `[\\s${own.replace(/[\\\]^-]/g, '\\$&')}]`
  return {
    leading: new RegExp(`^${letters}`),
    between: new RegExp(`${letters}+`),
    trailing: new RegExp(`${letters}$`),
  }
}

/** The value of a word where no splitting happens: in an assignment, a redirection, a here-document. */
export function worthOf(word: Word, around: Surroundings): Value {
  if (word.parts === undefined) return literal(word.value, around)
  const value = worthOfParts(word.parts, around)
  readRest(word, word.text, around)
  return value
}

/** The same inside a word, of which the whole is looked through afterwards. */
const worthWithin = (word: Word, around: Surroundings): Value =>
  word.parts === undefined ? literal(word.value, around) : worthOfParts(word.parts, around)

export function worthOfBody(body: HereDocBody, around: Surroundings): Value {
  if (body.parts === undefined) return literal(body.text, around)
  const value = worthOfParts(body.parts, around)
  readRest(body, body.text, around)
  return value
}

export function worthOfParts(parts: readonly WordPart[], around: Surroundings): Value {
  const values = listOf(piecesOf(parts, around), ({ value }) => flat(value))
  const [only] = values
  return values.length === 1 && only ? only : distribute(values)
}

/** An array in a place for one text is its items with blanks between. */
const flat = (value: Value): Value => (value.kind === 'list' ? spaced(value.items) : value)

function split(found: readonly Piece[], blank: Blank): Value[] {
  const words: Value[][] = []
  let open: Value[] | null = null
  const add = (value: Value): void => {
    if (open === null) {
      open = []
      words.push(open)
    }
    open.push(value)
  }
  for (const { value, loose } of found) {
    if (value.kind === 'list') {
      value.items.forEach((item, index) => {
        if (index > 0) open = null
        add(item)
      })
      if (value.open) {
        open = null
        add(from(value.origins))
      }
      continue
    }
    const known = loose ? wholeOf(value) : null
    if (known === null) {
      add(value)
      continue
    }
    if (blank.leading.test(known)) open = null
    for (const [index, piece] of known.trim().split(blank.between).entries()) {
      if (index > 0) open = null
      if (piece !== '') add(fromSketch(piece, value.origins))
    }
    if (blank.trailing.test(known)) open = null
  }
  return listOf(words, distribute)
}

/** Text of parts; where a part is a choice the whole is one, so that each way is seen with its own text. */
function distribute(parts: readonly Value[]): Value {
  const [only] = parts
  if (parts.length === 1 && only) return only
  const most = parts.reduce((most, part) => (part.kind === 'choice' ? Math.max(most, part.options.length) : most), 0)
  if (most === 0) return bounded(join(parts))
  const ways: Value[] = []
  for (let way = 0; way < most; way++) {
    ways.push(
      bounded(
        join(
          listOf(parts, part => (part.kind === 'choice' ? (part.options[way % part.options.length] ?? unknown) : part)),
        ),
      ),
    )
  }
  return choice(ways)
}

/** `a=$a$a` doubles with each line: a value that has grown beyond any use is no longer followed. */
export function bounded(value: Value): Value {
  const grown =
    value.kind === 'text' ? value.text.length > longestText : value.kind === 'joined' && value.parts.length > mostParts
  return grown ? from(value.origins | origin.decoded) : value
}
const longestText = 200_000
const mostParts = 200

/** Two texts one after the other. */
export const appended = (before: Value, more: Value): Value => bounded(join([before, more]))

function piecesOf(parts: readonly WordPart[], around: Surroundings): Piece[] {
  const found: Piece[] = []
  for (const part of parts) for (const piece of pieces(part, around)) found.push(piece)
  return found
}

function pieces(part: WordPart, around: Surroundings): Piece[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      return [{ value: literal(part.value, around), loose: false }]
    case 'AnsiCQuoted':
      // An escape can spell any character; a mark that stands in the code itself leaves nothing known.
      return [{ value: withoutMarks(part.text) === part.text ? text(part.value) : from(around.holes), loose: false }]
    case 'Glob':
      return part.parts?.some(isOpen)
        ? bracket(part.parts, around)
        : [{ value: literal(part.text, around), loose: false }]
    case 'ExtendedGlob':
      for (const inner of part.parts ?? []) pieces(inner, around)
      return [{ value: text('*'), loose: false }]
    case 'DoubleQuoted':
    case 'LocaleString':
      return quoted(part.parts, around)
    case 'SimpleExpansion':
      return [{ value: whole(variable(part.text.slice(1), around.state)), loose: true }]
    case 'ParameterExpansion':
      return [{ value: parameter(part, around), loose: true }]
    case 'CommandExpansion':
    case 'ProcessSubstitution': {
      const role = roleOf(part)
      return [{ value: part.script ? around.substitute(part.script, role) : unknown, loose: role === 'output' }]
    }
    case 'ArithmeticExpansion':
      return [{ value: part.expression ? readArithmetic(part.expression, around) : unknown, loose: false }]
    case 'BraceExpansion':
      return [{ value: list(braceWords(part, around)), loose: false }]
  }
}

const isOpen = (part: WordPart): boolean => part.type !== 'Literal'

/** `[$(cmd)]`: brackets around something that is worked out, in an assignment or a subscript no pattern at all. */
const bracket = (parts: readonly WordPart[], around: Surroundings): Piece[] => [
  { value: text('['), loose: false },
  ...piecesOf(parts, around),
  { value: text(']'), loose: false },
]

/** Quotes make a word even when there is nothing in them. */
function quoted(parts: readonly WordPart[], around: Surroundings): Piece[] {
  const found: Piece[] = [{ value: text(''), loose: false }]
  for (const part of parts) for (const { value } of pieces(part, around)) found.push({ value, loose: false })
  return found
}

function braceWords(part: Extract<WordPart, { type: 'BraceExpansion' }>, around: Surroundings): Value[] {
  for (const inner of part.parts ?? []) pieces(inner, around)
  return listOf(braces(part.text), word => {
    if (!/[$`]/.test(word)) return literal(word.replace(/["'\\]/g, ''), around)
    const name = /^"?\$\{?(\w+)\}?"?$/.exec(word)?.[1]
    return name === undefined ? unknown : variable(name, around.state)
  })
}

/** What `$name` is worth. */
export function variable(name: string, state: State): Value {
  if (/^\d+$/.test(name)) {
    if (name === '0') return text('./script.sh')
    const given = state.parameters
    if (given === null) return from(origin.input)
    return given[Number(name) - 1] ?? from(origin.input)
  }
  switch (name) {
    case '$':
      // The process id makes a name that nobody else has, as `mktemp` does.
      return fresh
    case '@':
    case '*':
      return state.parameters === null ? from(origin.input) : list(state.parameters)
    case '?':
    case '#':
    case '!':
    case '-':
    case '_':
      return unknown
  }
  return state.get(name) ?? environment(name)
}

/** A table by names has nothing to say where one text is wanted. */
const whole = (value: Value): Value => (value.kind === 'map' ? (value.entries.get('0') ?? text('')) : value)

function parameter(part: ParameterExpansionPart, around: Surroundings): Value {
  const { state } = around
  const { parameter: name, operation } = part
  const place = part.index ? worthWithin(part.index, around) : null
  if (place !== null) workOut(place, around)
  const index = place === null ? null : textOf(place)
  const all = index === '@' || index === '*'
  let value = variable(name, state)
  if (part.prefix === '!') {
    if (operation?.type === 'Names') return unknown
    if (part.index)
      return value.kind === 'map' && all ? list(listOf([...value.entries.keys()], key => text(key))) : unknown
    const target = textOf(value)
    runSubscripts(value, around)
    value = target === null ? from(value.origins) : variable(target, state)
  }
  if (part.index && !all) value = item(value, index, around)
  else if (value.kind === 'map') value = all ? list([...value.entries.values()], value.open) : whole(value)
  else if (value.kind === 'list' && part.index === undefined && name !== '@' && name !== '*')
    value = value.items[0] ?? text('')
  if (part.prefix === '#') return lengthOf(value)
  if (operation === undefined) return value
  const known = state.get(name) !== undefined || (/^\d+$/.test(name) && state.parameters !== null)
  return operate(operation, value, {
    name,
    known,
    read: word => worthWithin(word, around),
    around,
    numbers: around.inLoop ? null : numbersOf(around),
  })
}

/** `${array[i]}`, `${table[key]}`. */
function item(value: Value, index: string | null, around: Surroundings): Value {
  if (value.kind === 'map') return (index === null ? undefined : value.entries.get(index)) ?? from(value.origins)
  if (value.kind !== 'list') return value.kind === 'choice' ? from(value.origins) : value
  const place = index === null || around.inLoop ? Number(index ?? Number.NaN) : computeText(index, numbersOf(around))
  return (place === null ? undefined : value.items.at(place)) ?? from(value.origins)
}

function lengthOf(value: Value): Value {
  if (value.kind === 'text') return text(String(value.text.length))
  return value.kind === 'list' && !value.open ? text(String(value.items.length)) : unknown
}
