import { type Node, none } from '../tree/tree.ts'
import { giveUp } from '../tree/unsure.ts'
import { ClassParser } from './parse-classes.ts'
import { binds, token } from './scanner.ts'

const assigning = new Set('+= -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??='.split(' '))
const unary = new Set(['!', '~', '+', '-', 'typeof', 'void', 'delete'])
const own = new Set(['this', 'super', 'true', 'false', 'null', 'undefined'])

/** Expressions of JavaScript, as nodes of the tree-sitter grammar. */
export abstract class ExpressionParser extends ClassParser {
  /** One expression, or several with commas between them. */
  protected expressions(): Node {
    const { start } = this
    const first = this.expression()
    if (!this.is(',')) return first
    const all = [first]
    while (this.takes(',')) all.push(this.expression())
    return this.node('sequence_expression', start, all)
  }

  protected expression(): Node {
    const found = this.assignment()
    if (this.uncovered > 0) giveUp()
    return found
  }

  protected assignment(): Node {
    this.enter()
    const found = this.#assigned()
    this.leave()
    return found
  }

  #assigned(): Node {
    const { start } = this
    if (this.keyword && this.word === 'yield') return this.#yield()
    const left = this.#conditional()
    // Most expressions end where their first operand does.
    if (this.binding !== binds.otherwise) return left
    if (this.word === '=') {
      this.#targets(left)
      this.next()
      return this.joining('assignment_expression', start, left, 'left', this.assignment(), 'right')
    }
    if (assigning.has(this.word)) {
      if (!/^(identifier|member_expression|subscript_expression)$/.test(left.type)) giveUp()
      this.next()
      return this.joining('augmented_assignment_expression', start, left, 'left', this.assignment(), 'right')
    }
    return left
  }

  #targets(left: Node): void {
    const { type } = left
    if (type === 'object' || type === 'array') this.pattern(left)
    else if (type !== 'identifier' && type !== 'member_expression' && type !== 'subscript_expression') giveUp()
  }

  #yield(): Node {
    const { start } = this
    this.next()
    if (this.fresh) giveUp()
    if (this.takes('*')) return this.around('yield_expression', start, this.assignment())
    const ends = this.kind === token.end || (this.kind === token.operator && ')]};,:'.includes(this.word))
    return this.node('yield_expression', start, ends ? [] : [this.assignment()])
  }

  #conditional(): Node {
    const { start } = this
    const test = this.#binary(1)
    if (!this.is('?')) return test
    if (test.type === 'arrow_function') giveUp()
    this.next()
    const { comparesIn } = this
    this.comparesIn = true
    const consequence = this.assignment()
    this.comparesIn = comparesIn
    this.expect(':')
    const parts = [test, consequence, this.assignment()]
    return this.node('ternary_expression', start, parts, ['condition', 'consequence', 'alternative'])
  }

  #binary(least: number): Node {
    const { start } = this
    let found = this.#unary()
    for (;;) {
      const { binding } = this
      if (binding < least || binding > binds.tightest) return found
      if (this.word === 'in' && !this.comparesIn) return found
      const { type } = found
      if (type === 'arrow_function' || (binding === binds.tightest && type === 'unary_expression')) giveUp()
      this.next()
      this.enter()
      const right = this.#binary(binding === binds.tightest ? binding : binding + 1)
      this.leave()
      if (right.type === 'arrow_function') giveUp()
      found = this.joining('binary_expression', start, found, 'left', right, 'right')
    }
  }

  #unary(): Node {
    const { start } = this
    if (this.word !== '') {
      if (unary.has(this.word)) {
        this.enter()
        this.next()
        const operand = this.#unary()
        this.leave()
        return this.around('unary_expression', start, operand, 'argument')
      }
      if (this.word === 'await') {
        this.enter()
        this.next()
        // The grammar may take it for a name here, and go on with an operator.
        if (this.fresh || (this.kind === token.operator && '`/=+-'.includes(this.word))) giveUp()
        const operand = this.#unary()
        this.leave()
        return this.around('await_expression', start, operand)
      }
      if (this.word === '++' || this.word === '--') {
        this.next()
        const operand = this.#unary()
        if (operand.type === 'update_expression') giveUp()
        return this.around('update_expression', start, operand, 'argument')
      }
    }
    const found = this.#chain(this.#atom(), start)
    if (this.binding === binds.otherwise && (this.word === '++' || this.word === '--')) {
      if (this.fresh) giveUp()
      this.next()
      return this.around('update_expression', start, found, 'argument')
    }
    return found
  }

  /** Members, calls and templates behind an expression. */
  #chain(first: Node, start: number): Node {
    let found = first
    if (found.type === 'arrow_function') return found
    for (;;) {
      if (this.kind !== token.operator) return found
      switch (this.word) {
        case '.':
          this.next()
          found = this.#member(found, start)
          break
        case '?.':
          this.next()
          if (this.is('(')) found = this.#call(found, start)
          else if (this.is('[')) found = this.#subscript(found, start)
          else found = this.#member(found, start)
          break
        case '[':
          found = this.#subscript(found, start)
          break
        case '(':
          found = this.#call(found, start)
          break
        case '`':
          found = this.joining('call_expression', start, found, 'function', this.#template(), 'arguments')
          break
        default:
          return found
      }
    }
  }

  protected base(start: number): Node {
    return this.#chain(this.#atom(), start)
  }

  #member(object: Node, start: number): Node {
    const property = this.kind === token.hidden ? 'private_property_identifier' : 'property_identifier'
    if (this.kind !== token.name && this.kind !== token.hidden) giveUp()
    return this.joining('member_expression', start, object, 'object', this.leaf(property), 'property')
  }

  #subscript(object: Node, start: number): Node {
    this.next()
    const index = this.inside(() => this.expressions())
    this.expect(']')
    return this.joining('subscript_expression', start, object, 'object', index, 'index')
  }

  #call(callee: Node, start: number): Node {
    return this.joining('call_expression', start, callee, 'function', this.#arguments(), 'arguments')
  }

  protected embedded(): Node {
    return this.inside(() => {
      const { start } = this
      return this.takes('...') ? this.around('spread_element', start, this.assignment()) : this.expressions()
    })
  }

  #arguments(): Node {
    const { start } = this
    this.expect('(')
    const found = this.inside(() => this.#elements(')'))
    this.expect(')')
    return this.node('arguments', start, found)
  }

  /** Elements up to a closing bracket, spread or not. */
  #elements(closing: string): Node[] {
    const found: Node[] = []
    while (!this.is(closing)) {
      if (closing === ']' && this.takes(',')) continue
      const { start } = this
      if (this.takes('...')) found.push(this.around('spread_element', start, this.assignment()))
      else found.push(this.assignment())
      if (!this.is(closing)) this.expect(',')
    }
    return found
  }

  #atom(): Node {
    const { start } = this
    switch (this.kind) {
      case token.name:
        return this.keyword ? this.#word() : this.#named()
      case token.number:
        return this.leaf('number')
      case token.string:
        return this.leaf('string')
      case token.operator:
        switch (this.word) {
          case '(':
            return this.#parenthesised()
          case '[': {
            this.next()
            const found = this.inside(() => this.#elements(']'))
            this.expect(']')
            return this.node('array', start, found)
          }
          case '{':
            return this.inside(() => this.object())
          case '`':
            return this.#template()
          case '<': {
            const found = this.markup()
            // What goes on behind markup is told differently in different places.
            if (this.kind === token.operator && '.([`<?.'.includes(this.word)) giveUp()
            return found
          }
          case '/':
          case '/=':
            this.regularExpression()
            return this.leaf('regex')
        }
    }
    return giveUp()
  }

  #word(): Node {
    const { start, word } = this
    if (own.has(word)) return this.leaf(word)
    switch (word) {
      case 'function':
        return this.functionExpression(start)
      case 'class':
        return this.inside(() => this.classNode('class', false))
      case 'new':
        return this.#new()
      case 'import': {
        const imported = this.leaf('import')
        if (this.is('(')) return imported
        if (!this.takes('.') || (this.word as string) !== 'meta') giveUp()
        this.next()
        return this.node('meta_property', start, [])
      }
    }
    return giveUp()
  }

  /** A name, or the arrow function that starts with it. */
  #named(): Node {
    const { start, word } = this
    const name = this.identifier()
    if (this.is('=>')) return this.#arrow(start, name, 'parameter')
    if (word !== 'async' || this.fresh) return name
    if (this.is('function')) return this.functionExpression(start)
    if (this.kind === token.name && !this.keyword) {
      const parameter = this.identifier()
      return this.is('=>') ? this.#arrow(start, parameter, 'parameter') : giveUp()
    }
    if (!this.is('(')) return name
    const given = this.#arguments()
    if (!this.is('=>')) {
      if (this.uncovered > 0) giveUp()
      return this.joining('call_expression', start, name, 'function', given, 'arguments')
    }
    this.#parameters(given)
    return this.#arrow(start, given, 'parameters')
  }

  #parameters(list: Node): void {
    list.type = 'formal_parameters'
    for (let child = list.first; child !== none; child = child.next) this.pattern(child)
  }

  #arrow(start: number, parameters: Node, field: string): Node {
    if (this.fresh || this.uncovered > 0) giveUp()
    this.next()
    this.enter()
    const body = this.is('{') ? this.inside(() => this.statements()) : this.assignment()
    this.leave()
    return this.node('arrow_function', start, [parameters, body], [field, 'body'])
  }

  #parenthesised(): Node {
    const { start } = this
    this.next()
    const all = this.inside(() => this.#elements(')'))
    const comma = this.source.charCodeAt(this.last - 1) === 44
    const inner = all.length > 0 ? (all[0] ?? none).start : this.start
    const innerEnd = this.last
    this.expect(')')
    if (this.is('=>')) {
      const list = this.node('formal_parameters', start, all)
      this.#parameters(list)
      return this.#arrow(start, list, 'parameters')
    }
    const [first = none] = all
    if (all.length === 0 || comma || this.uncovered > 0) giveUp()
    if (all.some(each => each.type === 'spread_element')) giveUp()
    if (all.length === 1) return this.around('parenthesized_expression', start, first)
    const sequence = this.node('sequence_expression', inner, all)
    sequence.end = innerEnd
    return this.around('parenthesized_expression', start, sequence)
  }

  #new(): Node {
    const { start } = this
    this.next()
    if (this.is('.')) giveUp()
    const from = this.start
    let made = this.#atom()
    if (/^(import|arrow_function|call_expression|jsx_.*)$/.test(made.type)) giveUp()
    for (;;) {
      if (this.takes('.')) made = this.#member(made, from)
      else if (this.is('[')) made = this.#subscript(made, from)
      else break
    }
    if (this.is('`') || this.is('?.')) giveUp()
    if (!this.is('(')) return this.around('new_expression', start, made, 'constructor')
    return this.joining('new_expression', start, made, 'constructor', this.#arguments(), 'arguments')
  }

  /** Read in place: the text between the expressions is nobody's node. */
  #template(): Node {
    const { start, source } = this
    const found: Node[] = []
    let at = this.end
    this.enter()
    for (; ; at++) {
      const code = source.charCodeAt(at)
      if (code === 92) at++
      else if (code === 96) break
      else if (at >= source.length) giveUp()
      else if (code === 36 && source.charCodeAt(at + 1) === 123) {
        this.continueAt(at + 2)
        const inner = this.inside(() => this.expressions())
        if (!this.is('}')) giveUp()
        this.last = this.end
        found.push(this.around('template_substitution', at, inner))
        at = this.end - 1
      }
    }
    this.leave()
    this.continueAt(at + 1)
    return this.node('template_string', start, found)
  }
}
