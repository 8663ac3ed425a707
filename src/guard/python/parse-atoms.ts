import { type Node, nodeOf, none } from '../tree/tree.ts'
import { giveUp } from '../tree/unsure.ts'
import { PythonScanner, token } from './scanner.ts'

/** What operators of Python work on: names, numbers, strings, what stands in brackets, and functions without a name. */
export abstract class AtomParser extends PythonScanner {
  protected abstract expression(): Node
  protected abstract expressions(): Node
  protected abstract disjunction(): Node
  protected abstract binary(least: number): Node
  /** One expression, with or without a star in front. */
  protected abstract starred(): Node
  /** What follows the first of several expressions. */
  protected abstract more(first: Node): Node[]
  /** The targets of a loop, as patterns. */
  protected abstract targets(): Node
  /** A type is kept as a whole. */
  protected abstract typed(): Node
  protected abstract startsExpression(): boolean

  protected atom(): Node {
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

  protected open(bracket: string): void {
    if (!this.is(bracket)) giveUp()
    this.brackets++
    this.next()
  }

  protected close(bracket: string): void {
    if (!this.is(bracket)) giveUp()
    this.brackets--
    this.next()
  }

  #parenthesised(): Node {
    const { start } = this
    this.open('(')
    if (this.is(')')) {
      this.close(')')
      return this.node('tuple', start, [])
    }
    const first = this.is('yield') ? this.yielded() : this.starred()
    if (this.is('for') || this.is('async')) {
      const clauses = this.comprehension(first)
      this.close(')')
      return this.node('generator_expression', start, clauses, ['body'])
    }
    const all = this.more(first)
    const comma = this.tree.source.charCodeAt(this.last - 1) === 44 || all.length > 1
    this.close(')')
    if (!comma && first.type === 'list_splat') giveUp()
    return this.node(comma ? 'tuple' : 'parenthesized_expression', start, all)
  }

  #list(): Node {
    const { start } = this
    this.open('[')
    if (this.is(']')) {
      this.close(']')
      return this.node('list', start, [])
    }
    const first = this.starred()
    const comprehends = this.is('for') || this.is('async')
    const all = comprehends ? this.comprehension(first) : this.more(first)
    this.close(']')
    return comprehends ? this.node('list_comprehension', start, all, ['body']) : this.node('list', start, all)
  }

  #braces(): Node {
    const { start } = this
    this.open('{')
    const found: Node[] = []
    let pairs = 0
    while (!this.is('}')) {
      const from = this.start
      if (this.takes('**')) {
        found.push(this.around('dictionary_splat', from, this.binary(1)))
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
        const all = this.comprehension(first)
        this.close('}')
        return this.node(pairs > 0 ? 'dictionary_comprehension' : 'set_comprehension', start, all, ['body'])
      }
      if (!this.takes(',')) break
    }
    this.close('}')
    if (pairs !== 0 && pairs !== found.length) giveUp()
    return this.node(pairs > 0 || found.length === 0 ? 'dictionary' : 'set', start, found)
  }

  protected comprehension(body: Node): Node[] {
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

  protected yielded(): Node {
    const { start } = this
    this.expect('yield')
    if (this.takes('from')) return this.around('yield', start, this.expression())
    return this.node('yield', start, this.startsExpression() ? [this.expressions()] : [])
  }

  protected lambda(): Node {
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
