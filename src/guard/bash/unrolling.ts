import type { ArithmeticFor, CommandNode, CompoundList, For, Statement, While, Word } from 'unbash'
import type { Value } from '../model.ts'
import { text, textOf, wholeOf } from '../values.ts'
import { readArithmetic } from './arithmetic.ts'
import { type Surroundings, wordsOf, worthOf } from './words.ts'

/**
 * Loops that only put a text together, letter by letter or word by word: a command can be hidden in one. They are run
 * as the shell would run them, turn by turn; any other loop is read once for all its turns.
 */
export function isAssembly(body: CompoundList): boolean {
  return body.commands.length > 0 && body.commands.every(assembles)
}

function assembles({ command, background }: Statement): boolean {
  if (background === true) return false
  switch (command.type) {
    case 'ArithmeticCommand':
      return true
    case 'Command':
      if (command.redirects.length > 0) return false
      return command.name === undefined || isQuiet(command)
    case 'For':
    case 'ArithmeticFor':
    case 'While':
      return isAssembly(command.body)
    default:
      return false
  }
}

const isQuiet = (command: Extract<CommandNode, { type: 'Command' }>): boolean => {
  const [first] = command.args
  switch (command.name?.value) {
    case 'local':
    case 'declare':
      return true
    case 'printf':
      return first?.type === 'Word' && first.value === '-v'
    default:
      return false
  }
}

export type Unrolled = For | ArithmeticFor | While

/** Runs the body once for each turn; false, and nothing done, when the turns cannot be known or are too many. */
export function unroll(node: Unrolled, around: Surroundings, budget: Budget, run: () => void): boolean {
  begin(node.body, around)
  switch (node.type) {
    case 'For': {
      const words = node.wordlist?.flatMap(word => sequence(word) ?? wordsOf(word, around))
      if (words === undefined || words.length > budget.left || words.some(word => wholeOf(word) === null)) return false
      for (const word of words) {
        around.state.set(node.name.value, word)
        budget.left--
        run()
      }
      return true
    }
    case 'ArithmeticFor': {
      const { initialize, test, update } = node
      if (initialize === undefined || test === undefined || update === undefined) return false
      readArithmetic(initialize, around)
      return repeat(
        () => truth(readArithmetic(test, around)),
        () => {
          run()
          readArithmetic(update, around)
        },
        budget,
      )
    }
    case 'While': {
      const [only, ...more] = node.clause.commands
      if (only === undefined || more.length > 0 || node.kind !== 'while') return false
      return repeat(() => holds(only.command, around), run, budget)
    }
  }
}

/** A name in small letters that nobody has set is the script's own, and empty before its first turn. */
function begin(body: CompoundList, { state }: Surroundings): void {
  for (const { command } of body.commands) {
    if (command.type !== 'Command') continue
    for (const part of command.prefix)
      if (part.type === 'Assignment' && /[a-z]/.test(part.name) && state.get(part.name) === undefined)
        state.set(part.name, text(''))
  }
}

/** How many turns may still be run one by one in this script. */
export interface Budget {
  left: number
}
export const mostTurns = 512

function repeat(test: () => boolean | null, turn: () => void, budget: Budget): boolean {
  for (;;) {
    const going = test()
    if (going === null || budget.left-- <= 0) return false
    if (!going) return true
    turn()
  }
}

const truth = (value: Value): boolean | null => {
  const known = textOf(value)
  return known === null ? null : Number(known) !== 0
}

/** `(( n > 0 ))`, `[ -n "$rest" ]`, `[ $i -lt 5 ]`. */
function holds(command: Statement['command'], around: Surroundings): boolean | null {
  if (command.type === 'ArithmeticCommand')
    return command.expression ? truth(readArithmetic(command.expression, around)) : null
  if (command.type === 'TestCommand') {
    const { expression } = command
    if (expression.type === 'TestUnary')
      return compare('', expression.operator, textOf(worthOf(expression.operand, around)))
    if (expression.type !== 'TestBinary') return null
    const { left, operator, right } = expression
    return compare(textOf(worthOf(left, around)), operator, textOf(worthOf(right, around)))
  }
  if (command.type !== 'Command' || !/^(\[|test)$/.test(command.name?.value ?? '')) return null
  const words = command.args.flatMap(arg => (arg.type === 'Word' ? wordsOf(arg, around) : [])).map(word => textOf(word))
  if (words.at(-1) === ']') words.pop()
  if (words.length === 2) return compare('', words[0] ?? '', words[1] ?? null)
  return words.length === 3 ? compare(words[0] ?? null, words[1] ?? '', words[2] ?? null) : null
}

function compare(one: string | null, operator: string, other: string | null): boolean | null {
  if (one === null || other === null) return null
  switch (operator) {
    case '-n':
      return other !== ''
    case '-z':
      return other === ''
    case '=':
    case '==':
      return one === other
    case '!=':
      return one !== other
    case '-lt':
      return Number(one) < Number(other)
    case '-le':
      return Number(one) <= Number(other)
    case '-gt':
      return Number(one) > Number(other)
    case '-ge':
      return Number(one) >= Number(other)
    case '-eq':
      return Number(one) === Number(other)
    case '-ne':
      return Number(one) !== Number(other)
    default:
      return null
  }
}

/** `{0..40}` and `$(seq 0 40)` in full: elsewhere only their kind matters. */
function sequence({ text: written }: Word): Value[] | null {
  const found =
    /^\{(-?\d{1,6})\.\.(-?\d{1,6})\}$/.exec(written) ?? /^\$\(seq (?:(-?\d{1,6}) )?(-?\d{1,6})\)$/.exec(written)
  if (found === null) return null
  const first = Number(found[1] ?? 1)
  const last = Number(found[2])
  const count = Math.abs(last - first) + 1
  if (count > mostTurns) return null
  return Array.from({ length: count }, (_, at) => text(String(first <= last ? first + at : first - at)))
}
