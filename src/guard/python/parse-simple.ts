import { listOf } from '../lists.ts'
import { type Node, nodeOf, none } from '../tree/tree.ts'
import { giveUp } from '../tree/unsure.ts'
import { ExpressionParser } from './parse-expressions.ts'
import { token } from './scanner.ts'

const assigning = new Set(['+=', '-=', '*=', '/=', '//=', '%=', '@=', '&=', '|=', '^=', '>>=', '<<=', '**='])

/** Statements of Python that have no others inside, several of which fit on one line. */
export class SimpleParser extends ExpressionParser {
  protected simple(): Node {
    const { start } = this
    if (this.keyword) {
      switch (this.word) {
        case 'import':
          return this.#import()
        case 'from':
          return this.#importFrom()
        case 'return':
          this.next()
          return this.node('return_statement', start, this.#endsHere() ? [] : [this.expressions()])
        case 'pass':
        case 'break':
        case 'continue': {
          const type = `${this.word}_statement`
          this.next()
          return this.node(type, start, [])
        }
        case 'raise':
          return this.#raise()
        case 'del':
          this.next()
          return this.around('delete_statement', start, this.expressions())
        case 'assert': {
          this.next()
          const test = this.expression()
          return this.node('assert_statement', start, this.takes(',') ? [test, this.expression()] : [test])
        }
        case 'global':
        case 'nonlocal': {
          const type = `${this.word}_statement`
          this.next()
          const names = [this.identifier()]
          while (this.takes(',')) names.push(this.identifier())
          return this.node(type, start, names)
        }
      }
    } else if (this.word !== '' && this.kind === token.name) this.#checkSoft()
    return this.#expressionStatement()
  }

  #endsHere(): boolean {
    return this.kind === token.newline || this.is(';')
  }

  /** `print x`, `exec x`, `match x:`, `type X = …`: words that are names almost everywhere. */
  #checkSoft(): void {
    if (this.word === '__future__') return
    softUse.lastIndex = this.start
    if (!softUse.test(this.source)) giveUp()
  }

  #raise(): Node {
    const { start } = this
    this.next()
    if (this.#endsHere()) return this.node('raise_statement', start, [])
    const raised = this.expressions()
    if (!this.takes('from')) return this.node('raise_statement', start, [raised], [null])
    return this.joining('raise_statement', start, raised, null, this.expression(), 'cause')
  }

  #expressionStatement(): Node {
    const { start } = this
    if (this.is('yield')) return this.around('expression_statement', start, this.#yieldedAlone())
    const first = this.starred()
    if (this.is(',')) {
      const all = this.more(first)
      if (!this.is('=')) {
        // The grammar reads on behind a last comma, over the end of the line.
        if (!this.#endsHere() || this.source[this.last - 1] === ',') giveUp()
        return this.node('expression_statement', start, all)
      }
      return this.node('expression_statement', start, [this.#assignment(this.node('expression_list', start, all))])
    }
    if (this.is('=') || this.is(':')) return this.around('expression_statement', start, this.#assignment(first))
    if (this.kind === token.operator && assigning.has(this.word)) {
      if (!/^(identifier|attribute|subscript)$/.test(first.type)) giveUp()
      this.next()
      const right = this.is('yield') ? this.yielded() : this.expressions()
      const changed = this.joining('augmented_assignment', start, first, 'left', right, 'right')
      return this.around('expression_statement', start, changed)
    }
    if (!this.#endsHere()) giveUp()
    return this.around('expression_statement', start, first)
  }

  #yieldedAlone(): Node {
    const found = this.yielded()
    return this.#endsHere() ? found : giveUp()
  }

  #assignment(left: Node): Node {
    this.enter()
    const start = left.start
    const children = [this.pattern(left)]
    const fields = ['left']
    if (this.takes(':')) {
      children.push(this.typed())
      fields.push('type')
    }
    if (this.takes('=')) {
      const from = this.start
      let right = this.is('yield') ? this.yielded() : this.expressions()
      if (this.is('=')) right = this.#assignment(right)
      if (right.start !== from) giveUp()
      children.push(right)
      fields.push('right')
    }
    if (!this.#endsHere()) giveUp()
    this.leave()
    return this.node('assignment', start, children, fields)
  }

  #dotted(): Node {
    const { start } = this
    const names = [this.identifier()]
    while (this.takes('.')) names.push(this.identifier())
    return this.node('dotted_name', start, names)
  }

  #imported(): Node {
    const { start } = this
    const name = this.#dotted()
    if (!this.takes('as')) return name
    return this.joining('aliased_import', start, name, 'name', this.identifier(), 'alias')
  }

  #import(): Node {
    const { start } = this
    this.next()
    const names = [this.#imported()]
    while (this.takes(',')) names.push(this.#imported())
    return this.node(
      'import_statement',
      start,
      names,
      listOf(names, () => 'name'),
    )
  }

  #importFrom(): Node {
    const { start } = this
    this.next()
    const from = this.start
    let dots = none
    while (this.is('.') || this.is('...')) this.next()
    if (this.start !== from) dots = nodeOf('import_prefix', from, this.last)
    let module = none
    const future = this.kind === token.name && this.word === '__future__' && dots === none
    if (!this.is('import')) module = this.#dotted()
    if (dots !== none) {
      // The dots and the name behind them make one node.
      module = this.node('relative_import', from, module === none ? [dots] : [dots, module])
    }
    this.expect('import')
    if (module === none) giveUp()
    const children = future ? [] : [module]
    const fields: (string | null)[] = future ? [] : ['module_name']
    const starts = this.start
    if (this.takes('*')) {
      children.push(this.node('wildcard_import', starts, []))
      return this.node('import_from_statement', start, children, [...fields, null])
    }
    const bracketed = this.is('(')
    if (bracketed) {
      this.brackets++
      this.next()
    }
    do {
      if (bracketed && this.is(')') && fields.length > 0) break
      children.push(this.#imported())
      fields.push('name')
    } while (this.takes(','))
    if (bracketed) {
      this.brackets--
      this.expect(')')
    }
    return this.node(future ? 'future_import_statement' : 'import_from_statement', start, children, fields)
  }
}

const softUse = /print(?=\s*[(.=,)])|exec(?=\s*[(.=,)])|(?:match|case)(?=\s*[.=,])|type(?=\s*[(.=,)[:])/y
