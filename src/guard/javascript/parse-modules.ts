import type { Node } from '../tree/tree.ts'
import { giveUp } from '../tree/unsure.ts'
import { ExpressionParser } from './parse-expressions.ts'
import { token } from './scanner.ts'

/** Imports and exports of JavaScript, and where its statements end. */
export abstract class ModuleParser extends ExpressionParser {
  protected abstract statement(): Node

  /** The end of a statement: a semicolon, or a place where none is needed. */
  protected ends(strict = false): void {
    if (this.is(';') && this.fresh) this.remark(true)
    if (this.takes(';')) return
    if (!this.is('}') && this.kind !== token.end) {
      if (!this.fresh) giveUp()
      // A bracket on the next line may go on with this one.
      if (this.kind === token.operator && !beginning.has(this.word)) giveUp()
    }
    this.remark(strict)
  }

  /** Where no semicolon is written, the grammar sees one behind the comment on that line; not everywhere. */
  protected remark(strict: boolean): void {
    remark.lastIndex = this.last
    const found = remark.exec(this.source)?.[0]
    if (found === undefined) return
    if (strict || found.endsWith('/*') || this.source[this.last - 1] === '}') giveUp()
    this.last += found.length
  }

  protected import(): Node {
    const { start } = this
    this.next()
    if (this.kind === token.string) {
      const source = this.leaf('string')
      this.ends(true)
      return this.around('import_statement', start, source, 'source')
    }
    const from = this.start
    const parts: Node[] = []
    if (this.kind === token.name) {
      parts.push(this.identifier())
      if (!this.is(',') && !this.#isFrom()) giveUp()
    }
    if (parts.length === 0 || this.takes(',')) {
      const at = this.start
      if (this.takes('*')) {
        if (this.word !== 'as') giveUp()
        this.next()
        parts.push(this.around('namespace_import', at, this.identifier()))
      } else parts.push(this.#specifiers('named_imports', 'import_specifier'))
    }
    const clause = this.node('import_clause', from, parts)
    const source = this.#from()
    this.ends(true)
    return this.joining('import_statement', start, clause, null, source, 'source')
  }

  #isFrom(): boolean {
    return this.kind === token.name && this.word === 'from' && (!this.fresh || giveUp())
  }

  #from(): Node {
    if (!this.#isFrom()) giveUp()
    this.next()
    return this.kind === token.string ? this.leaf('string') : giveUp()
  }

  #specifiers(type: string, each: string): Node {
    const { start } = this
    this.expect('{')
    const found: Node[] = []
    while (!this.is('}')) {
      const from = this.start
      const parts: Node[] = []
      const fields: string[] = []
      this.#specified('name', parts, fields)
      if (this.kind === token.name && this.word === 'as') {
        this.next()
        this.#specified('alias', parts, fields)
      }
      found.push(this.node(each, from, parts, fields))
      if (!this.is('}')) this.expect(',')
    }
    this.next()
    return this.node(type, start, found)
  }

  /** A name of an import or export; `default` is no node. */
  #specified(field: string, parts: Node[], fields: string[]): void {
    if (this.takes('default')) return
    parts.push(this.identifier())
    fields.push(field)
  }

  protected export(): Node {
    const { start } = this
    this.next()
    if (this.fresh) giveUp()
    if (this.takes('*')) {
      if (!this.#isFrom()) giveUp()
      const source = this.#from()
      this.ends(true)
      return this.around('export_statement', start, source, 'source')
    }
    if (this.is('{')) {
      const parts = [this.#specifiers('export_clause', 'export_specifier')]
      if (this.#isFrom()) parts.push(this.#from())
      this.ends(true)
      return this.node('export_statement', start, parts, [null, 'source'])
    }
    if (this.takes('default')) {
      if (this.is('function') || this.is('class') || this.word === 'async') {
        declaring.lastIndex = this.start
        if (declaring.test(this.source)) return this.around('export_statement', start, this.statement(), 'declaration')
      }
      const value = this.expression()
      this.ends(true)
      return this.around('export_statement', start, value, 'value')
    }
    if (!/^(var|let|const|function|class)$/.test(this.word)) {
      asyncFunction.lastIndex = this.start
      if (!asyncFunction.test(this.source)) giveUp()
    }
    return this.around('export_statement', start, this.statement(), 'declaration')
  }
}

/** Operators that a statement can begin with, and that cannot go on with the one before. */
const beginning = new Set(['{', '!', '~', '++', '--'])
const remark = /[ \t]*\/(?:\/[^\r\n]*|\*)/y
const declaring = /(?:async[ \t]+)?function\s*\*?\s*[\w$]+\s*\(|class\s+(?!extends\b)[\w$]+/y
/** What makes a function of the word `async`. */
export const asyncFunction = /async[ \t]+function\b/y
