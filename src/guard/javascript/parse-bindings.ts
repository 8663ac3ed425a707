import { type Node, none } from '../tree/tree.ts'
import { giveUp } from '../tree/unsure.ts'
import { MarkupParser } from './parse-markup.ts'
import { token } from './scanner.ts'

/**
 * What declarations, parameters and assignments of JavaScript bind, objects, which may turn out to be bound to, and the
 * functions that parameters belong to.
 */
export abstract class BindingParser extends MarkupParser {
  /** Shorthands with a default (`{ a = 1 }`) that only a pattern may have, and that are in none yet. */
  protected uncovered = 0
  /** False in the head of a `for`, where `in` does not compare. */
  protected comparesIn = true

  protected abstract expression(): Node
  /** The same, where it may still turn out to be a pattern. */
  protected abstract assignment(): Node
  /** `{ … }` with statements in it. */
  protected abstract statements(): Node

  /** Inside brackets `in` compares again. */
  protected inside<T>(read: () => T): T {
    const { comparesIn } = this
    this.comparesIn = true
    const found = read()
    this.comparesIn = comparesIn
    return found
  }

  protected object(): Node {
    const { start } = this
    this.next()
    const found: Node[] = []
    while (!this.is('}')) {
      found.push(this.#property())
      if (!this.is('}')) this.expect(',')
    }
    this.next()
    return this.node('object', start, found)
  }

  #property(): Node {
    const { start } = this
    if (this.takes('...')) return this.around('spread_element', start, this.assignment())
    if (this.is('*')) return this.method(start)
    const { kind, word, keyword } = this
    const key = this.key()
    if (kind === token.name && modifiers.has(word) && (this.kind !== token.operator || '[*'.includes(this.word))) {
      if (this.fresh || this.kind === token.end) giveUp()
      return this.method(start)
    }
    return this.#valued(start, key, kind === token.name && !keyword)
  }

  /** What follows the key of a property: its value, a method, or nothing. */
  #valued(start: number, key: Node, plain: boolean): Node {
    if (this.takes(':')) return this.joining('pair', start, key, 'key', this.assignment(), 'value')
    if (this.is('(')) return this.methodRest(start, key)
    if (!plain) giveUp()
    if (!this.is('=')) {
      key.type = 'shorthand_property_identifier'
      return key
    }
    this.next()
    key.type = 'shorthand_property_identifier_pattern'
    const value = this.assignment()
    this.uncovered++
    return this.joining('object_assignment_pattern', start, key, 'left', value, 'right')
  }

  /** The name of a property or method. */
  protected key(): Node {
    const { start } = this
    if (this.kind === token.name) return this.leaf('property_identifier')
    if (this.kind === token.string) return this.leaf('string')
    if (this.kind === token.number) return this.leaf('number')
    if (!this.takes('[')) giveUp()
    const inner = this.inside(() => this.expression())
    this.expect(']')
    return this.around('computed_property_name', start, inner)
  }

  /** A method behind its modifiers `async`, `get`, `set`, which are no nodes. */
  protected method(start: number): Node {
    this.takes('*')
    return this.methodRest(start, this.kind === token.hidden ? this.leaf('private_property_identifier') : this.key())
  }

  protected methodRest(start: number, name: Node): Node {
    const parts = [name, this.formalParameters(), this.inside(() => this.statements())]
    return this.node('method_definition', start, parts, ['name', 'parameters', 'body'])
  }

  /** Reads on from `function`. */
  protected functionExpression(start: number): Node {
    this.expect('function')
    const type = this.takes('*') ? 'generator_function' : 'function_expression'
    return this.functionRest(type, start, this.is('(') ? none : this.identifier())
  }

  protected functionRest(type: string, start: number, name: Node): Node {
    const parts = [this.formalParameters(), this.inside(() => this.statements())]
    const fields = ['parameters', 'body']
    return name === none
      ? this.node(type, start, parts, fields)
      : this.node(type, start, [name, ...parts], ['name', ...fields])
  }

  protected formalParameters(): Node {
    const { start } = this
    this.expect('(')
    const found: Node[] = []
    while (!this.is(')')) {
      found.push(this.bound(true))
      if (!this.is(')')) this.expect(',')
    }
    this.next()
    return this.node('formal_parameters', start, found)
  }

  /** What a declaration or parameter binds. */
  protected bound(withDefault: boolean): Node {
    const { start } = this
    if (this.takes('...')) return this.around('rest_pattern', start, this.bound(false))
    this.enter()
    let found: Node
    if (this.is('[')) {
      this.next()
      const all: Node[] = []
      while (!this.is(']')) {
        if (this.takes(',')) continue
        all.push(this.bound(true))
        if (!this.is(']')) this.expect(',')
      }
      this.next()
      found = this.node('array_pattern', start, all)
    } else if (this.is('{')) found = this.#objectPattern()
    else found = this.identifier()
    this.leave()
    if (!withDefault || !this.takes('=')) return found
    const value = this.inside(() => this.expression())
    return this.joining('assignment_pattern', start, found, 'left', value, 'right')
  }

  #objectPattern(): Node {
    const { start } = this
    this.next()
    const found: Node[] = []
    while (!this.is('}')) {
      const from = this.start
      if (this.takes('...')) found.push(this.around('rest_pattern', from, this.identifier()))
      else {
        const plain = this.kind === token.name && !this.keyword
        const key = this.key()
        if (this.takes(':')) found.push(this.joining('pair_pattern', from, key, 'key', this.bound(true), 'value'))
        else {
          if (!plain) giveUp()
          key.type = 'shorthand_property_identifier_pattern'
          if (this.takes('=')) {
            const value = this.inside(() => this.expression())
            found.push(this.joining('object_assignment_pattern', from, key, 'left', value, 'right'))
          } else found.push(key)
        }
      }
      if (!this.is('}')) this.expect(',')
    }
    this.next()
    return this.node('object_pattern', start, found)
  }

  /** What turned out to be a target: objects, arrays and their parts become patterns. */
  protected pattern(node: Node): void {
    const { type } = node
    if (type === 'object_assignment_pattern') {
      this.uncovered--
      return
    }
    if (type === 'member_expression' || type === 'subscript_expression') return
    node.type = patterns.get(type) ?? giveUp()
    const first = node.first
    switch (type) {
      case 'object':
      case 'array':
        for (let child = first; child !== none; child = child.next) this.pattern(child)
        return
      case 'spread_element':
        this.pattern(first)
        return
      case 'pair':
        this.pattern(first.next)
    }
  }
}

const modifiers = new Set(['get', 'set', 'async', 'static'])
const patterns: ReadonlyMap<string, string> = new Map([
  ['identifier', 'identifier'],
  ['object', 'object_pattern'],
  ['array', 'array_pattern'],
  ['object_pattern', 'object_pattern'],
  ['array_pattern', 'array_pattern'],
  ['assignment_expression', 'assignment_pattern'],
  ['spread_element', 'rest_pattern'],
  ['pair', 'pair_pattern'],
  ['shorthand_property_identifier', 'shorthand_property_identifier_pattern'],
])
