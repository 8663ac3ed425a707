import { type Node, nodeOf, none } from '../tree/tree.ts'
import { giveUp } from '../tree/unsure.ts'
import { AtomParser } from './parse-atoms.ts'
import { binds, token } from './scanner.ts'

/** Unary operators bind tighter than all binary ones but the power. */
const unaryBinds = 7

/** Expressions of Python, as nodes of the tree-sitter grammar. */
export class ExpressionParser extends AtomParser {
  protected typed(): Node {
    const { start } = this
    this.expression()
    return nodeOf('type', start, this.last)
  }

  /** One expression, or several with commas between them as a list. */
  protected expressions(): Node {
    const { start } = this
    const first = this.starred()
    if (!this.is(',')) return first
    return this.node('expression_list', start, this.more(first))
  }

  protected more(first: Node): Node[] {
    const found = [first]
    while (this.takes(',')) {
      if (!this.startsExpression()) break
      found.push(this.starred())
    }
    return found
  }

  protected startsExpression(): boolean {
    if (this.kind === token.operator) return '([{-+~*...'.includes(this.word) && this.word !== '.'
    if (this.kind > token.string) return false
    if (!this.keyword) return true
    return /^(not|lambda|await|None|True|False|yield)$/.test(this.word)
  }

  protected starred(): Node {
    const { start } = this
    if (!this.takes('*')) return this.expression()
    const spread = this.binary(1)
    // The grammar takes `[*f(x)]` for a call of `*f`.
    if (spread.type !== 'identifier') giveUp()
    return this.around('list_splat', start, spread)
  }

  protected expression(): Node {
    this.enter()
    const { start } = this
    let found = this.is('lambda') ? this.lambda() : this.disjunction()
    // Most expressions end where their first operand does.
    if (this.binding !== binds.otherwise) {
      this.leave()
      return found
    }
    if (this.is(':=')) {
      if (found.type !== 'identifier') giveUp()
      this.next()
      found = this.joining('named_expression', start, found, 'name', this.expression(), 'value')
    } else if (this.takes('if')) {
      const test = this.disjunction()
      this.expect('else')
      found = this.node('conditional_expression', start, [found, test, this.expression()])
    }
    this.leave()
    return found
  }

  protected disjunction(): Node {
    const { start } = this
    let found = this.#conjunction()
    while (this.takes('or')) {
      found = this.joining('boolean_operator', start, found, 'left', this.#conjunction(), 'right')
    }
    return found
  }

  #conjunction(): Node {
    const { start } = this
    let found = this.#negation()
    while (this.takes('and')) {
      found = this.joining('boolean_operator', start, found, 'left', this.#negation(), 'right')
    }
    return found
  }

  #negation(): Node {
    const { start } = this
    if (!this.takes('not')) return this.#comparison()
    this.enter()
    const found = this.around('not_operator', start, this.#negation(), 'argument')
    this.leave()
    return found
  }

  #comparison(): Node {
    const { start } = this
    const first = this.is('lambda') ? this.lambda() : this.binary(1)
    if (this.binding !== binds.comparing || !this.#compares()) return first
    const operands = [first]
    do operands.push(this.binary(1))
    while (this.#compares())
    return this.node('comparison_operator', start, operands)
  }

  #compares(): boolean {
    if (this.binding !== binds.comparing) return false
    if (this.kind === token.operator) {
      this.next()
      return true
    }
    if (this.takes('in')) return true
    if (this.is('not')) {
      this.next()
      this.expect('in')
      return true
    }
    if (!this.takes('is')) return false
    this.takes('not')
    return true
  }

  protected binary(least: number): Node {
    const { start } = this
    let found: Node
    if (this.kind === token.operator && (this.word === '-' || this.word === '+' || this.word === '~')) {
      this.enter()
      this.next()
      found = this.around('unary_operator', start, this.binary(unaryBinds), 'argument')
      this.leave()
    } else found = this.primary()
    for (;;) {
      const { binding } = this
      if (binding < least || binding > binds.tightest) return found
      this.next()
      this.enter()
      // `**` groups to the right, and its right side may have a sign.
      const right = this.binary(binding === binds.tightest ? unaryBinds : binding + 1)
      this.leave()
      found = this.joining('binary_operator', start, found, 'left', right, 'right')
    }
  }

  /** What a loop or an assignment can bind, before it is known to be a target. */
  protected target(): Node {
    const { start } = this
    if (this.takes('*')) return this.around('list_splat', start, this.primary())
    return this.primary()
  }

  protected primary(): Node {
    const { start } = this
    if (this.is('await')) {
      this.next()
      const awaited = this.primary()
      if (this.is('**')) giveUp()
      return this.around('await', start, awaited)
    }
    let found = this.atom()
    for (;;) {
      if (this.kind !== token.operator) return found
      switch (this.word) {
        case '.':
          this.next()
          found = this.joining('attribute', start, found, 'object', this.identifier(), 'attribute')
          break
        case '(':
          found = this.joining('call', start, found, 'function', this.callArguments(), 'arguments')
          break
        case '[':
          found = this.#subscript(found, start)
          break
        default:
          return found
      }
    }
  }

  protected callArguments(): Node {
    const { start } = this
    this.open('(')
    const found: Node[] = []
    while (!this.is(')')) {
      const from = this.start
      if (this.takes('**')) found.push(this.around('dictionary_splat', from, this.expression()))
      else if (this.takes('*')) found.push(this.around('list_splat', from, this.expression()))
      else {
        const value = this.expression()
        if (this.is('for') || this.is('async')) {
          if (found.length > 0) giveUp()
          const clauses = this.comprehension(value)
          this.close(')')
          return this.node('generator_expression', start, clauses, ['body'])
        }
        if (this.is('=')) {
          if (value.type !== 'identifier') giveUp()
          this.next()
          found.push(this.joining('keyword_argument', from, value, 'name', this.expression(), 'value'))
        } else found.push(value)
      }
      if (!this.takes(',')) break
    }
    this.close(')')
    return this.node('argument_list', start, found)
  }

  #subscript(value: Node, start: number): Node {
    this.open('[')
    const found = [value]
    const fields = ['value']
    do {
      if (this.is(']') && found.length > 1) break
      found.push(this.#index())
      fields.push('subscript')
    } while (this.takes(','))
    this.close(']')
    return this.node('subscript', start, found, fields)
  }

  #index(): Node {
    const { start } = this
    if (this.is('*')) giveUp()
    const bounds: Node[] = []
    if (!this.is(':')) {
      const first = this.expression()
      if (!this.is(':')) return first
      bounds.push(first)
    }
    for (let colons = 0; colons < 2 && this.takes(':'); colons++) {
      if (!this.is(':') && !this.is(']') && !this.is(',')) bounds.push(this.expression())
    }
    return this.node('slice', start, bounds)
  }

  protected targets(): Node {
    const { start } = this
    const first = this.target()
    if (!this.is(',')) return this.pattern(first)
    const all = [first]
    while (this.takes(',')) {
      if (this.is('in')) break
      all.push(this.target())
    }
    return this.pattern(this.node('expression_list', start, all))
  }

  /** What turned out to be a target: tuples and lists become patterns. */
  protected pattern(node: Node): Node {
    const type = patterns.get(node.type) ?? giveUp()
    node.type = type
    if (type !== 'identifier' && type !== 'attribute' && type !== 'subscript') {
      for (let child = node.first; child !== none; child = child.next) this.pattern(child)
    }
    return node
  }
}

const patterns: ReadonlyMap<string, string> = new Map([
  ['identifier', 'identifier'],
  ['attribute', 'attribute'],
  ['subscript', 'subscript'],
  ['tuple', 'tuple_pattern'],
  ['list', 'list_pattern'],
  ['expression_list', 'pattern_list'],
  ['list_splat', 'list_splat_pattern'],
  ['parenthesized_expression', 'tuple_pattern'],
])
