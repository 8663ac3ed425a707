import { listOf } from '../lists.ts'
import type { Node } from '../tree/tree.ts'
import { giveUp } from '../tree/unsure.ts'
import { BindingParser } from './parse-bindings.ts'
import { token } from './scanner.ts'

/** Classes of JavaScript, as nodes of the tree-sitter grammar. */
export abstract class ClassParser extends BindingParser {
  /** What a class extends. */
  protected abstract base(start: number): Node

  protected classNode(type: string, named: boolean): Node {
    const { start } = this
    this.expect('class')
    const parts: Node[] = []
    const fields: (string | null)[] = []
    if (named || (this.kind === token.name && !this.keyword)) {
      parts.push(this.identifier())
      fields.push('name')
    }
    const from = this.start
    if (this.takes('extends')) {
      const baseStart = this.start
      parts.push(this.node('class_heritage', from, [this.base(baseStart)]))
      fields.push(null)
    }
    parts.push(this.classBody())
    fields.push('body')
    return this.node(type, start, parts, fields)
  }

  protected classBody(): Node {
    const { start } = this
    this.expect('{')
    this.enter()
    const found: Node[] = []
    while (!this.is('}')) {
      if (this.takes(';')) continue
      found.push(this.#classMember())
    }
    this.leave()
    this.next()
    return this.node(
      'class_body',
      start,
      found,
      listOf(found, () => 'member'),
    )
  }

  #classMember(): Node {
    const { start } = this
    if (this.is('@')) giveUp()
    if (this.kind === token.name && (this.word === 'static' || this.word === 'async')) this.#modifier()
    if (this.is('{')) return this.around('class_static_block', start, this.statements(), 'body')
    if (this.kind === token.name && this.word === 'async') this.#modifier()
    if (this.kind === token.name && (this.word === 'get' || this.word === 'set')) this.#modifier()
    if (this.is('*')) return this.method(start)
    const name = this.kind === token.hidden ? this.leaf('private_property_identifier') : this.key()
    if (this.is('(')) return this.methodRest(start, name)
    const parts = this.takes('=') ? [name, this.expression()] : [name]
    if (!this.is(';') && !this.is('}') && !this.fresh) giveUp()
    // A bracket or star on the next line may go on with the value.
    if (!this.is(';') && this.kind === token.operator && !this.is('}')) giveUp()
    return this.node('field_definition', start, parts, ['property', 'value'])
  }

  /** `static`, `async`, `get` and `set` are modifiers when something to modify follows on their line. */
  #modifier(): void {
    modifying.lastIndex = this.start
    if (modifying.test(this.source)) this.next()
    else if (!plainName.test(this.source.slice(this.start, this.start + 40))) giveUp()
  }
}

const modifying = /(?:static|async|get|set)[ \t]+(?:[\w$#[*"']|\{)|(?:static|async)\*|(?:get|set)\[/y
const plainName = /^(?:static|async|get|set)\s*[(=;}]/
