import { type ArithmeticExpression, forEachChild, type TestExpression } from 'unbash'
import type { Value } from '../model.ts'
import { codeOf, text, textOf, unknown } from '../values.ts'
import { compute, type Numbers } from './computing.ts'
import { mayRun, readRest } from './unread.ts'
import { type Surroundings, worthOf, worthOfParts } from './words.ts'

/** The number where it is known, which it is not in a loop; commands inside are read in any case. */
export function readArithmetic(expression: ArithmeticExpression, around: Surroundings): Value {
  // Words in the expression are expanded once: a command in one of them is one command.
  const read: Read = new Map()
  expandWords(expression, around, read)
  if (around.inLoop) return unknown
  const found = compute(expression, {
    ...numbersOf(around),
    worth: word => (word.parts === undefined ? word.value : (read.get(word) ?? null)),
  })
  return found === null ? unknown : text(String(found))
}
type Read = Map<ArithmeticExpression, string | null>

function expandWords(expression: ArithmeticExpression, around: Surroundings, read: Read): void {
  if (expression.type === 'ArithmeticCommandExpansion') {
    if (expression.script) around.substitute(expression.script, 'output')
    return
  }
  if (expression.type === 'ArithmeticWord') {
    if (expression.parts === undefined) followNames(expression.value, around, 0)
    else {
      const value = worthOfParts(expression.parts, around)
      workOut(value, around)
      read.set(expression, textOf(value))
    }
    readRest(expression, expression.value, around)
    return
  }
  forEachChild(expression, child => {
    if (child.type.startsWith('Arithmetic')) expandWords(child as ArithmeticExpression, around, read)
  })
}

export const numbersOf = (around: Surroundings): Numbers => ({
  worth: word => (word.parts === undefined ? word.value : textOf(worthOfParts(word.parts, around))),
  get: name => textOf(around.state.get(name)),
  set: (name, value) => {
    if (/^[A-Za-z_]\w*$/.test(name)) around.state.set(name, value === null ? unknown : text(String(value)))
  },
})

/**
 * Works out a value as a number. A name in it is worked out in turn, and what stands in a subscript is run: after
 * `x='a[$(rm -rf /)]'` it takes no more than `(( x ))` or `[[ $x -eq 1 ]]`.
 */
export function workOut(value: Value, around: Surroundings, depth = 0): void {
  const source = codeOf(value, 'bash')
  if (source === null || source.length > longest || depth > deepest) return
  runSubscripts(value, around)
  followNames(source, around, depth)
}
const longest = 4096
/** Bash itself gives up after a thousand names that stand for each other; two are enough to hide something. */
const deepest = 8

function followNames(source: string, around: Surroundings, depth: number): void {
  // Most are a number of one digit.
  if (source.length === 1 && source <= '9') return
  for (const [name] of source.matchAll(/[A-Za-z_]\w*/g)) {
    const inner = around.state.get(name)
    if (inner?.kind === 'text' || inner?.kind === 'joined') {
      if (inner.kind === 'joined' || /\D/.test(inner.text)) workOut(inner, around, depth + 1)
    } else if (inner?.kind === 'choice') for (const option of inner.options) workOut(option, around, depth + 1)
  }
}

/** Runs what stands in the subscripts of a name: `read 'a[$(cmd)]'`, `[[ -v $name ]]`, `${!name}`. */
export function runSubscripts(value: Value, around: Surroundings): void {
  const source = codeOf(value, 'bash')
  if (source?.includes('[') && source.length <= longest && mayRun(source)) around.expand(source)
}

/** `[[ … ]]` decides nothing here, but commands inside it run. */
export function readTest(expression: TestExpression, around: Surroundings): void {
  switch (expression.type) {
    case 'TestUnary': {
      const operand = worthOf(expression.operand, around)
      if (/^-[vR]$/.test(expression.operator)) runSubscripts(operand, around)
      return
    }
    case 'TestBinary': {
      const left = worthOf(expression.left, around)
      const right = worthOf(expression.right, around)
      if (!/^-(eq|ne|lt|le|gt|ge)$/.test(expression.operator)) return
      workOut(left, around)
      workOut(right, around)
      return
    }
    case 'TestLogical':
      for (const operand of expression.operands) readTest(operand, around)
      return
    case 'TestNot':
      readTest(expression.operand, around)
      return
    case 'TestGroup':
      readTest(expression.expression, around)
  }
}
