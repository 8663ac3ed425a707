import type { ValueType } from '../contract/workflow.ts'
import type { Values } from './task.ts'

type Value = number | string | boolean
type Kind = 'number' | 'text' | 'boolean'

/** Something computed from the outputs of one candidate. */
export interface Expression {
  readonly kind: Kind
  /** Null where an output is missing or not of its type, or where the result is no finite number. */
  readonly valueIn: (outputs: Values) => Value | null
}

/** What is wrong with the text of an expression. */
class Fault extends Error {}

type Token = { readonly text: string; readonly at: number } & (
  | { readonly type: 'number' | 'text'; readonly value: Value }
  | { readonly type: 'name' | 'sign' | 'end' }
)

const maxDepth = 30
const token = /(\d+(?:\.\d+)?(?:e[+-]?\d+)?)|("[^"]*"|'[^']*')|([a-z]\w*)|(<=|>=|==|!=|[-+*/()<>])/iy

/**
 * Reads numbers, "texts", true, false, names of outputs, + - * /, < <= > >= == !=, and, or, not, and parentheses. Types
 * are checked here, so that computing it later cannot fail.
 */
export function readExpression(
  text: string,
  outputs: Readonly<Record<string, ValueType>>,
): { readonly expression: Expression } | { readonly fault: string } {
  try {
    return { expression: new Reader(tokensOf(text), outputs).whole() }
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message }
    throw error
  }
}

class Reader {
  readonly #tokens: readonly Token[]
  readonly #outputs: Readonly<Record<string, ValueType>>
  #next = 0
  #depth = 0

  constructor(tokens: readonly Token[], outputs: Readonly<Record<string, ValueType>>) {
    this.#tokens = tokens
    this.#outputs = outputs
  }

  whole(): Expression {
    const all = this.#or()
    if (this.#now.type !== 'end') throw unexpected(this.#now)
    return all
  }

  get #now(): Token {
    return this.#tokens[this.#next] as Token
  }

  #or(): Expression {
    return this.#chain(['or'], () => this.#and(), 'boolean', { or: (a, b) => a || b })
  }

  #and(): Expression {
    return this.#chain(['and'], () => this.#not(), 'boolean', { and: (a, b) => a && b })
  }

  #not(): Expression {
    const here = this.#taken(['not'])
    if (!here) return this.#comparison()
    const one = this.#deeper(() => this.#not())
    return computed('boolean', [must(one, 'boolean', here)], ([a]) => !a)
  }

  #comparison(): Expression {
    const left = this.#sum()
    const here = this.#taken(Object.keys(comparisons))
    if (!here) return left
    const right = this.#sum()
    const isOrder = here.text !== '==' && here.text !== '!='
    const kind = isOrder ? 'number' : left.kind
    const sides = [must(left, kind, here), must(right, kind, here)]
    const compare = comparisons[here.text] as (a: Value, b: Value) => boolean
    return computed('boolean', sides, ([a, b]) => compare(a as Value, b as Value))
  }

  #sum(): Expression {
    return this.#chain(['+', '-'], () => this.#product(), 'number', { '+': (a, b) => a + b, '-': (a, b) => a - b })
  }

  #product(): Expression {
    return this.#chain(['*', '/'], () => this.#signed(), 'number', { '*': (a, b) => a * b, '/': (a, b) => a / b })
  }

  #signed(): Expression {
    const here = this.#taken(['-'])
    if (!here) return this.#single()
    const one = this.#deeper(() => this.#signed())
    return computed('number', [must(one, 'number', here)], ([a]) => -(a as number))
  }

  #single(): Expression {
    const here = this.#now
    this.#next++
    if (here.type === 'number' || here.type === 'text') return constant(here.type, here.value)
    if (here.text === 'true' || here.text === 'false') return constant('boolean', here.text === 'true')
    if (here.text === '(') {
      const inside = this.#deeper(() => this.#or())
      if (!this.#taken([')'])) throw unexpected(this.#now)
      return inside
    }
    if (here.type !== 'name' || words.has(here.text)) throw unexpected(here)
    return output(here.text, this.#outputs)
  }

  /** One or more with signs between them, from left to right. */
  #chain<K extends 'number' | 'boolean'>(
    signs: readonly string[],
    part: () => Expression,
    kind: K,
    work: Record<string, (a: Of<K>, b: Of<K>) => Of<K>>,
  ): Expression {
    let left = part()
    for (let here = this.#taken(signs); here; here = this.#taken(signs)) {
      const act = work[here.text] as (a: Of<K>, b: Of<K>) => Of<K>
      const sides = [must(left, kind, here), must(part(), kind, here)]
      left = computed(kind, sides, ([a, b]) => act(a as Of<K>, b as Of<K>))
    }
    return left
  }

  #taken(texts: readonly string[]): Token | null {
    const here = this.#now
    if ((here.type !== 'sign' && here.type !== 'name') || !texts.includes(here.text)) return null
    this.#next++
    return here
  }

  #deeper(read: () => Expression): Expression {
    if (++this.#depth > maxDepth) throw new Fault(`it is nested deeper than ${maxDepth} levels`)
    const found = read()
    this.#depth--
    return found
  }
}

type Of<K extends 'number' | 'boolean'> = K extends 'number' ? number : boolean

const words = new Set(['and', 'or', 'not'])
const comparisons: Record<string, (a: Value, b: Value) => boolean> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
}

function tokensOf(text: string): Token[] {
  const found: Token[] = []
  for (let at = 0; ; ) {
    while (/\s/.test(text[at] ?? '')) at++
    if (at >= text.length) return [...found, { type: 'end', text: 'its end', at }]
    token.lastIndex = at
    const match = token.exec(text)
    if (!match) throw new Fault(`${JSON.stringify(text[at])} at character ${at + 1} means nothing here`)
    const [all, number, quoted, name] = match
    if (number !== undefined) found.push({ type: 'number', text: all, at, value: Number(number) })
    else if (quoted !== undefined) found.push({ type: 'text', text: all, at, value: quoted.slice(1, -1) })
    else found.push({ type: name === undefined ? 'sign' : 'name', text: all, at })
    at = token.lastIndex
  }
}

const constant = (kind: Kind, value: Value): Expression => ({ kind, valueIn: () => finite(value) })

function output(name: string, outputs: Readonly<Record<string, ValueType>>): Expression {
  const kind = Object.hasOwn(outputs, name) ? outputs[name] : undefined
  if (kind === undefined) throw new Fault(`${name} is no output of it`)
  if (kind !== 'number' && kind !== 'text' && kind !== 'boolean')
    throw new Fault(`${name} must be an output that is a number, a text or a boolean`)
  const isOfKind = kind === 'text' ? 'string' : kind
  return {
    kind,
    valueIn: values => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      return typeof value === isOfKind ? finite(value as Value) : null
    },
  }
}

function computed(kind: Kind, parts: readonly Expression[], work: (values: readonly Value[]) => Value): Expression {
  return {
    kind,
    valueIn: outputs => {
      const values = parts.map(part => part.valueIn(outputs))
      return values.includes(null) ? null : finite(work(values as Value[]))
    },
  }
}

function must(one: Expression, kind: Kind, { text, at }: Token): Expression {
  if (one.kind === kind) return one
  throw new Fault(`${text} at character ${at + 1} wants a ${kind} here, and has a ${one.kind}`)
}

const finite = (value: Value): Value | null => (typeof value === 'number' && !Number.isFinite(value) ? null : value)
const unexpected = ({ text, at, type }: Token) =>
  new Fault(type === 'end' ? 'it ends too early' : `${text} at character ${at + 1} is not expected there`)
