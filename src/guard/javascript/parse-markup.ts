import { type Node, nodeOf, none } from '../tree/tree.ts'
import { giveUp } from '../tree/unsure.ts'
import { JavaScriptScanner, words } from './scanner.ts'

const [open, close, slash, brace, ampersand, equals] = [...'<>/{&='].map(letter => letter.charCodeAt(0))
const word = /[A-Za-z_$][\w$-]*/y
const reference = /&(?:#(?:[xX][\da-fA-F]{1,6}|\d{1,5})|[A-Za-z]{1,30});/y
const quoted =
  /"(?:[^"&]|&(?:#(?:[xX][\da-fA-F]{1,6}|\d{1,5})|[A-Za-z]{1,30});)*"|'(?:[^'&]|&(?:#(?:[xX][\da-fA-F]{1,6}|\d{1,5})|[A-Za-z]{1,30});)*'/y
const unplain = /[^\x00-\x7f]/

/** Markup (JSX), as nodes of the tree-sitter grammar. It is read letter by letter: its text has no tokens. */
export abstract class MarkupParser extends JavaScriptScanner {
  /** Where reading goes on. */
  #at = 0

  /** What stands in braces, spread or not. */
  protected abstract embedded(): Node

  /** The token at hand is `<`. */
  protected markup(): Node {
    const found = this.#element(this.start)
    this.continueAt(this.#at)
    return found
  }

  #element(start: number): Node {
    this.enter()
    this.#at = start + 1
    const parts: Node[] = []
    const fields: string[] = []
    if (this.#code() !== close) {
      parts.push(this.#name())
      fields.push('name')
      this.#attributes(parts, fields)
    }
    const selfClosing = this.#code() === slash
    this.#at += selfClosing ? 2 : 1
    if (this.source.charCodeAt(this.#at - 1) !== close) giveUp()
    const tag = this.#node(selfClosing ? 'jsx_self_closing_element' : 'jsx_opening_element', start, parts, fields)
    this.leave()
    return selfClosing ? tag : this.#content(start, tag)
  }

  #attributes(parts: Node[], fields: string[]): void {
    for (;;) {
      this.#blanks()
      const code = this.#code()
      if (code === slash || code === close) return
      parts.push(code === brace ? this.#expression() : this.#attribute())
      fields.push('attribute')
    }
  }

  /** What stands between two tags, and the second tag. */
  #content(start: number, tag: Node): Node {
    this.enter()
    const parts = [tag]
    const fields: (string | null)[] = ['open_tag']
    for (;;) {
      this.#text(parts, fields)
      const code = this.#code()
      if (code === open && this.source.charCodeAt(this.#at + 1) === slash) break
      if (code === open) parts.push(this.#element(this.#at))
      else if (code === brace) parts.push(this.#expression())
      else if (code === ampersand) parts.push(this.#leaf('html_character_reference', reference))
      else giveUp()
      fields.push(null)
    }
    parts.push(this.#closing())
    fields.push('close_tag')
    this.leave()
    return this.#node('jsx_element', start, parts, fields)
  }

  #closing(): Node {
    const start = this.#at
    this.#at += 2
    const name = this.#code() === close ? none : this.#name()
    if (this.#code() !== close) giveUp()
    this.#at++
    return name === none
      ? this.#node('jsx_closing_element', start, [])
      : this.#node('jsx_closing_element', start, [name], ['name'])
  }

  /** Text is a node unless it is nothing but line ends with blanks behind them. */
  #text(parts: Node[], fields: (string | null)[]): void {
    const { source } = this
    const from = this.#at
    let says = false
    let behindLineEnd = false
    let at = from
    for (; ; at++) {
      const code = source.charCodeAt(at)
      if (code === open || code === brace || code === ampersand) break
      if (code === close || code === 125 || code >= 128 || at >= source.length) giveUp()
      if (code === 10) behindLineEnd = true
      else {
        behindLineEnd &&= code === 32 || code === 9 || code === 13
        says ||= !behindLineEnd
      }
    }
    this.#at = at
    if (!says) return
    parts.push(nodeOf('jsx_text', from, at))
    fields.push(null)
  }

  #expression(): Node {
    const start = this.#at
    this.continueAt(start + 1)
    const inner = this.is('}') ? [] : [this.embedded()]
    if (!this.is('}')) giveUp()
    this.#at = this.end
    return this.#node('jsx_expression', start, inner)
  }

  #attribute(): Node {
    const start = this.#at
    const name = this.#word('property_identifier')
    const parts = [this.#code() === 58 ? this.#spaced(start, name) : name]
    const end = this.#at
    this.#blanks()
    if (this.#code() !== equals) this.#at = end
    else {
      this.#at++
      this.#blanks()
      const code = this.#code()
      if (code === brace) parts.push(this.#expression())
      else parts.push(code === open ? this.#element(this.#at) : this.#leaf('string', quoted))
    }
    return this.#node('jsx_attribute', start, parts)
  }

  /** The name of a tag: `div`, `my-tag`, `svg:rect`, `Menu.Item`. */
  #name(): Node {
    const start = this.#at
    let found = this.#word('identifier')
    if (this.#code() === 58) return this.#spaced(start, found)
    while (this.#code() === 46) {
      this.#at++
      found = this.#node('member_expression', start, [found, this.#word('property_identifier')], ['object', 'property'])
      if (this.source.slice(start, this.#at).includes('-')) giveUp()
    }
    return found
  }

  #spaced(start: number, first: Node): Node {
    first.type = 'identifier'
    this.#at++
    return this.#node('jsx_namespace_name', start, [first, this.#word('identifier')])
  }

  #word(type: string): Node {
    const from = this.#at
    const found = this.#leaf(type, word)
    // The grammar stumbles over `<label for="x">`.
    if (words.isKeyword(this.source.slice(from, this.#at))) giveUp()
    return found
  }

  #leaf(type: string, shape: RegExp): Node {
    const from = this.#at
    shape.lastIndex = from
    const [text] = shape.exec(this.source) ?? giveUp()
    this.#at = from + text.length
    const after = this.#code()
    if (after >= 128 || after === 92 || unplain.test(text)) giveUp()
    return nodeOf(type, from, this.#at)
  }

  #node(type: string, start: number, children: readonly Node[], fields?: readonly (string | null)[]): Node {
    this.last = this.#at
    return this.node(type, start, children, fields)
  }

  #code(): number {
    return this.source.charCodeAt(this.#at)
  }

  #blanks(): void {
    for (let code = this.#code(); code === 32 || code === 9 || code === 10 || code === 13; code = this.#code())
      this.#at++
  }
}
