import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Language, Parser } from 'web-tree-sitter'

/**
 * Tree-sitter, with the tree copied once into flat arrays. Each look at a node through the library crosses into
 * WebAssembly; a lowering looks at each node several times, so one sequential copy is the cheaper way.
 */

const grammars = {
  python: 'tree-sitter-python.wasm',
  javascript: 'tree-sitter-javascript.wasm',
  typescript: 'tree-sitter-typescript.wasm',
  tsx: 'tree-sitter-tsx.wasm',
} as const
export type Grammar = keyof typeof grammars

/** A node is a number; its parts are looked up in the tree that it belongs to. */
export type Node = number
export const none: Node = -1

const locate = createRequire(import.meta.url)
const loaded = new Map<Grammar, Promise<Reader>>()
let started: Promise<void> | undefined

/** Loads a grammar once per thread. */
export function reader(grammar: Grammar): Promise<Reader> {
  const known = loaded.get(grammar)
  if (known) return known
  const made = load(grammar)
  loaded.set(grammar, made)
  return made
}

async function load(grammar: Grammar): Promise<Reader> {
  const file = locate.resolve(`@vscode/tree-sitter-wasm/wasm/${grammars[grammar]}`)
  started ??= Parser.init()
  const [bytes] = await Promise.all([readFile(file), started])
  return new Reader(await Language.load(bytes))
}

export class Reader {
  readonly #parser: Parser
  readonly #types: readonly string[]
  readonly #named: readonly boolean[]
  readonly #fields: readonly (string | null)[]
  readonly #opaque: Uint8Array
  readonly #leaves: Uint8Array
  readonly #fieldless: Uint8Array

  constructor(language: Language) {
    this.#parser = new Parser().setLanguage(language)
    this.#types = language.types
    this.#named = language.types.map((_, id) => language.nodeTypeIsNamed(id))
    this.#fields = language.fields
    this.#opaque = new Uint8Array(language.types.length)
    this.#leaves = new Uint8Array(language.types.length)
    this.#fieldless = new Uint8Array(language.types.length)
  }

  /** What nobody asks for: the inside of `leaves`, `hidden` nodes altogether, the field names inside `fieldless`. */
  skipping(leaves: ReadonlySet<string>, hidden: ReadonlySet<string>, fieldless: ReadonlySet<string>): void {
    this.#types.forEach((type, id) => {
      this.#leaves[id] = leaves.has(type) ? 1 : 0
      this.#opaque[id] = hidden.has(type) ? 1 : 0
      this.#fieldless[id] = fieldless.has(type) ? 1 : 0
    })
  }

  /** The named nodes of `source`, or null when the parser gave up. */
  read(source: string): Tree | null {
    const parsed = this.#parser.parse(source)
    if (parsed === null) {
      this.#parser.reset()
      return null
    }
    const tree = new Tree(source, this.#types, this.#fields)
    const cursor = parsed.walk()
    try {
      // Per level the last node listed, to link siblings without looking back.
      const last: Node[] = [none]
      const asks: boolean[] = [false]
      let depth = 0
      for (;;) {
        const type = cursor.nodeTypeId
        const named = this.#named[type] === true || type === errorType
        if (named && this.#opaque[type] !== 1) {
          const field = asks[depth] === true ? cursor.currentFieldId : 0
          const node = tree.add(type, cursor.startIndex, cursor.endIndex, field, depth)
          const before = last[depth] ?? none
          if (before !== none) tree.next[before] = node
          last[depth] = node
          if (this.#leaves[type] !== 1 && cursor.gotoFirstChild()) {
            depth++
            last[depth] = none
            asks[depth] = this.#fieldless[type] !== 1
            continue
          }
        }
        let ended = false
        while (!cursor.gotoNextSibling()) {
          if (!cursor.gotoParent()) {
            ended = true
            break
          }
          depth--
        }
        if (ended) break
      }
      tree.hasError = parsed.rootNode.hasError
    } finally {
      cursor.delete()
      parsed.delete()
    }
    return tree
  }
}

const errorType = 65535

export class Tree {
  readonly source: string
  readonly next: Node[] = []
  hasError = false
  readonly #types: readonly string[]
  readonly #fieldNames: readonly (string | null)[]
  readonly #type: number[] = []
  readonly #start: number[] = []
  readonly #end: number[] = []
  readonly #field: number[] = []
  readonly #depth: number[] = []

  constructor(source: string, types: readonly string[], fields: readonly (string | null)[]) {
    this.source = source
    this.#types = types
    this.#fieldNames = fields
  }

  add(type: number, start: number, end: number, field: number, depth: number): Node {
    const node = this.#type.length
    this.#type.push(type)
    this.#start.push(start)
    this.#end.push(end)
    this.#field.push(field)
    this.#depth.push(depth)
    this.next.push(none)
    return node
  }

  get size(): number {
    return this.#type.length
  }
  type(node: Node): string {
    return this.#types[this.#type[node] ?? errorType] ?? 'ERROR'
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
  fieldName(node: Node): string | null {
    return this.#fieldNames[this.#field[node] ?? 0] ?? null
  }

  first(node: Node): Node {
    const child = node + 1
    return this.#depth[child] === (this.#depth[node] ?? 0) + 1 ? child : none
  }
  children(node: Node): Node[] {
    const found: Node[] = []
    for (let child = this.first(node); child !== none; child = this.next[child] ?? none) found.push(child)
    return found
  }
  field(node: Node, name: string): Node {
    for (let child = this.first(node); child !== none; child = this.next[child] ?? none) {
      if (this.fieldName(child) === name) return child
    }
    return none
  }
}
