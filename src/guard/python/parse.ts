import { type Node, none, type Tree } from '../tree/tree.ts'
import { giveUp, Unsure } from '../tree/unsure.ts'
import { SimpleParser } from './parse-simple.ts'
import { token } from './scanner.ts'

/**
 * Parses Python into the very tree that the tree-sitter grammar gives, in a fraction of the time; null for all that is
 * wrong, rare or ambiguous, which is then left to tree-sitter.
 */
export function parsePython(source: string, from = 0): Tree | null {
  try {
    return new PythonParser(source, from).program()
  } catch (thrown) {
    if (thrown instanceof Unsure) return null
    throw thrown
  }
}

/** Statements with others inside. */
class PythonParser extends SimpleParser {
  program(): Tree {
    this.next()
    const statements: Node[] = []
    while (this.kind !== token.end) {
      if (this.kind === token.newline) this.next()
      else this.#statement(statements)
    }
    this.tree.root = this.node('module', 0, statements)
    this.tree.root.end = this.source.length
    return this.tree
  }

  /** One compound statement or one line of simple ones; answers where it ends. */
  #statement(into: Node[]): number {
    const compound = this.keyword ? this.#compound() : this.is('@') ? this.#decorated() : none
    if (compound === none) return this.#simpleLine(into)
    into.push(compound)
    return compound.end
  }

  /** Statements up to the end of the line; answers where that is, with semicolon and comment. */
  #simpleLine(into: Node[]): number {
    do {
      if (this.kind === token.newline) break
      into.push(this.simple())
    } while (this.takes(';'))
    if (this.kind !== token.newline) giveUp()
    const end = Math.max(this.last, this.remarked)
    this.next()
    return end
  }

  #compound(): Node {
    switch (this.word) {
      case 'if':
        return this.#if()
      case 'for':
        return this.#for(this.start)
      case 'while':
        return this.#while()
      case 'def':
        return this.#function(this.start)
      case 'class':
        return this.#class()
      case 'try':
        return this.#try()
      case 'with':
        return this.#with(this.start)
      case 'async': {
        const { start } = this
        this.next()
        if (this.is('def')) return this.#function(start)
        if (this.is('for')) return this.#for(start)
        return this.is('with') ? this.#with(start) : giveUp()
      }
      default:
        return none
    }
  }

  /** Makes a node that ends with its last child. */
  #closing(type: string, start: number, children: readonly Node[], fields: readonly (string | null)[]): Node {
    const node = this.node(type, start, children, fields)
    node.end = (children.at(-1) ?? none).end
    return node
  }

  /** The body behind a colon: on the same line, or indented below. */
  #suite(): Node {
    this.expect(':')
    this.enter()
    const statements: Node[] = []
    let { start } = this
    let end = 0
    if (this.kind !== token.newline) end = this.#simpleLine(statements)
    else {
      this.remarked = 0
      this.next()
      if ((this.kind as number) !== token.indent) giveUp()
      this.remarked = 0
      this.next()
      start = this.start
      while ((this.kind as number) !== token.dedent) {
        if ((this.kind as number) === token.end) giveUp()
        end = this.#statement(statements)
      }
      if (statements.length === 0) giveUp()
      end = Math.max(end, this.remarked)
      this.next()
    }
    this.leave()
    const block = this.node('block', start, statements)
    block.end = end
    return block
  }

  #if(type = 'if_statement'): Node {
    const { start } = this
    this.next()
    const condition = this.expression()
    const children = [condition, this.#suite()]
    const fields = ['condition', 'consequence']
    if (type === 'if_statement') {
      while (this.is('elif')) {
        children.push(this.#if('elif_clause'))
        fields.push('alternative')
      }
      this.#else(children, fields, 'alternative')
    }
    return this.#closing(type, start, children, fields)
  }

  #else(children: Node[], fields: (string | null)[], field: string | null): void {
    const { start } = this
    if (!this.takes('else')) return
    children.push(this.#closing('else_clause', start, [this.#suite()], ['body']))
    fields.push(field)
  }

  #for(start: number): Node {
    this.next()
    const left = this.targets()
    this.expect('in')
    const right = this.expressions()
    const children = [left, right, this.#suite()]
    const fields = ['left', 'right', 'body']
    this.#else(children, fields, 'alternative')
    return this.#closing('for_statement', start, children, fields)
  }

  #while(): Node {
    const { start } = this
    this.next()
    const condition = this.expression()
    const children = [condition, this.#suite()]
    const fields = ['condition', 'body']
    this.#else(children, fields, 'alternative')
    return this.#closing('while_statement', start, children, fields)
  }

  #try(): Node {
    const { start } = this
    this.next()
    const children = [this.#suite()]
    const fields: (string | null)[] = ['body']
    while (this.is('except')) {
      children.push(this.#except())
      fields.push(null)
    }
    this.#else(children, fields, null)
    const from = this.start
    if (this.takes('finally')) {
      children.push(this.#closing('finally_clause', from, [this.#suite()], [null]))
      fields.push(null)
    }
    if (children.length === 1) giveUp()
    return this.#closing('try_statement', start, children, fields)
  }

  #except(): Node {
    const { start } = this
    this.next()
    if (this.is(':')) return this.#closing('except_clause', start, [this.#suite()], [null])
    const value = this.#named()
    return this.#closing('except_clause', start, [value, this.#suite()], ['value', null])
  }

  /** `value as name` of `with` and `except`. */
  #named(): Node {
    const { start } = this
    const value = this.expression()
    if (!this.takes('as')) return value
    const from = this.start
    const target = this.around('as_pattern_target', from, this.target())
    return this.joining('as_pattern', start, value, null, target, 'alias')
  }

  #with(start: number): Node {
    this.next()
    // `with (a as b, c):` and `with (a) as b:` look alike for too long.
    if (this.is('(')) giveUp()
    const from = this.start
    const items: Node[] = []
    do {
      const itemStart = this.start
      items.push(this.around('with_item', itemStart, this.#named(), 'value'))
    } while (this.takes(','))
    const clause = this.node('with_clause', from, items)
    return this.#closing('with_statement', start, [clause, this.#suite()], [null, 'body'])
  }

  #function(start: number): Node {
    this.next()
    const children = [this.identifier()]
    const fields = ['name']
    const from = this.start
    if (!this.is('(')) giveUp()
    this.brackets++
    this.next()
    const list = this.parameterList(')', true)
    this.brackets--
    this.expect(')')
    children.push(this.node('parameters', from, list))
    fields.push('parameters')
    if (this.takes('->')) {
      children.push(this.typed())
      fields.push('return_type')
    }
    children.push(this.#suite())
    fields.push('body')
    return this.#closing('function_definition', start, children, fields)
  }

  #class(): Node {
    const { start } = this
    this.next()
    const children = [this.identifier()]
    const fields = ['name']
    if (this.is('(')) {
      const bases = this.callArguments()
      if (bases.type !== 'argument_list') giveUp()
      children.push(bases)
      fields.push('superclasses')
    }
    children.push(this.#suite())
    fields.push('body')
    return this.#closing('class_definition', start, children, fields)
  }

  #decorated(): Node {
    const { start } = this
    const children: Node[] = []
    while (this.is('@')) {
      const from = this.start
      this.next()
      const decorator = this.around('decorator', from, this.expression())
      if (this.kind !== token.newline) giveUp()
      decorator.end = Math.max(this.last, this.remarked)
      children.push(decorator)
      this.next()
    }
    if (!this.is('def') && !this.is('class') && !this.is('async')) giveUp()
    children.push(this.#compound())
    const fields = children.map((_, at) => (at === children.length - 1 ? 'definition' : null))
    return this.#closing('decorated_definition', start, children, fields)
  }
}
