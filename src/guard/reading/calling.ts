import { listOf } from '../lists.ts'
import { origin, type Program, type Value } from '../model.ts'
import type { Argument, At, Block, ClassSyntax, Expression, FunctionSyntax } from '../syntax.ts'
import { from, list, nothing, own, tainted, thing, unknown } from '../values.ts'
import { longestText } from './arithmetic.ts'
import { asked, brought } from './callback-arguments.ts'
import { Callees, noNamed } from './callees.ts'
import { Facts } from './facts.ts'
import type { Fold, Library } from './library.ts'
import { elementOf, firstOption, Objects, scalar } from './objects.ts'
import { libraryName } from './published.ts'
import { either, type Scope } from './scope.ts'
import { Variables } from './variables.ts'

/** A function or class of the program. */
interface Own {
  readonly fn: FunctionSyntax | null
  readonly cls: ClassSyntax | null
  readonly scope: Scope
  /** The class whose method this is. */
  readonly of: string | null
  /** Called by a web framework: what is not known of its parameters comes with a request. */
  requested: boolean
  runs: number
  running: boolean
  returns: Value | null
}

type Prepared = (args: readonly Value[], named: ReadonlyMap<string, Value>) => Value

/** Calls: who is called, what with, what comes back, and what the functions of the program do when called so. */
export abstract class Calling {
  protected readonly facts: Facts
  protected readonly library: Library
  protected readonly variables: Variables
  protected readonly objects: Objects
  readonly #callees: Callees
  readonly #prepared: Prepared[] = []
  protected readonly owns: Own[] = []
  protected loops = 0
  protected within: string | null = null
  protected self: string | null = null
  protected returned: Value | null = null

  constructor(program: Program, library: Library) {
    this.facts = new Facts(program)
    this.library = library
    this.variables = new Variables(library.slashJoins)
    this.objects = new Objects(library, name => this.variables.scope.find(name))
    this.#callees = Callees.of(library)
  }

  protected abstract evaluate(expression: Expression): Value
  protected abstract block(block: Block): void
  protected abstract assign(target: Expression, value: Value, declares: boolean): void
  protected abstract items(items: readonly Argument[]): { values: Value[]; open: boolean }

  /** Registers a function or class, and names it. */
  protected own(name: string, fn: FunctionSyntax | null, cls: ClassSyntax | null): Value {
    this.owns.push({
      fn,
      cls,
      scope: this.variables.scope,
      of: fn ? this.self : null,
      requested: false,
      runs: 0,
      running: false,
      returns: null,
    })
    return own(name, this.owns.length - 1)
  }

  protected call(expression: Expression & { kind: 'call' }): Value {
    const { callee } = expression
    let receiver: Value | null = null
    let target: Value
    let method: string | null = null
    if (callee.kind === 'member' || callee.kind === 'index') {
      receiver = this.evaluate(callee.object)
      const index = callee.kind === 'member' ? null : this.evaluate(callee.index)
      method = callee.kind === 'member' ? callee.property : index === null ? null : scalar(index)
      if (index !== null && callee.kind === 'index') this.#namedAside(receiver, index, callee.index, expression)
      target =
        index !== null && (method === null || receiver.kind === 'list')
          ? this.objects.index(receiver, method === null ? unknown : index)
          : this.objects.member(receiver, method ?? '')
    } else target = this.evaluate(callee)

    // `''.sub.constructor`, `[].map.constructor`: what a method of anything is made by makes functions from text.
    if (
      method === 'constructor' &&
      receiver?.kind === 'unknown' &&
      !expression.made &&
      (callee.kind === 'member' || callee.kind === 'index') &&
      (callee.object.kind === 'member' || callee.object.kind === 'index')
    )
      target = thing('Function')

    const named = this.#named(expression.args)
    const { values: args } = this.items(
      named === noNamed ? expression.args : expression.args.filter(argument => argument.name === null),
    )

    if (method !== null && receiver !== null && callee.kind === 'member' && callee.object.kind === 'name') {
      this.#grow(callee.object.name, receiver, method, args)
    }
    const targets = target.kind === 'choice' ? target.options : [target]
    let result: Value | undefined
    for (const option of targets)
      result = either(result, this.#invoke(option, receiver, method, args, named, expression))
    return result ?? unknown
  }

  /** `cp['sp' + 'awn'](…)`, `actions[req.query.action]()`: the one who reads the call does not see what is called. */
  #namedAside(receiver: Value, index: Value, written: Expression, at: At): void {
    if (index.origins & origin.request && index.kind !== 'number') this.facts.mark('chosen-name', at, '()')
    if (receiver.kind === 'thing' && written.kind !== 'constant' && this.library.isPowerful(receiver.name))
      this.facts.mark('built-name', at, receiver.name)
  }

  #named(args: readonly Argument[]): ReadonlyMap<string, Value> {
    let named: Map<string, Value> | null = null
    for (const argument of args) {
      if (argument.name === null) continue
      named ??= new Map()
      const value = this.evaluate(argument.value)
      if (argument.spread) {
        if (value.kind === 'map') for (const [name, inner] of value.entries) named.set(name, inner)
      } else {
        named.set(argument.name, value)
        this.facts.assigned(argument.name, value, 'named', argument.value)
      }
    }
    return named ?? noNamed
  }

  /** `list.append(x)`: the variable holds more from here on. */
  #grow(name: string, receiver: Value, method: string, args: readonly Value[]): void {
    if (receiver.kind !== 'list') return
    const [first] = args
    let grown: Value | undefined
    if (method === 'append' || method === 'push' || method === 'add')
      grown = list([...receiver.items, ...args], receiver.open || this.variables.uncertain)
    else if (method === 'extend' && first?.kind === 'list')
      grown = list([...receiver.items, ...first.items], receiver.open || first.open)
    else if (method === 'extend' || method === 'insert' || method === 'unshift' || method === 'splice')
      grown = list([...receiver.items, ...args], true)
    if (grown !== undefined) this.variables.change(name, grown)
  }

  #invoke(
    target: Value,
    receiver: Value | null,
    method: string | null,
    args: readonly Value[],
    named: ReadonlyMap<string, Value>,
    at: Expression & { kind: 'call' },
  ): Value {
    if (target.kind === 'own') {
      const own = this.owns[target.id]
      this.#listed(`~${target.name}`, receiver, args, named, at.made, at)
      if (own?.cls) return this.#construct(own, args, named, at)
      return own ? this.enter(own, args, named) : unknown
    }
    const prepared = this.#preparedAs(target)
    if (prepared !== undefined) return prepared(args, named)
    const name = target.kind === 'thing' ? this.#inherited(target.name) : method !== null ? `?.${method}` : '?'
    const carried = target.kind === 'thing' ? receiver : (receiver ?? target)
    // `Popen.__init__(self, …)`: makes what it names, of what stands behind the object.
    if (name.endsWith('.__init__') && !name.startsWith('?'))
      return this.record(name.slice(0, -9), carried, args.slice(1), named, at, true)
    return this.record(name, carried, args, named, at, at.made)
  }

  /** `super().__init__(…)`, `super(…)`, `super.run(…)`: what a class takes from the class of a library. */
  #inherited(name: string): string {
    const [whole, member] = /^super(?:\(\))?(?:\.([\w$]+))?$/.exec(name) ?? []
    // In Python `super` alone only says whose members are meant.
    const isPlain = whole === 'super' && this.facts.program.language === 'python'
    const base = whole === undefined || isPlain || this.self === null ? undefined : this.objects.libraryBase(this.self)
    if (base === undefined) return name
    return member === undefined || member === '__init__' ? base : `${base}().${member}`
  }

  #construct(own: Own, args: readonly Value[], named: ReadonlyMap<string, Value>, at: Expression): Value {
    const instance = `~${own.cls?.name ?? ''}()`
    const maker = this.objects.makerOf(instance)
    const init = maker?.kind === 'own' ? this.owns[maker.id] : undefined
    if (init) this.enter(init, args, named)
    // `class P(subprocess.Popen): pass`: made as what it extends is made.
    else if (maker?.kind === 'thing') this.record(maker.name, null, args, named, at, true)
    return thing(instance)
  }

  protected enter(own: Own, args: readonly Value[], named: ReadonlyMap<string, Value>): Value {
    const { fn } = own
    const carried = originsOf(args)
    if (fn === null || own.running) return from(carried)
    const again = own.runs > 0
    const worthIt = args.some(value => value.kind !== 'unknown' || value.origins !== 0) && fn.end - fn.start < 1_500
    if (again && (own.runs > 3 || !worthIt))
      return own.returns === null ? unknown : tainted(own.returns, carried & ~origin.parameter)
    own.runs++
    own.running = true
    const { within, self, returned: outerReturned, loops } = this
    this.within = fn.name
    this.self = own.of
    this.returned = null
    this.loops = 0
    const skip = own.of !== null && isSelf(fn.parameters[0]?.target) ? 1 : 0
    this.variables.inScope(own.scope, () => {
      fn.parameters.forEach((parameter, position) => {
        if (position < skip) return
        const given = parameter.rest ? list(args.slice(position - skip), true) : args[position - skip]
        this.#bind(parameter.target, given, named, parameter.fallback, own.requested)
      })
      this.block(fn.body)
    })
    // Set by the `return` statements inside, which the compiler cannot see from here.
    const returned = (this.returned as Value | null) ?? nothing
    own.returns = own.returns === null ? returned : either(own.returns, returned)
    own.running = false
    this.within = within
    this.self = self
    this.returned = outerReturned
    this.loops = loops
    return returned
  }

  #bind(
    target: Expression,
    given: Value | undefined,
    named: ReadonlyMap<string, Value>,
    fallback: Expression | null,
    requested: boolean,
  ): void {
    const name = target.kind === 'name' ? target.name : null
    const byName = name === null ? undefined : named.get(name)
    const known = given ?? byName
    const otherwise = fallback ? this.evaluate(fallback) : null
    if (otherwise !== null && name !== null) {
      this.facts.assigned(name, otherwise, 'default', target)
    }
    if (known !== undefined) this.assign(target, known, true)
    else if (name !== null) {
      const origins = origin.parameter | (requested ? origin.request : this.library.parameterOrigins(name))
      const open = thing(name, origins)
      this.variables.put(this.variables.scope, name, otherwise === null ? open : either(otherwise, open))
    } else this.assign(target, from(origin.parameter), true)
  }

  /** Writes the call down, once per option of its arguments, and says what it gives back. */
  protected record(
    name: string,
    receiver: Value | null,
    args: readonly Value[],
    named: ReadonlyMap<string, Value>,
    at: Expression,
    made: boolean,
  ): Value {
    this.#listed(name, receiver, args, named, made, at)
    const callee = this.#callees.named(name)
    let carried = originsOf(args)
    if (receiver !== null) carried |= receiver.origins
    if (named !== noNamed) for (const value of named.values()) carried |= value.origins
    const { given } = callee
    const folded =
      (callee.fold === undefined ? null : this.#folded(callee.fold, receiver, args, named, at)) ??
      (callee.method === undefined || receiver === null ? null : this.#folded(callee.method, receiver, args, named, at))
    this.#handOver(name, args, named, at, (carried | given | (folded?.origins ?? 0)) & ~origin.parameter)
    if (folded !== null) {
      if (folded.kind === 'text' && folded.text.length > longestText) return from(folded.origins)
      return tainted(folded, given)
    }
    if (callee.kept !== null) return from(given | (carried & callee.kept))
    if (callee.result === null) return from(carried)
    return this.objects.thing(callee.result, carried | given)
  }

  /** What the call is worth when that can be worked out here. */
  #folded(
    fold: Fold,
    receiver: Value | null,
    args: readonly Value[],
    named: ReadonlyMap<string, Value>,
    at: Expression,
  ): Value | null {
    return fold({
      args: listOf(args, firstOption),
      named,
      receiver: receiver === null ? null : firstOption(receiver),
      apply: (fn, values, also) => this.#apply(fn, values, also ?? noNamed, at),
      prepare: run => {
        // Each may call the one before it; a hostile chain would take the stack.
        if (this.#prepared.length >= 200) return unknown
        this.#prepared.push(run)
        return thing(`prepared()[${this.#prepared.length - 1}]`)
      },
      member: (value, property) => this.objects.member(value, property),
      imported: module => {
        const plain = module.replace(/^node:/, '')
        this.facts.program.imports.push({ module: plain, names: [], start: at.start, end: at.end })
        return this.objects.thing(libraryName(plain))
      },
    })
  }

  /** A function given to a library will be called by it: with what the call brings, or with the values listed. */
  #handOver(
    name: string,
    args: readonly Value[],
    named: ReadonlyMap<string, Value>,
    at: Expression,
    origins: number,
  ): void {
    if (callNobody.has(name)) return
    for (const value of args) this.#handed(value, name, args, named, at, origins)
    if (named !== noNamed) for (const value of named.values()) this.#handed(value, name, args, named, at, origins)
  }

  #handed(
    value: Value,
    name: string,
    args: readonly Value[],
    named: ReadonlyMap<string, Value>,
    at: Expression,
    origins: number,
    depth = 0,
  ): void {
    // `run({ before: remove })`, `run([remove])`: whoever is given a table may call what is in it.
    if (depth < deepestInside && (value.kind === 'list' || value.kind === 'map')) {
      const inside = value.kind === 'list' ? value.items : [...value.entries.values()]
      for (const each of inside.slice(0, mostInside))
        if (each.kind === 'thing' || each.kind === 'list' || each.kind === 'map')
          this.#handed(each, name, [], noNamed, at, origins, depth + 1)
    } else if (value.kind === 'own') {
      const own = this.owns[value.id]
      if (!own?.fn || own.running) return
      const listed = args.find(other => other.kind === 'list')
      const { parameters } = own.fn
      if (listed !== undefined) {
        const element = tainted(elementOf(listed), origins)
        this.enter(
          own,
          listOf(parameters, () => element),
          noNamed,
        )
      } else if (this.library.isRoute(name)) this.enter(own, asked(parameters, origins, this.library), noNamed)
      else this.enter(own, origins === 0 ? [] : brought(parameters, origins, this.library), noNamed)
    } else if (
      value.kind === 'thing' &&
      value.name !== name &&
      isPlainName.test(value.name) &&
      !value.name.startsWith('self.')
    ) {
      const rest = named.get('args')
      // What a function is called with stands behind it, where anything does: `finalize(object, remove, path)`.
      const behind = args.slice(args.indexOf(value) + 1)
      const given =
        rest?.kind === 'list'
          ? rest.items
          : listOf(
              (behind.length > 0 ? behind : args).filter(other => other !== value && other.kind !== 'own'),
              other => (other.kind === 'list' ? elementOf(other) : other),
            )
      this.#listed(value.name, null, given, noNamed, false, at, true)
    }
  }

  #apply(fn: Value, args: readonly Value[], named: ReadonlyMap<string, Value>, at: Expression): Value {
    if (fn.kind === 'own') {
      const own = this.owns[fn.id]
      return own?.cls ? this.#construct(own, args, named, at) : own ? this.enter(own, args, named) : unknown
    }
    const prepared = this.#preparedAs(fn)
    if (prepared !== undefined) return prepared(args, named)
    if (fn.kind === 'thing') return this.record(fn.name, null, args, named, at, false)
    return from(args.reduce((all, value) => all | value.origins, fn.origins))
  }

  /** What runs when a function is called that was put together before. */
  #preparedAs(fn: Value): Prepared | undefined {
    if (fn.kind !== 'thing' || !fn.name.startsWith('prepared()[')) return undefined
    return this.#prepared[Number(fn.name.slice(11, -1))]
  }

  #listed(
    name: string,
    receiver: Value | null,
    args: readonly Value[],
    named: ReadonlyMap<string, Value>,
    made: boolean,
    { start, end }: At,
    handed = false,
  ): void {
    this.facts.called({
      name,
      receiver,
      args,
      named,
      made,
      handed,
      inLoop: this.loops > 0,
      settings: undefined,
      background: false,
      substitution: false,
      line: undefined,
      within: this.within,
      start,
      end,
    })
  }
}

function originsOf(values: readonly Value[]): number {
  let origins = 0
  for (const value of values) origins |= value.origins
  return origins
}

/** Ask what something is, or give back what they are given: `isinstance(f, FunctionType)`, `promisify(exec)`. */
const callNobody = new Set(['isinstance', 'issubclass', 'util.promisify', 'Object.freeze'])
/** More of a table is not looked at. */
const mostInside = 64
const deepestInside = 4
const isPlainName = /^[\w.$]+$/
const isSelf = (target: Expression | undefined): boolean =>
  target?.kind === 'name' && (target.name === 'self' || target.name === 'cls')
