import { type Node, none, type Tree } from '../tree/tree.ts'
import { giveUp, Unsure } from '../tree/unsure.ts'
import { asyncFunction, ModuleParser } from './parse-modules.ts'
import { token } from './scanner.ts'

/**
 * Parses JavaScript into the very tree that the tree-sitter grammar gives, in a fraction of the time; null for all that
 * is wrong, rare or ambiguous, which is then left to tree-sitter.
 */
export function parseJavaScript(source: string): Tree | null {
  try {
    return new JavaScriptParser(source).program()
  } catch (thrown) {
    if (thrown instanceof Unsure) return null
    throw thrown
  }
}

class JavaScriptParser extends ModuleParser {
  program(): Tree {
    this.next()
    const found: Node[] = []
    while (this.kind !== token.end) found.push(this.statement())
    this.tree.root = this.node('program', 0, found)
    return this.tree
  }

  protected statements(): Node {
    const { start } = this
    this.expect('{')
    this.enter()
    const found: Node[] = []
    while (!this.is('}')) found.push(this.statement())
    this.leave()
    this.next()
    return this.node('statement_block', start, found)
  }

  protected statement(): Node {
    this.enter()
    const found = this.keyword ? this.#worded() : this.#other()
    this.leave()
    return found
  }

  #other(): Node {
    const { start } = this
    if (this.is('{')) {
      const block = this.statements()
      // `{ a: 1 }` may be a block with a label, or an object.
      if (block.first.type === 'labeled_statement') giveUp()
      if (this.kind === token.end || this.source.startsWith('/*', this.last)) this.remark(true)
      return block
    }
    if (this.is(';')) return this.leaf('empty_statement')
    if (this.is('@') || this.word === 'using') giveUp()
    if (this.kind === token.name && this.word === 'async') {
      asyncFunction.lastIndex = this.start
      if (asyncFunction.test(this.source)) {
        this.next()
        return this.#function(start)
      }
    }
    return this.#expressionStatement()
  }

  #expressionStatement(): Node {
    const { start } = this
    const found = this.expressions()
    if (this.is(':')) {
      if (found.type !== 'identifier') giveUp()
      found.type = 'statement_identifier'
      this.next()
      return this.joining('labeled_statement', start, found, 'label', this.statement(), 'body')
    }
    this.ends(found.type === 'identifier')
    return this.around('expression_statement', start, found)
  }

  #worded(): Node {
    const { start } = this
    switch (this.word) {
      case 'var':
        return this.#declaration('variable_declaration')
      case 'let':
      case 'const':
        return this.#declaration('lexical_declaration')
      case 'function':
        return this.#function(start)
      case 'class':
        return this.#class()
      case 'if':
        return this.#if()
      case 'for':
        return this.#for()
      case 'while': {
        this.next()
        const condition = this.#condition()
        return this.joining('while_statement', start, condition, 'condition', this.statement(), 'body')
      }
      case 'do':
        return this.#do()
      case 'return':
      case 'throw':
        return this.#leaving()
      case 'break':
      case 'continue':
        return this.#jump()
      case 'try':
        return this.#try()
      case 'switch':
        return this.#switch()
      case 'import':
        importing.lastIndex = this.start
        return importing.test(this.source) ? this.#expressionStatement() : this.import()
      case 'export':
        return this.export()
      case 'debugger':
        this.next()
        this.ends(true)
        return this.node('debugger_statement', start, [])
      default:
        return this.#expressionStatement()
    }
  }

  #declaration(type: string): Node {
    const { start } = this
    this.next()
    if (this.fresh) giveUp()
    const found = this.#declarators()
    const valued = (found.at(-1) ?? none).first.next !== none
    this.ends(!valued)
    return this.node(type, start, found)
  }

  #declarators(): Node[] {
    const found: Node[] = []
    do {
      const { start } = this
      if (this.is('...')) giveUp()
      const name = this.bound(false)
      const parts = this.takes('=') ? [name, this.expression()] : [name]
      found.push(this.node('variable_declarator', start, parts, ['name', 'value']))
    } while (this.takes(','))
    return found
  }

  #function(start: number): Node {
    this.expect('function')
    const type = this.takes('*') ? 'generator_function_declaration' : 'function_declaration'
    const name = this.identifier()
    const found = this.functionRest(type, start, name)
    this.remark(true)
    return found
  }

  #class(): Node {
    const found = this.classNode('class_declaration', true)
    this.remark(true)
    return found
  }

  #condition(): Node {
    const { start } = this
    this.expect('(')
    const inner = this.expressions()
    this.expect(')')
    return this.around('parenthesized_expression', start, inner)
  }

  #if(): Node {
    const { start } = this
    this.next()
    const condition = this.#condition()
    const consequence = this.statement()
    const from = this.start
    if (!this.takes('else')) {
      return this.joining('if_statement', start, condition, 'condition', consequence, 'consequence')
    }
    const otherwise = this.around('else_clause', from, this.statement())
    const parts = [condition, consequence, otherwise]
    return this.node('if_statement', start, parts, ['condition', 'consequence', 'alternative'])
  }

  #for(): Node {
    const { start } = this
    this.next()
    this.takes('await')
    this.expect('(')
    const from = this.start
    let initial: Node
    if (this.is(';')) initial = this.leaf('empty_statement')
    else {
      this.comparesIn = false
      const declares = this.is('var') || this.is('let') || this.is('const')
      const type = this.is('var') ? 'variable_declaration' : 'lexical_declaration'
      if (declares) this.next()
      const bound = declares ? this.#declarators() : [this.expressions()]
      this.comparesIn = true
      const [only = none] = bound
      if (this.is('in') || (this.kind === token.name && this.word === 'of')) {
        return this.#forIn(start, declares ? only.first : only, bound.length, declares)
      }
      if (!this.is(';')) giveUp()
      if (declares) {
        this.next()
        initial = this.node(type, from, bound)
      } else {
        initial = only
        this.next()
      }
    }
    const parts = [initial]
    const fields = ['initializer', 'condition']
    if (this.is(';')) parts.push(this.leaf('empty_statement'))
    else {
      parts.push(this.expressions())
      this.expect(';')
    }
    if (!this.is(')')) {
      parts.push(this.expressions())
      fields.push('increment')
    }
    this.expect(')')
    parts.push(this.statement())
    return this.node('for_statement', start, parts, [...fields, 'body'])
  }

  #forIn(start: number, left: Node, count: number, declares: boolean): Node {
    if (count !== 1 || left.next !== none) giveUp()
    if (!declares && !/^(identifier|member_expression|subscript_expression)$/.test(left.type)) giveUp()
    this.next()
    const right = this.expressions()
    this.expect(')')
    return this.node('for_in_statement', start, [left, right, this.statement()], ['left', 'right', 'body'])
  }

  #do(): Node {
    const { start } = this
    this.next()
    const body = this.statement()
    this.expect('while')
    const condition = this.#condition()
    if (!this.takes(';') && !this.fresh && !this.is('}') && this.kind !== token.end) giveUp()
    return this.joining('do_statement', start, body, 'body', condition, 'condition')
  }

  #leaving(): Node {
    const { start } = this
    const type = `${this.word}_statement`
    this.next()
    const alone = this.is(';') || this.is('}') || this.kind === token.end
    // What stands on the next line no longer belongs to it, which the grammar tells in its own way.
    if (this.fresh && !this.is('}') && this.kind !== token.end) giveUp()
    if (alone && type === 'throw_statement') giveUp()
    const found = alone ? [] : [this.expressions()]
    this.ends(alone)
    return this.node(type, start, found)
  }

  #jump(): Node {
    const { start } = this
    const type = `${this.word}_statement`
    this.next()
    const labelled = this.kind === token.name && !this.keyword && !this.fresh
    const found = labelled ? [this.identifier('statement_identifier')] : []
    this.ends(true)
    return this.node(type, start, found, ['label'])
  }

  #try(): Node {
    const { start } = this
    this.next()
    const parts = [this.statements()]
    const fields = ['body']
    let from = this.start
    if (this.takes('catch')) {
      const inner: Node[] = []
      const names: string[] = []
      if (this.takes('(')) {
        if (this.is('...')) giveUp()
        inner.push(this.bound(false))
        names.push('parameter')
        this.expect(')')
      }
      inner.push(this.statements())
      parts.push(this.node('catch_clause', from, inner, [...names, 'body']))
      fields.push('handler')
    }
    from = this.start
    if (this.takes('finally')) {
      parts.push(this.around('finally_clause', from, this.statements(), 'body'))
      fields.push('finalizer')
    }
    if (parts.length === 1) giveUp()
    return this.node('try_statement', start, parts, fields)
  }

  #switch(): Node {
    const { start } = this
    this.next()
    const value = this.#condition()
    const from = this.start
    this.expect('{')
    const clauses: Node[] = []
    while (!this.is('}')) {
      const at = this.start
      const parts: Node[] = []
      const fields: string[] = []
      const type = this.is('case') ? 'switch_case' : 'switch_default'
      if (this.takes('case')) {
        parts.push(this.expressions())
        fields.push('value')
      } else this.expect('default')
      this.expect(':')
      while (!this.is('case') && !this.is('default') && !this.is('}')) {
        parts.push(this.statement())
        fields.push('body')
      }
      clauses.push(this.node(type, at, parts, fields))
    }
    this.next()
    const body = this.node('switch_body', from, clauses)
    return this.joining('switch_statement', start, value, 'value', body, 'body')
  }
}

const importing = /import\s*[(.]/y
