/** A piece of syntax. Kinds and names of fields are those of the tree-sitter grammars, whoever made the tree. */
export interface Node {
  type: string
  readonly start: number
  end: number
  /** What it is to the node above it. */
  field: string | null
  /** The first node inside, and the one behind it; `none` where there is no such node. */
  first: Node
  next: Node
}

/** Stands for a node that is not there, and answers as one without text. */
export const none = { type: 'ERROR', start: 0, end: 0, field: null, first: null, next: null } as unknown as Node
none.first = none
none.next = none

export const nodeOf = (type: string, start: number, end: number, first: Node = none): Node => ({
  type,
  start,
  end,
  field: null,
  first,
  next: none,
})

export class Tree {
  readonly source: string
  root: Node = none
  hasError = false
  /** What the language makes of a name that is not plain: the same name, spelled as it runs. Null when all are plain. */
  spelling: ((written: string) => string) | null = null
  /** Names that read otherwise than they run. */
  readonly disguised: Node[] = []

  constructor(source: string) {
    this.source = source
  }

  text(node: Node): string {
    return this.source.slice(node.start, node.end)
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
}

export function childrenOf(node: Node): Node[] {
  const found: Node[] = []
  for (let child = node.first; child !== none; child = child.next) found.push(child)
  return found
}

export function childOf(node: Node, name: string): Node {
  for (let child = node.first; child !== none; child = child.next) if (child.field === name) return child
  return none
}
