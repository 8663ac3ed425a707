import { listOf } from '../lists.ts'
import { origin, type Program, type Value } from '../model.ts'
import { isCallInWaiting, runsText } from '../names.ts'
import type { Block, ClassSyntax, Expression, FunctionSyntax, Lowered, Statement } from '../syntax.ts'
import { nothing, text, thing, unknown } from '../values.ts'
import { noNamed } from './callees.ts'
import { Expressions, OutOfSteps } from './expressions.ts'
import type { Library } from './library.ts'
import { elementOf } from './objects.ts'
import { libraryName } from './published.ts'
import { either, type Scope } from './scope.ts'

/**
 * Walks a lowered program once, in the order in which it would run, and writes down what it finds: which names are
 * which, what is assigned, what is called with what. Functions are entered when they are called (with the arguments of
 * the call), or at the end if nobody calls them, so that code which is only reachable from outside is read as well.
 */
export function evaluate(lowered: Lowered, program: Program, library: Library): void {
  try {
    new Evaluation(program, library).start(lowered.body)
  } catch (thrown) {
    if (!(thrown instanceof OutOfSteps)) throw thrown
    const message = 'The program is too large or too tangled to be followed to its end.'
    program.problems.push({ kind: 'size', message, start: 0, end: Math.min(1, program.source.length) })
    program.complete = false
  }
}

/** Decorators that hand a function to a web framework: `@app.route('/x/<name>')`, `@router.get(…)`. */
const isRoute = /(^|\.)(route|get|post|put|patch|delete|api_view|websocket)\(\)$/

/** Statements, from the first to the last. */
class Evaluation extends Expressions {
  readonly #declared = new Map<FunctionSyntax, { readonly scope: Scope; readonly value: Value }>()

  start(body: Block): void {
    this.block(body)
    // New functions may come to light while the uncalled ones are read.
    for (let id = 0; id < this.owns.length; id++) {
      const own = this.owns[id]
      if (own?.fn && own.runs === 0) this.enter(own, [], noNamed)
    }
  }

  protected block(block: Block): void {
    // A function can be called above the line that declares it, in JavaScript at the top and in Python inside others.
    for (const statement of block) if (statement.kind === 'function') this.#declare(statement.fn)
    for (const statement of block) this.#statement(statement)
  }

  #declare(fn: FunctionSyntax): Value {
    const known = this.#declared.get(fn)
    if (known?.scope === this.variables.scope) return known.value
    const value = this.own(fn.name, fn, null)
    this.#declared.set(fn, { scope: this.variables.scope, value })
    this.variables.set(fn.name, value, true)
    return value
  }

  #statement(statement: Statement): void {
    this.step()
    switch (statement.kind) {
      case 'expression':
        this.evaluate(statement.expression)
        return
      case 'docstring':
        this.facts.program.texts.push({ text: '', role: 'docstring', start: statement.start, end: statement.end })
        return
      case 'block':
        this.block(statement.body)
        return
      case 'if':
        if (statement.test) this.evaluate(statement.test)
        this.variables.ways([() => this.block(statement.consequence), () => this.block(statement.otherwise)], true)
        return
      case 'loop':
        this.#loop(statement)
        return
      case 'try':
        this.block(statement.body)
        for (const handler of statement.handlers) {
          if (handler.silent) this.facts.mark('silent-catch', handler, handler.broad ? 'broad' : '')
          this.variables.ways(
            [
              () => {
                if (handler.name) this.variables.set(handler.name, thing(handler.name), false)
                this.block(handler.body)
              },
            ],
            false,
          )
        }
        this.block(statement.finally)
        return
      case 'return': {
        const value = statement.value ? this.evaluate(statement.value) : nothing
        // What a view hands back goes to whoever asked; what `__reduce__` hands back is called when unpickled.
        const name = /^(__reduce(_ex)?__|reducer_override)$/.test(this.within ?? '') ? '__reduce__' : 'return'
        if (
          name === '__reduce__' ||
          value.origins & origin.request ||
          (value.kind === 'thing' && runsText.test(value.name)) ||
          isCallInWaiting(value) ||
          (value.kind !== 'unknown' && tellsFailure(value))
        )
          this.facts.assigned(name, value, 'assign', statement)
        this.returned = this.returned === null ? value : either(this.returned, value)
        return
      }
      case 'function': {
        const value = this.#declare(statement.fn)
        this.#decorate(statement.decorators, value)
        return
      }
      case 'class':
        this.classed(statement.cls)
        this.#decorate(statement.decorators, unknown)
        return
      case 'import':
        this.#import(statement)
        return
      case 'assert':
        this.facts.mark('assert', statement)
        for (const part of statement.parts) this.evaluate(part)
        return
      case 'outer':
        for (const name of statement.names) this.variables.scope.outer.add(name)
        return
      case 'debugger':
        this.facts.mark('bare-debugger', statement)
    }
  }

  /** Each decorator is given what the one below it made: `@eval` over `@'…'.format` runs the text. */
  #decorate(decorators: readonly Expression[], decorated: Value): void {
    const own = decorated.kind === 'own' ? this.owns[decorated.id] : undefined
    let made = decorated
    for (const decorator of decorators.toReversed()) {
      const value = this.evaluate(decorator)
      if (own && value.kind === 'thing' && isRoute.test(value.name)) own.requested = true
      if (decorator.kind === 'member' && value.kind === 'unknown') made = this.#decoratedBy(decorator, made)
      else if (value.kind === 'thing' && decorator.kind !== 'call')
        made = this.record(value.name, null, [made], noNamed, decorator, false)
      // What a function in its place makes of it is not followed.
      else if (value.kind === 'own') made = unknown
    }
  }

  #decoratedBy(decorator: Expression, decorated: Value): Value {
    const { start, end } = decorator
    const given: Expression = { kind: 'constant', value: decorated, start, end }
    return this.call({
      kind: 'call',
      callee: decorator,
      args: [{ name: null, value: given, spread: false }],
      made: false,
      start,
      end,
    })
  }

  #loop(statement: Extract<Statement, { kind: 'loop' }>): void {
    this.block(statement.before)
    if (statement.endless) this.facts.mark('endless-loop', statement)
    if (statement.test) this.evaluate(statement.test)
    const over = statement.over ? this.evaluate(statement.over) : null
    if (over !== null) this.walked(over, statement)
    this.loops++
    const { target } = statement
    if (
      over?.kind === 'list' &&
      !over.open &&
      target !== null &&
      this.mayUnroll(over.items.length, statement.end - statement.start)
    ) {
      for (const item of over.items) {
        this.assign(target, item, true)
        this.block(statement.body)
      }
    } else {
      this.variables.ways(
        [
          () => {
            if (target !== null) this.assign(target, over === null ? unknown : elementOf(over), true)
            this.block(statement.body)
          },
        ],
        false,
      )
    }
    this.loops--
  }

  protected classed(cls: ClassSyntax): Value {
    const instance = `~${cls.name}()`
    const attributes = this.objects.attributes.get(instance) ?? new Map<string, Value>()
    this.objects.attributes.set(instance, attributes)
    const [base] = listOf(cls.bases, expression => this.evaluate(expression))
    if (base) this.objects.bases.set(instance, base)
    const value = this.own(cls.name, null, cls)
    this.variables.set(cls.name, value, true)
    const { self } = this
    this.self = instance
    this.variables.inScope(this.variables.scope, scope => {
      this.block(cls.body)
      for (const [name, member] of scope.variables) attributes.set(name, member)
    })
    this.self = self
    return value
  }

  #import(statement: Extract<Statement, { kind: 'import' }>): void {
    const module = statement.module.startsWith('node:') ? statement.module.slice(5) : statement.module
    const names: string[] = []
    for (const { name } of statement.bindings) if (name !== '') names.push(name)
    this.facts.program.imports.push({
      module,
      names,
      start: statement.start,
      end: statement.end,
    })
    // A module that is its own text is code in a string.
    if (module.startsWith('data:')) {
      const { start, end } = statement
      this.record('import', null, [text(module)], noNamed, { kind: 'constant', value: nothing, start, end }, false)
    }
    const library = libraryName(module)
    for (const { name, local } of statement.bindings) {
      if (name === '*') {
        this.stars.push(library)
        continue
      }
      const dot = library.indexOf('.')
      const root = dot === -1 ? library : library.slice(0, dot)
      // `import a.b` binds `a`.
      const full = name === '' ? (local === root ? root : library) : name === 'default' ? library : `${library}.${name}`
      this.variables.set(local, this.objects.thing(full), true)
    }
  }
}

/** The trace of a failure, alone or in a text or a list. */
function tellsFailure(value: Value): boolean {
  if (value.kind === 'thing') return value.name.startsWith('traceback.')
  if (value.kind === 'joined') return value.parts.some(part => typeof part !== 'string' && tellsFailure(part))
  return value.kind === 'list' && value.items.some(tellsFailure)
}
