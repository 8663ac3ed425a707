/**
 * A syntax tree in flat arrays: a node is a number, and its parts are looked up in the tree that it belongs to. Kinds of
 * nodes and names of fields are those of the tree-sitter grammars, whoever made the tree.
 */
export type Node = number
export const none: Node = -1

export class Tree {
  readonly source: string
  root: Node = none
  hasError = false
  /** What the language makes of a name that is not plain: the same name, spelled as it runs. Null when all are plain. */
  spelling: ((written: string) => string) | null = null
  /** Names that read otherwise than they run. */
  readonly disguised: Node[] = []
  readonly next: Node[] = []
  readonly #first: Node[] = []
  readonly #type: string[] = []
  readonly #start: number[] = []
  readonly #end: number[] = []
  readonly #field: (string | null)[] = []

  constructor(source: string) {
    this.source = source
  }

  add(type: string, start: number, end: number, first: Node = none): Node {
    this.#start.push(start)
    this.#end.push(end)
    this.#field.push(null)
    this.#first.push(first)
    this.next.push(none)
    return this.#type.push(type) - 1
  }
  /** For makers of trees: what was not yet known when the node was added. */
  setFirst(node: Node, child: Node): void {
    this.#first[node] = child
  }
  setField(node: Node, name: string | null): void {
    this.#field[node] = name
  }
  setEnd(node: Node, end: number): void {
    this.#end[node] = end
  }
  setType(node: Node, type: string): void {
    this.#type[node] = type
  }

  get size(): number {
    return this.#type.length
  }
  type(node: Node): string {
    return this.#type[node] ?? 'ERROR'
  }
  start(node: Node): number {
    return this.#start[node] ?? 0
  }
  end(node: Node): number {
    return this.#end[node] ?? 0
  }
  text(node: Node): string {
    return this.source.slice(this.#start[node], this.#end[node])
  }
  /** A name as the interpreter knows it, however it is written. */
  name(node: Node): string {
    const written = this.text(node)
    if (this.spelling === null) return written
    const plain = this.spelling(written)
    // One letter may be mathematics; a word in such letters is there to be misread.
    if (plain !== written && /^[\w$.]*[a-z_]{2}[\w$.]*$/i.test(plain)) this.disguised.push(node)
    return plain
  }
  fieldName(node: Node): string | null {
    return this.#field[node] ?? null
  }

  first(node: Node): Node {
    return this.#first[node] ?? none
  }
  children(node: Node): Node[] {
    const found: Node[] = []
    for (let child = this.first(node); child !== none; child = this.next[child] ?? none) found.push(child)
    return found
  }
  field(node: Node, name: string): Node {
    for (let child = this.first(node); child !== none; child = this.next[child] ?? none) {
      if (this.#field[child] === name) return child
    }
    return none
  }
}
