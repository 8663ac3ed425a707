import { type Node, nodeOf, none, Tree } from './tree.ts'
import { giveUp } from './unsure.ts'

/** Kinds of tokens that all languages have; what a language adds comes after `operator`. */
export const token = { name: 0, number: 1, string: 2, operator: 3 } as const

/** Deeper code is for the parser that needs no stack. */
const deepest = 150

/** What the quick parsers share: the token at hand, and the nodes made from it. */
export abstract class Tokens {
  readonly tree: Tree
  protected readonly source: string
  /** The letters of the source, and a few zeros behind them. */
  protected readonly codes: Uint16Array
  protected kind = 0
  /** The text of an operator, of a keyword, or of a name that means something in some places; empty for the rest. */
  protected word = ''
  protected keyword = false
  /** How tightly the token joins what stands before it to what follows; 0 for what ends an operand for good. */
  protected binding = 0
  protected start = 0
  protected end = 0
  /** Where the token before this one ended. */
  protected last = 0
  #depth = 0

  constructor(source: string) {
    this.source = source
    this.tree = new Tree(source)
    this.codes = codesOf(source)
  }

  /** Reads the next token. */
  protected abstract next(): void

  /** Whether the token at hand is this operator or keyword. */
  protected is(word: string): boolean {
    // A name is never the text of one: it would be that keyword.
    return this.word === word
  }
  protected takes(word: string): boolean {
    if (this.word !== word) return false
    this.next()
    return true
  }
  protected expect(word: string): void {
    if (this.word !== word) giveUp()
    this.next()
  }
  protected enter(): void {
    if (++this.#depth > deepest) giveUp()
  }
  protected leave(): void {
    this.#depth--
  }

  /** Sets what is known of the word between two places. */
  protected named(from: number, to: number, words: Words): void {
    const known = words.at(this.source, this.codes[from] ?? 0, from, to)
    if (known === undefined) return
    this.word = known.text
    this.keyword = known.keyword
    this.binding = known.binding
  }

  /** Sets what is known of the operator at a place; answers where it ends. */
  protected operator(known: Word, at: number): number {
    this.kind = token.operator
    this.word = known.text
    this.binding = known.binding
    return at + known.text.length
  }

  /** A node with children that are not yet linked; fields in the same order. */
  protected node(type: string, start: number, children: readonly Node[], fields?: readonly (string | null)[]): Node {
    let before = none
    for (let at = 0; at < children.length; at++) {
      const child = children[at] ?? none
      if (fields !== undefined) child.field = fields[at] ?? null
      if (at > 0) before.next = child
      before = child
    }
    return nodeOf(type, start, this.last, children[0])
  }

  /** A node with one child. */
  protected around(type: string, start: number, child: Node, field: string | null = null): Node {
    child.field = field
    return nodeOf(type, start, this.last, child)
  }

  /** A node with two children. */
  protected joining(
    type: string,
    start: number,
    left: Node,
    leftField: string | null,
    right: Node,
    rightField: string | null,
  ): Node {
    left.field = leftField
    right.field = rightField
    left.next = right
    return nodeOf(type, start, this.last, left)
  }

  /** The token at hand as a node of its own. */
  protected leaf(type: string): Node {
    const node = nodeOf(type, this.start, this.end)
    this.next()
    return node
  }

  protected identifier(type = 'identifier'): Node {
    if (this.kind !== token.name || this.keyword) giveUp()
    return this.leaf(type)
  }
}

let letters = new Uint16Array(16_384)

/**
 * The letters of a text as numbers. A place behind the end of a string has no number, and code that has asked for one
 * is slower ever after; here it has a zero. One array for all texts: a parser is done before the next one begins.
 */
function codesOf(source: string): Uint16Array {
  const { length } = source
  if (letters.length < length + behind) letters = new Uint16Array(2 * length + behind)
  // Last the loop: it is compiled while it runs, and what followed would not be.
  letters.fill(0, length, length + behind)
  for (let at = 0; at < length; at++) letters[at] = source.charCodeAt(at)
  return letters
}
const behind = 8

/** Groups of letters that tokens begin with. */
export const [letter, digit, quote] = [1, 2, 3] as const

/** The group of each letter, by its code; `letters` are what names are made of besides digits. */
export function groupsOf(letters: RegExp): Uint8Array {
  const groups = new Uint8Array(65_536)
  for (let code = 0; code < 128; code++) {
    const character = String.fromCharCode(code)
    if (letters.test(character)) groups[code] = letter
    else if (/\d/.test(character)) groups[code] = digit
    else if (/['"]/.test(character)) groups[code] = quote
  }
  return groups
}

/** A word or an operator of a language. */
export interface Word {
  readonly text: string
  readonly keyword: boolean
  readonly binding: number
}

/** Words that are no plain names, or not everywhere. */
export class Words {
  readonly #known = new Map<string, Word>()
  /** By the first letter, the lengths of the words that begin with it, as bits: hardly any name gets past this. */
  readonly #lengths = new Uint32Array(128)

  constructor(keywords: string, others: string, binding: ReadonlyMap<string, number>) {
    for (const text of keywords.split(' ')) this.#add({ text, keyword: true, binding: binding.get(text) ?? 0 })
    for (const text of others.split(' ')) this.#add({ text, keyword: false, binding: 0 })
  }

  #add(word: Word): void {
    this.#known.set(word.text, word)
    const first = word.text.charCodeAt(0)
    this.#lengths[first] = (this.#lengths[first] ?? 0) | (1 << word.text.length)
  }

  /** The word between two places, if it is one of these. */
  at(source: string, first: number, from: number, to: number): Word | undefined {
    const length = to - from
    if (length > 30 || ((this.#lengths[first] ?? 0) & (1 << length)) === 0) return undefined
    return this.#known.get(source.slice(from, to))
  }

  isKeyword(text: string): boolean {
    return this.#known.get(text)?.keyword === true
  }
}

/** The operators of a language, found by their first letters. */
export class Operators {
  readonly #byFirst: (readonly Word[] | undefined)[] = Array.from({ length: 128 }, () => undefined)
  /** Letters that go on with an operator. */
  readonly #further = new Uint8Array(128)

  constructor(single: string, long: string, binding: ReadonlyMap<string, number>) {
    const longer = long.split(' ')
    for (const operator of longer) this.#further[operator.charCodeAt(1)] = 1
    for (const first of single)
      this.#byFirst[first.charCodeAt(0)] = [...longer.filter(operator => operator.startsWith(first)), first].map(
        text => ({ text, keyword: false, binding: binding.get(text) ?? 0 }),
      )
  }

  /** The longest operator at a place, by its first letter and the one behind it. */
  at(source: string, at: number, first: number, second: number): Word {
    const all = this.#byFirst[first] ?? giveUp()
    if (second >= 128 || this.#further[second] !== 1) return all[all.length - 1] ?? giveUp()
    for (const operator of all) if (source.startsWith(operator.text, at)) return operator
    return giveUp()
  }
}
