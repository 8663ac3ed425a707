import { type Node, nodeOf, none } from '../tree/tree.ts'
import { giveUp } from '../tree/unsure.ts'
import { binds, PythonScanner, token } from './scanner.ts'

/** Unary operators bind tighter than all binary ones but the power. */
const unaryBinds = 7

/** Expressions of Python, as nodes of the tree-sitter grammar. */
export class ExpressionParser extends PythonScanner {
  /** A type is kept as a whole. */
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

  /** What follows the first of several expressions. */
  protected more(first: Node): Node[] {
    const found = [first]
    while (this.takes(',')) {
      if (!this.#startsExpression()) break
      found.push(this.starred())
    }
    return found
  }

  #startsExpression(): boolean {
    if (this.kind === token.operator) return '([{-+~*...'.includes(this.word) && this.word !== '.'
    if (this.kind > token.string) return false
    if (!this.keyword) return true
    return /^(not|lambda|await|None|True|False|yield)$/.test(this.word)
  }

  protected starred(): Node {
    const { start } = this
    if (!this.takes('*')) return this.expression()
    const spread = this.#binary(1)
    // The grammar takes `[*f(x)]` for a call of `*f`.
    if (spread.type !== 'identifier') giveUp()
    return this.around('list_splat', start, spread)
  }

  protected expression(): Node {
    this.enter()
    const { start } = this
    let found = this.is('lambda') ? this.#lambda() : this.disjunction()
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
    const first = this.is('lambda') ? this.#lambda() : this.#binary(1)
    if (this.binding !== binds.comparing || !this.#compares()) return first
    const operands = [first]
    do operands.push(this.#binary(1))
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

  #binary(least: number): Node {
    const { start } = this
    let found: Node
    if (this.kind === token.operator && (this.word === '-' || this.word === '+' || this.word === '~')) {
      this.enter()
      this.next()
      found = this.around('unary_operator', start, this.#binary(unaryBinds), 'argument')
      this.leave()
    } else found = this.primary()
    for (;;) {
      const { binding } = this
      if (binding < least || binding > binds.tightest) return found
      this.next()
      this.enter()
      // `**` groups to the right, and its right side may have a sign.
      const right = this.#binary(binding === binds.tightest ? unaryBinds : binding + 1)
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
    let found = this.#atom()
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
    this.#open('(')
    const found: Node[] = []
    while (!this.is(')')) {
      const from = this.start
      if (this.takes('**')) found.push(this.around('dictionary_splat', from, this.expression()))
      else if (this.takes('*')) found.push(this.around('list_splat', from, this.expression()))
      else {
        const value = this.expression()
        if (this.is('for') || this.is('async')) {
          if (found.length > 0) giveUp()
          const clauses = this.#comprehension(value)
          this.#close(')')
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
    this.#close(')')
    return this.node('argument_list', start, found)
  }

  #open(bracket: string): void {
    if (!this.is(bracket)) giveUp()
    this.brackets++
    this.next()
  }

  #close(bracket: string): void {
    if (!this.is(bracket)) giveUp()
    this.brackets--
    this.next()
  }

  #subscript(value: Node, start: number): Node {
    this.#open('[')
    const found = [value]
    do {
      if (this.is(']') && found.length > 1) break
      found.push(this.#index())
    } while (this.takes(','))
    this.#close(']')
    return this.node('subscript', start, found, ['value', ...found.slice(1).map(() => 'subscript')])
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

  #atom(): Node {
    const { start, end } = this
    switch (this.kind) {
      case token.name: {
        if (!this.keyword) return this.identifier()
        const type = constants.get(this.word) ?? giveUp()
        this.next()
        return nodeOf(type, start, end)
      }
      case token.number: {
        const type = this.whole ? 'integer' : 'float'
        this.next()
        return nodeOf(type, start, end)
      }
      case token.string: {
        const first = this.#string()
        if ((this.kind as number) !== token.string) return first
        const all = [first]
        while ((this.kind as number) === token.string) all.push(this.#string())
        return this.node('concatenated_string', start, all)
      }
      case token.operator:
        if (this.word === '(') return this.#parenthesised()
        if (this.word === '[') return this.#list()
        if (this.word === '{') return this.#braces()
        if (this.word === '...') {
          this.next()
          return nodeOf('ellipsis', start, end)
        }
    }
    return giveUp()
  }

  #parenthesised(): Node {
    const { start } = this
    this.#open('(')
    if (this.is(')')) {
      this.#close(')')
      return this.node('tuple', start, [])
    }
    const first = this.is('yield') ? this.yielded() : this.starred()
    if (this.is('for') || this.is('async')) {
      const clauses = this.#comprehension(first)
      this.#close(')')
      return this.node('generator_expression', start, clauses, ['body'])
    }
    const all = this.more(first)
    const comma = this.tree.source.charCodeAt(this.last - 1) === 44 || all.length > 1
    this.#close(')')
    if (!comma && first.type === 'list_splat') giveUp()
    return this.node(comma ? 'tuple' : 'parenthesized_expression', start, all)
  }

  #list(): Node {
    const { start } = this
    this.#open('[')
    if (this.is(']')) {
      this.#close(']')
      return this.node('list', start, [])
    }
    const first = this.starred()
    const comprehends = this.is('for') || this.is('async')
    const all = comprehends ? this.#comprehension(first) : this.more(first)
    this.#close(']')
    return comprehends ? this.node('list_comprehension', start, all, ['body']) : this.node('list', start, all)
  }

  #braces(): Node {
    const { start } = this
    this.#open('{')
    const found: Node[] = []
    let pairs = 0
    while (!this.is('}')) {
      const from = this.start
      if (this.takes('**')) {
        found.push(this.around('dictionary_splat', from, this.#binary(1)))
        pairs++
      } else {
        const key = this.starred()
        if (this.takes(':')) {
          found.push(this.joining('pair', from, key, 'key', this.expression(), 'value'))
          pairs++
        } else found.push(key)
      }
      if (this.is('for') || this.is('async')) {
        const [first = none] = found
        if (found.length > 1) giveUp()
        const all = this.#comprehension(first)
        this.#close('}')
        return this.node(pairs > 0 ? 'dictionary_comprehension' : 'set_comprehension', start, all, ['body'])
      }
      if (!this.takes(',')) break
    }
    this.#close('}')
    if (pairs !== 0 && pairs !== found.length) giveUp()
    return this.node(pairs > 0 || found.length === 0 ? 'dictionary' : 'set', start, found)
  }

  #comprehension(body: Node): Node[] {
    const found = [body]
    for (;;) {
      const { start } = this
      if (this.takes('if')) {
        found.push(this.around('if_clause', start, this.disjunction()))
        continue
      }
      const waits = this.takes('async')
      if (!this.is('for')) {
        if (waits) giveUp()
        return found
      }
      this.next()
      const left = this.targets()
      this.expect('in')
      found.push(this.joining('for_in_clause', start, left, 'left', this.disjunction(), 'right'))
    }
  }

  /** The targets of a loop, as patterns. */
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

  protected yielded(): Node {
    const { start } = this
    this.expect('yield')
    if (this.takes('from')) return this.around('yield', start, this.expression())
    return this.node('yield', start, this.#startsExpression() ? [this.expressions()] : [])
  }

  #lambda(): Node {
    const { start } = this
    this.expect('lambda')
    if (this.takes(':')) return this.around('lambda', start, this.expression(), 'body')
    const from = this.start
    const parameters = this.node('lambda_parameters', from, this.parameterList(':', false))
    this.expect(':')
    return this.joining('lambda', start, parameters, 'parameters', this.expression(), 'body')
  }

  protected parameterList(closing: string, types: boolean): Node[] {
    const found: Node[] = []
    while (!this.is(closing)) {
      found.push(this.#parameter(types))
      if (!this.takes(',')) break
    }
    return found
  }

  #parameter(types: boolean): Node {
    const { start } = this
    if (this.takes('/')) return this.node('positional_separator', start, [])
    let splat: string | null = null
    if (this.takes('*')) {
      if (this.is(',')) return this.node('keyword_separator', start, [])
      splat = 'list_splat_pattern'
    } else if (this.takes('**')) splat = 'dictionary_splat_pattern'
    const name = this.identifier()
    const named = splat === null ? name : this.node(splat, start, [name])
    const type = types && this.takes(':') ? this.typed() : none
    if (!this.takes('=')) {
      return type === none ? named : this.joining('typed_parameter', start, named, null, type, 'type')
    }
    if (splat !== null) giveUp()
    const value = this.expression()
    return type === none
      ? this.joining('default_parameter', start, named, 'name', value, 'value')
      : this.node('typed_default_parameter', start, [named, type, value], ['name', 'type', 'value'])
  }

  #string(): Node {
    const { start, end, word } = this
    if (!word.includes('f')) {
      this.next()
      return nodeOf('string', start, end)
    }
    return this.#formatted(start, end)
  }

  /** A string with expressions in it, read in place. */
  #formatted(start: number, content: number): Node {
    const { source, brackets } = this
    const mark = source.charCodeAt(content - 1)
    const long = source.charCodeAt(content - 2) === mark && source.charCodeAt(content - 3) === mark
    const found: Node[] = []
    let at = content
    this.enter()
    for (; ; at++) {
      const code = source.charCodeAt(at)
      if (code === 92) {
        if (source.charCodeAt(at + 1) === 78) giveUp()
        at++
      } else if (code === mark) {
        if (!long) break
        if (source.charCodeAt(at + 1) === mark && source.charCodeAt(at + 2) === mark) {
          at += 2
          break
        }
      } else if ((code === 10 && !long) || at >= source.length) giveUp()
      else if (code === 123 || code === 125) {
        if (source.charCodeAt(at + 1) === code) at++
        else if (code === 125) giveUp()
        else {
          found.push(this.#interpolation(at))
          at = this.end - 1
        }
      }
    }
    this.leave()
    this.brackets = brackets
    this.continueAt(at + 1)
    this.next()
    return this.node('string', start, found)
  }

  #interpolation(open: number): Node {
    const { source } = this
    this.brackets++
    this.continueAt(open + 1)
    this.next()
    const found = [this.expression()]
    if (this.is('=')) this.next()
    if (this.is('!')) {
      this.next()
      if (this.kind !== token.name || this.end - this.start !== 1) giveUp()
      this.next()
    }
    let close = this.start
    if (this.is(':')) {
      const from = this.start
      close = source.indexOf('}', from)
      const specifier = source.slice(from, close)
      if (close === -1 || /[{'"\n\\]/.test(specifier)) giveUp()
      found.push(nodeOf('format_specifier', from, close))
    } else if (!this.is('}')) giveUp()
    this.brackets--
    this.end = close + 1
    this.last = close + 1
    return this.node('interpolation', open, found)
  }
}

const constants: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'none'],
])
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
