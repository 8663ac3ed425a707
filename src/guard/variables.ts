import type { Argument, Block, ClassSyntax, Expression, FunctionSyntax, Statement } from './syntax.ts'

/** The variables that a text takes from what ran before it, and those that it makes or changes. */
export interface Variables {
  readonly reads: ReadonlySet<string>
  readonly writes: ReadonlySet<string>
  /** Names are made or looked up in a way that only the run knows: `exec`, `globals()`, `from x import *`. */
  readonly open: boolean
}

export function variablesOf(body: Block): Variables {
  const walk = new Walk()
  walk.block(body, new Set())
  return walk
}

/** Functions that look at what they are given and leave it as it is. */
const looking = new Set(
  `print len range sum min max abs round sorted enumerate zip map filter list tuple set dict str int float bool repr type
   isinstance issubclass hasattr getattr id hash any all reversed iter format display String Number Boolean Object Array
   BigInt parseInt parseFloat isNaN structuredClone Promise Error Map Set`
    .trim()
    .split(/\s+/),
)
/** Methods that change what they are called on. */
const changing =
  /^(append|extend|insert|pop|popitem|popleft|appendleft|remove|clear|update|add|discard|sort|reverse|setdefault|fit\w*|partial_fit|fill|put|resize|push|unshift|shift|splice|set|delete|assign|copyWithin|train|eval|load_state_dict|step|backward|add_\w+|set_\w+|write\w*|close|seed|shuffle|execute\w*|commit|register\w*|connect|next|send|__setitem__|__setattr__|__delitem__)$/
const opening = new Set([
  'exec',
  'eval',
  'globals',
  'locals',
  'vars',
  'setattr',
  'delattr',
  '__import__',
  'execfile',
  'Function',
  'get_ipython',
])

class Walk implements Variables {
  readonly reads = new Set<string>()
  readonly writes = new Set<string>()
  open = false

  /** `bound` holds what is certainly made here before; what a branch makes is not certain behind it. */
  block(statements: Block, bound: Set<string>): void {
    for (const statement of statements) this.#statement(statement, bound)
  }

  #statement(statement: Statement, bound: Set<string>): void {
    switch (statement.kind) {
      case 'expression':
        this.#expression(statement.expression, bound)
        return
      case 'if': {
        if (statement.test) this.#expression(statement.test, bound)
        const [one, other] = [new Set(bound), new Set(bound)]
        this.block(statement.consequence, one)
        this.block(statement.otherwise, other)
        for (const name of one) if (other.has(name)) bound.add(name)
        return
      }
      case 'loop': {
        this.block(statement.before, bound)
        if (statement.over) this.#expression(statement.over, bound)
        const within = new Set(bound)
        if (statement.test) this.#expression(statement.test, within)
        if (statement.target) this.#assign(statement.target, within)
        this.block(statement.body, within)
        return
      }
      case 'try':
        this.block(statement.body, new Set(bound))
        for (const handler of statement.handlers) {
          const within = new Set(bound)
          if (handler.name !== null) within.add(handler.name)
          this.block(handler.body, within)
        }
        this.block(statement.finally, bound)
        return
      case 'block':
        this.block(statement.body, bound)
        return
      case 'return':
        if (statement.value) this.#expression(statement.value, bound)
        return
      case 'function':
        for (const decorator of statement.decorators) this.#expression(decorator, bound)
        this.#function(statement.fn, bound)
        this.#bind(statement.fn.name, bound)
        return
      case 'class':
        for (const decorator of statement.decorators) this.#expression(decorator, bound)
        this.#class(statement.cls, bound)
        return
      case 'import':
        for (const { name, local } of statement.bindings) {
          if (name === '*' && local === '*') this.open = true
          else this.#bind(local.split('.')[0] ?? local, bound)
        }
        return
      case 'assert':
        for (const part of statement.parts) this.#expression(part, bound)
        return
      case 'outer':
        // A function that says `global x` changes it when it is called.
        for (const name of statement.names) {
          this.writes.add(name)
          this.#read(name, bound)
        }
        return
      case 'docstring':
      case 'debugger':
    }
  }

  #expression(expression: Expression, bound: Set<string>): void {
    switch (expression.kind) {
      case 'constant':
        return
      case 'name':
        this.#read(expression.name, bound)
        return
      case 'member':
        this.#expression(expression.object, bound)
        return
      case 'index':
        this.#expression(expression.object, bound)
        this.#expression(expression.index, bound)
        return
      case 'slice':
        this.#expression(expression.object, bound)
        for (const each of expression.bounds) if (each) this.#expression(each, bound)
        return
      case 'call':
        this.#call(expression.callee, expression.args, bound)
        return
      case 'binary':
        this.#expression(expression.left, bound)
        this.#expression(expression.right, bound)
        return
      case 'unary':
        this.#expression(expression.operand, bound)
        // `del x`, `delete x.y`, `x++`.
        if (!/^([!~]+|[+-]|not|typeof|void|await|\*+)$/.test(expression.operator)) this.#change(expression.operand)
        return
      case 'compare':
        for (const each of expression.operands) this.#expression(each, bound)
        return
      case 'template':
        for (const part of expression.parts) if (typeof part !== 'string') this.#expression(part, bound)
        return
      case 'list':
        for (const { value } of expression.items) this.#expression(value, bound)
        return
      case 'map':
        for (const { key, value } of expression.entries) {
          if (key !== null && typeof key !== 'string') this.#expression(key, bound)
          this.#expression(value, bound)
        }
        return
      case 'choice':
        for (const each of [...expression.tests, ...expression.options]) this.#expression(each, bound)
        return
      case 'function':
        this.#function(expression.fn, bound)
        return
      case 'class':
        this.#class(expression.cls, bound)
        return
      case 'assign':
        this.#expression(expression.value, bound)
        if (expression.operator !== '') this.#expression(expression.target, bound)
        this.#assign(expression.target, bound)
        return
      case 'comprehension': {
        const within = new Set(bound)
        for (const { target, over, tests } of expression.loops) {
          this.#expression(over, within)
          names(target, name => within.add(name))
          for (const test of tests) this.#expression(test, within)
        }
        for (const each of expression.body) this.#expression(each, within)
        return
      }
      case 'parts':
        // `del x`, `i++` and patterns are lowered to this as well: what stands in it may be changed.
        for (const part of expression.parts) {
          this.#expression(part, bound)
          this.#change(part)
        }
        return
      case 'yield':
        this.#expression(expression.value, bound)
        return
      case 'import-call':
        this.#expression(expression.argument, bound)
    }
  }

  #call(callee: Expression, args: readonly Argument[], bound: Set<string>): void {
    this.#expression(callee, bound)
    for (const { value } of args) this.#expression(value, bound)
    if (callee.kind === 'name') {
      if (opening.has(callee.name)) this.open = true
      // A function of somebody's own may change what it is given.
      if (!looking.has(callee.name)) for (const { value } of args) this.#change(value)
    } else if (callee.kind === 'member') {
      const inPlace = args.some(({ name }) => name === 'inplace' || name === 'out')
      if (inPlace || changing.test(callee.property)) this.#change(callee.object)
    } else this.#change(callee)
  }

  /** What stands in `a.b[c]` changes `a`; a name that is only made here is made already. */
  #change(expression: Expression): void {
    let at = expression
    while (at.kind === 'member' || at.kind === 'index' || at.kind === 'slice') at = at.object
    if (at.kind === 'name') this.writes.add(at.name)
  }

  #assign(target: Expression, bound: Set<string>): void {
    if (target.kind === 'name') this.#bind(target.name, bound)
    else if (target.kind === 'list') for (const { value } of target.items) this.#assign(value, bound)
    else if (target.kind === 'map') for (const { value } of target.entries) this.#assign(value, bound)
    else if (target.kind === 'parts') for (const part of target.parts) this.#assign(part, bound)
    else if (target.kind === 'unary') this.#assign(target.operand, bound)
    else if (target.kind === 'choice') for (const option of target.options) this.#assign(option, bound)
    else if (target.kind === 'assign') {
      this.#expression(target.value, bound)
      this.#assign(target.target, bound)
    } else {
      this.#expression(target, bound)
      this.#change(target)
    }
  }

  #bind(name: string, bound: Set<string>): void {
    if (name === '') return
    bound.add(name)
    this.writes.add(name)
  }

  #read(name: string, bound: ReadonlySet<string>): void {
    if (!bound.has(name)) this.reads.add(name)
  }

  /** What a function takes from outside it takes when it is called; what it makes for itself is nobody else's. */
  #function(fn: FunctionSyntax, bound: ReadonlySet<string>): void {
    const inner = new Walk()
    const within = new Set<string>()
    for (const { target, fallback } of fn.parameters) {
      if (fallback) this.#expression(fallback, new Set(bound))
      names(target, name => within.add(name))
    }
    const own = new Set(within)
    inner.block(fn.body, within)
    const outer = new Set(fn.body.flatMap(each => (each.kind === 'outer' ? each.names : [])))
    for (const name of inner.reads) if (!bound.has(name)) this.reads.add(name)
    // An assignment inside makes a name of its own in Python; where it changes one from outside, that was read as well.
    for (const name of inner.writes)
      if (outer.has(name) || (inner.reads.has(name) && !own.has(name))) this.writes.add(name)
    this.open ||= inner.open
  }

  #class(cls: ClassSyntax, bound: Set<string>): void {
    for (const base of cls.bases) this.#expression(base, bound)
    const inner = new Walk()
    inner.block(cls.body, new Set(bound))
    for (const name of inner.reads) this.reads.add(name)
    this.open ||= inner.open
    this.#bind(cls.name, bound)
  }
}

function names(target: Expression, take: (name: string) => void): void {
  if (target.kind === 'name') take(target.name)
  else if (target.kind === 'list') for (const { value } of target.items) names(value, take)
  else if (target.kind === 'map') for (const { value } of target.entries) names(value, take)
  else if (target.kind === 'assign') names(target.target, take)
}
