import { listOf } from '../lists.ts'
import { origin, type Value } from '../model.ts'
import type { Argument, At, ClassSyntax, Expression } from '../syntax.ts'
import { from, isHole, join, list, map, nothing, number, text, thing, unknown } from '../values.ts'
import { binary } from './arithmetic.ts'
import { noNamed } from './callees.ts'
import { Calling } from './calling.ts'
import { spelled } from './facts.ts'
import { elementOf, firstOption, holdsVariables, scalar, withPart } from './objects.ts'
import { anyOf, either } from './scope.ts'

const mostSteps = 600_000
const deepest = 900
const mostUnrolled = 4_000
const mostYielded = 8

/** Thrown when a program is too large or too tangled to be followed; what was found so far stands. */
export class OutOfSteps extends Error {}

/** Expressions: what each is worth, as far as that can be known before the program runs. */
export abstract class Expressions extends Calling {
  /** Modules of which everything was imported. */
  protected readonly stars: string[] = []
  #steps = 0
  #depth = 0
  #unrolled = 0

  protected abstract classed(cls: ClassSyntax): Value

  protected step(): void {
    if (++this.#steps > mostSteps) throw new OutOfSteps()
  }

  protected evaluate(expression: Expression): Value {
    this.step()
    if (this.#depth >= deepest) throw new OutOfSteps()
    this.#depth++
    const value = this.#worth(expression)
    this.#depth--
    return value
  }

  #worth(expression: Expression): Value {
    switch (expression.kind) {
      case 'constant':
        this.facts.text(expression)
        return expression.value
      case 'name':
        return this.#name(expression.name)
      case 'member':
        return this.objects.member(this.evaluate(expression.object), expression.property)
      case 'index':
        return this.objects.index(this.evaluate(expression.object), this.evaluate(expression.index))
      case 'slice':
        return this.#slice(expression)
      case 'call':
        return this.call(expression)
      case 'import-call': {
        const module = this.evaluate(expression.argument)
        return this.record('import', null, [module], noNamed, expression, false)
      }
      case 'binary':
        return this.#binary(expression)
      case 'unary': {
        const operand = this.evaluate(expression.operand)
        if (operand.kind === 'number' && expression.operator === '-') return number(-operand.number)
        if (operand.kind === 'number' && expression.operator === '~') return number(~operand.number)
        return from(operand.origins)
      }
      case 'compare':
        this.facts.compared(
          listOf(expression.operands, operand => this.evaluate(operand)),
          expression.operands,
          expression,
        )
        return unknown
      case 'template':
        return this.#template(expression.parts)
      case 'list': {
        const { values, open } = this.items(expression.items)
        return list(values, open)
      }
      case 'map':
        return this.#map(expression)
      case 'choice': {
        for (const test of expression.tests) this.evaluate(test)
        let chosen: Value | undefined
        for (const option of expression.options) chosen = either(chosen, this.evaluate(option))
        return chosen ?? unknown
      }
      case 'function':
        return this.own(expression.fn.name, expression.fn, null)
      case 'class':
        return this.classed(expression.cls)
      case 'assign':
        return this.#assignment(expression)
      case 'comprehension':
        return this.#comprehension(expression)
      case 'yield': {
        const value = this.evaluate(expression.value)
        const before = this.returned?.kind === 'list' ? this.returned.items : []
        const given = expression.all && value.kind === 'list' ? value.items : [value]
        // What calls the generator gets a list of what it hands out.
        if (before.length < mostYielded) this.returned = list([...before, ...given.slice(0, mostYielded)], true)
        return from(value.origins)
      }
      case 'parts': {
        let origins = 0
        for (const part of expression.parts) origins |= this.evaluate(part).origins
        return from(origins)
      }
    }
  }

  #name(name: string): Value {
    const known = this.variables.scope.find(name)
    if (known !== undefined) return known
    if (name === 'undefined') return nothing
    if (this.self !== null && (name === 'self' || name === 'this' || name === 'cls')) return thing(this.self)
    if (this.stars.length > 0 && !this.library.builtins.has(name)) {
      // `from os import *` may bring any name that nothing else explains.
      return anyOf(
        this.stars.map(module => this.objects.thing(`${module}.${name}`)),
        0,
      )
    }
    return this.objects.thing(this.library.aliases.get(name) ?? name)
  }

  #slice(expression: Expression & { kind: 'slice' }): Value {
    const object = this.evaluate(expression.object)
    const [start, end, step] = expression.bounds.map(bound => {
      if (bound === null) return null
      const value = this.evaluate(bound)
      return value.kind === 'number' ? value.number : Number.NaN
    })
    const stride = step ?? 1
    if (Number.isNaN(start) || Number.isNaN(end) || Number.isNaN(stride) || stride === 0) return from(object.origins)
    const cut = <T>(items: readonly T[]): T[] => {
      const ordered = stride < 0 ? [...items].reverse() : items.slice(start ?? undefined, end ?? undefined)
      return ordered.filter((_, at) => at % Math.abs(stride) === 0)
    }
    if (object.kind === 'text') return text(cut([...object.text]).join(''), object.origins)
    if (object.kind === 'list') return list(cut(object.items), object.open)
    return from(object.origins)
  }

  #template(parts: readonly (string | Expression)[]): Value {
    return join(listOf(parts, part => (typeof part === 'string' ? part : firstOption(this.evaluate(part)))))
  }

  /** Iterative, because a sum of a thousand strings is a thousand levels deep. */
  #binary(expression: Expression & { kind: 'binary' }): Value {
    const spine: (Expression & { kind: 'binary' })[] = []
    let left: Expression = expression
    while (left.kind === 'binary') {
      spine.push(left)
      left = left.left
    }
    let value = this.evaluate(left)
    for (let level = spine.length - 1; level >= 0; level--) {
      const operation = spine[level]
      if (operation === undefined) continue
      this.step()
      const right = firstOption(this.evaluate(operation.right))
      value = binary(operation.operator, firstOption(value), right, this.library.slashJoins)
    }
    return value
  }

  protected items(items: readonly Argument[]): { values: Value[]; open: boolean } {
    const values: Value[] = []
    let open = false
    for (const item of items) {
      const value = this.evaluate(item.value)
      if (!item.spread) values.push(value)
      else if (value.kind === 'list') {
        values.push(...value.items)
        open ||= value.open
      } else {
        open = true
        if (value.origins) values.push(from(value.origins))
      }
    }
    return { values, open }
  }

  #map(expression: Expression & { kind: 'map' }): Value {
    const entries = new Map<string, Value>()
    let open = false
    for (const { key, value } of expression.entries) {
      const worth = this.evaluate(value)
      if (key === null) {
        // A copy of a module does what the module does.
        if (worth.kind === 'thing' && expression.entries.length === 1) return worth
        if (worth.kind === 'map') for (const [name, inner] of worth.entries) entries.set(name, inner)
        else open = true
        continue
      }
      const folded = typeof key === 'string' ? key : scalar(this.evaluate(key))
      if (folded === null) open = true
      else {
        entries.set(folded, worth)
        this.facts.assigned(folded, worth, 'entry', value)
      }
    }
    return map(entries, open)
  }

  #assignment(expression: Expression & { kind: 'assign' }): Value {
    let value = this.evaluate(expression.value)
    if (['+', '/', '%', '|'].includes(expression.operator)) {
      const old = firstOption(this.evaluate(expression.target))
      value = binary(expression.operator, old, firstOption(value), this.library.slashJoins)
    } else if (expression.operator === '??' || expression.operator === '||' || expression.operator === '&&')
      value = either(this.evaluate(expression.target), value)
    else if (expression.operator !== '') value = from(value.origins)
    this.assign(expression.target, value, expression.declares)
    return value
  }

  protected assign(target: Expression, value: Value, declares: boolean): void {
    switch (target.kind) {
      case 'name':
        this.variables.set(target.name, value, declares)
        this.facts.assigned(target.name, value, 'assign', target)
        return
      case 'list':
        target.items.forEach((item, at) => {
          const part = item.spread
            ? value.kind === 'list'
              ? list(value.items.slice(at), value.open || at < target.items.length - 1)
              : from(value.origins)
            : value.kind === 'list'
              ? (value.items[at] ?? from(value.origins))
              : this.objects.index(value, number(at))
          this.assign(item.value, part, declares)
        })
        return
      case 'map':
        for (const entry of target.entries) {
          const key =
            entry.key === null ? null : typeof entry.key === 'string' ? entry.key : scalar(this.evaluate(entry.key))
          this.assign(entry.value, key === null ? from(value.origins) : this.objects.member(value, key), declares)
        }
        return
      case 'member':
      case 'index': {
        const object = this.evaluate(target.object)
        const index = target.kind === 'member' ? null : this.evaluate(target.index)
        const property = target.kind === 'member' ? target.property : index === null ? null : scalar(index)
        if (index !== null && index.origins & origin.request && index.kind !== 'number')
          this.facts.mark('chosen-name', target, spelled(target) ?? '')
        this.facts.assigned(spelled(target) ?? `?.${property ?? ''}`, value, 'assign', target)
        if (property === null) return
        if (object.kind === 'thing' && object.name.startsWith('~')) {
          const attributes = this.objects.attributes.get(object.name)
          attributes?.set(property, either(attributes.get(property), value))
        } else if (object.kind === 'thing' && holdsVariables.has(object.name) && !isHole(property))
          this.variables.set(property, value, true)
        else if (target.object.kind === 'name') this.#mutate(target.object.name, object, property, value)
        return
      }
      case 'choice': {
        // `const { x = y } = z`: what stands there for want of a value.
        const [left, fallback] = target.options
        const otherwise = fallback ? this.evaluate(fallback) : value
        if (left) this.assign(left, value.kind === 'unknown' ? either(value, otherwise) : value, declares)
        return
      }
      default:
        this.evaluate(target)
    }
  }

  #mutate(name: string, object: Value, property: string, value: Value): void {
    if (object.kind === 'map') {
      this.variables.change(name, map(new Map([...object.entries, [property, value]]), object.open))
    } else if (object.kind === 'list') this.variables.change(name, list(object.items, true))
    else if (object.kind === 'text' || object.kind === 'joined') {
      const address = withPart(object, property, value)
      if (address !== null) this.variables.change(name, address)
    }
  }

  #comprehension(expression: Expression & { kind: 'comprehension' }): Value {
    return this.variables.inScope(this.variables.scope, () => this.#comprehended(expression))
  }

  #comprehended(expression: Expression & { kind: 'comprehension' }): Value {
    const results: Value[] = []
    const entries = new Map<string, Value>()
    const [loop, ...others] = expression.loops
    const over = loop ? this.evaluate(loop.over) : unknown
    this.walked(over, expression)
    const body = (): Value => {
      for (const inner of others) {
        this.assign(inner.target, elementOf(this.evaluate(inner.over)), true)
        for (const test of inner.tests) this.evaluate(test)
      }
      const parts = listOf(expression.body, part => this.evaluate(part))
      const value = parts.at(-1) ?? unknown
      const key = expression.map && parts.length === 2 && parts[0] ? scalar(parts[0]) : null
      if (key !== null) entries.set(key, value)
      return value
    }
    const items =
      over.kind === 'text'
        ? listOf(over.text, letter => text(letter, over.origins))
        : over.kind === 'list' && !over.open
          ? over.items
          : null
    let open = false
    if (loop && items && others.length === 0 && loop.tests.length === 0 && this.mayUnroll(items.length, 10)) {
      for (const item of items) {
        this.assign(loop.target, item, true)
        results.push(body())
      }
    } else if (loop) {
      open = true
      this.loops++
      this.assign(loop.target, elementOf(over), true)
      for (const test of loop.tests) this.evaluate(test)
      results.push(body())
      this.loops--
    }
    if (expression.map && entries.size > 0) return map(entries, true)
    if (expression.map) return from(results.reduce((all, value) => all | value.origins, 0))
    return list(results, open)
  }

  /** Whoever looks at all variables of the environment looks for those that hold secrets. */
  protected walked(over: Value, at: At): void {
    if (over.kind === 'thing' && /^(process\.env|os\.environb?)$/.test(over.name))
      this.facts.mark('walked-environment', at)
  }

  /** A loop over a known list is walked item by item, within reason. */
  protected mayUnroll(times: number, length: number): boolean {
    if (times === 0 || times * length > 60_000 || times + this.#unrolled > mostUnrolled) return false
    this.#unrolled += times
    return true
  }
}
