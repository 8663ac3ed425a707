import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { Language, Parser } from 'web-tree-sitter'
import { type Node, nodeOf, none, Tree } from './tree.ts'

/**
 * Tree-sitter, with the tree copied once into plain objects. Each look at a node through the library crosses into
 * WebAssembly; a lowering looks at each node several times, so one sequential copy is the cheaper way.
 */

const grammars = {
  python: 'tree-sitter-python.wasm',
  javascript: 'tree-sitter-javascript.wasm',
  typescript: 'tree-sitter-typescript.wasm',
  tsx: 'tree-sitter-tsx.wasm',
} as const
export type Grammar = keyof typeof grammars

// Freeing compiled code while several threads use the same grammar can abort the whole process (a failed check of V8).
setFlagsFromString('--no-wasm-code-gc')

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
    const tree = new Tree(source)
    const cursor = parsed.walk()
    try {
      // Per level the last node listed and the one above, to link them without looking back.
      const last: Node[] = [none]
      const above: Node[] = [none]
      const asks: boolean[] = [false]
      let depth = 0
      for (;;) {
        const type = cursor.nodeTypeId
        const named = this.#named[type] === true || type === errorType
        if (named && this.#opaque[type] !== 1) {
          const node = nodeOf(this.#types[type] ?? 'ERROR', cursor.startIndex, cursor.endIndex)
          if (asks[depth] === true) node.field = this.#fields[cursor.currentFieldId] ?? null
          const before = last[depth] ?? none
          const parent = above[depth] ?? none
          if (before !== none) before.next = node
          else if (parent !== none) parent.first = node
          else tree.root = node
          last[depth] = node
          if (this.#leaves[type] !== 1 && cursor.gotoFirstChild()) {
            depth++
            last[depth] = none
            above[depth] = node
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
