import { type Node, none, Tree } from './tree.ts'
import { giveUp } from './unsure.ts'

/** Kinds of tokens that all languages have; what a language adds comes after `operator`. */
export const token = { name: 0, number: 1, string: 2, operator: 3 } as const

/** No keyword, and no name that means something in some places, is longer. */
const longestWord = 10
/** Deeper code is for the parser that needs no stack. */
const deepest = 150

/** What the quick parsers share: the token at hand, and the nodes made from it. */
export abstract class Tokens {
  readonly tree: Tree
  protected readonly source: string
  protected kind = 0
  /** The text of an operator, a keyword or a short name; empty for the rest. */
  protected word = ''
  protected keyword = false
  protected start = 0
  protected end = 0
  /** Where the token before this one ended. */
  protected last = 0
  #depth = 0

  constructor(source: string) {
    this.source = source
    this.tree = new Tree(source)
  }

  /** Reads the next token. */
  protected abstract next(): void

  /** Whether the token at hand is this operator or keyword. */
  protected is(word: string): boolean {
    return (this.kind === token.operator || this.keyword) && this.word === word
  }
  protected takes(word: string): boolean {
    if (!this.is(word)) return false
    this.next()
    return true
  }
  protected expect(word: string): void {
    if (!this.takes(word)) giveUp()
  }
  protected enter(): void {
    if (++this.#depth > deepest) giveUp()
  }
  protected leave(): void {
    this.#depth--
  }

  /** Sets the word of the name between two places, and whether it is a keyword. */
  protected named(from: number, to: number, keywords: ReadonlyMap<string, string>): void {
    if (to - from > longestWord) return
    const written = this.source.slice(from, to)
    const keyword = keywords.get(written)
    this.word = keyword ?? written
    this.keyword = keyword !== undefined
  }

  /** A node with children that are not yet linked; fields in the same order. */
  protected node(type: string, start: number, children: readonly Node[], fields?: readonly (string | null)[]): Node {
    const { tree } = this
    for (let at = 0; at < children.length; at++) {
      const child = children[at] ?? none
      if (fields !== undefined) tree.setField(child, fields[at] ?? null)
      if (at > 0) tree.next[children[at - 1] ?? none] = child
    }
    return tree.add(type, start, this.last, children[0])
  }

  /** The token at hand as a node of its own. */
  protected leaf(type: string): Node {
    const node = this.tree.add(type, this.start, this.end)
    this.next()
    return node
  }

  protected identifier(type = 'identifier'): Node {
    if (this.kind !== token.name || this.keyword) giveUp()
    return this.leaf(type)
  }
}

/** Groups of letters that tokens begin with. */
export const [letter, digit, quote] = [1, 2, 3] as const

/** The group of each plain letter, by its code; `letters` are what names are made of besides digits. */
export function groupsOf(letters: RegExp): Uint8Array {
  const groups = new Uint8Array(128)
  for (let code = 0; code < 128; code++) {
    const character = String.fromCharCode(code)
    if (letters.test(character)) groups[code] = letter
    else if (/\d/.test(character)) groups[code] = digit
    else if (/['"]/.test(character)) groups[code] = quote
  }
  return groups
}

/** Words by themselves: what is found is the very text that the parser compares with. */
export const keywordsOf = (list: string): ReadonlyMap<string, string> =>
  new Map(list.split(' ').map(word => [word, word]))

/** The operators of a language, found by their first letters. */
export class Operators {
  readonly #byFirst: (readonly string[] | undefined)[] = []
  /** Letters that go on with an operator. */
  readonly #further = new Uint8Array(128)

  constructor(single: string, long: string) {
    const longer = long.split(' ')
    for (const operator of longer) this.#further[operator.charCodeAt(1)] = 1
    for (const first of single)
      this.#byFirst[first.charCodeAt(0)] = [...longer.filter(operator => operator.startsWith(first)), first]
  }

  /** The longest operator at a place. */
  at(source: string, at: number, code: number): string {
    const all = this.#byFirst[code] ?? giveUp()
    if (all.length === 1 || this.#further[source.charCodeAt(at + 1)] !== 1) return all.at(-1) ?? ''
    for (const operator of all) if (source.startsWith(operator, at)) return operator
    return giveUp()
  }
}
