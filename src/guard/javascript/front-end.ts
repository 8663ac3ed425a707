import { emptyProgram, type FrontEnd } from '../model.ts'
import { javaScriptLibrary } from '../reading/javascript/library.ts'
import { readTree } from '../reading/read-tree.ts'
import type { Grammar, Reader } from '../tree/reader.ts'
import type { Tree } from '../tree/tree.ts'
import { lowerJavaScript } from './lower.ts'
import { javaScriptFieldless, javaScriptHidden, javaScriptLeaves } from './nodes.ts'
import { parseJavaScript } from './parse.ts'
import { unescapeJavaScript } from './strings.ts'

const readers = new Map<Grammar, Reader>()

async function prepare(grammar: Grammar): Promise<void> {
  if (readers.has(grammar)) return
  const { reader } = await import('../tree/reader.ts')
  const made = await reader(grammar)
  made.skipping(javaScriptLeaves, javaScriptHidden, javaScriptFieldless)
  readers.set(grammar, made)
}

function frontEnd(grammars: readonly Grammar[], quick: (source: string) => Tree | null): FrontEnd {
  return {
    prepare: async () => {
      await Promise.all(grammars.map(prepare))
    },
    read(source, language) {
      let tree = quick(source)
      if (tree === null) {
        const loaded = grammars.map(grammar => readers.get(grammar)).filter(each => each !== undefined)
        if (loaded.length < grammars.length) return null
        tree = parsed(source, loaded)
        if (tree !== null) tree.spelling = unescapeJavaScript
      }
      return readTree(tree, emptyProgram(language, source), lowerJavaScript, javaScriptLibrary)
    },
  }
}

/** The first grammar that reads all of it wins: `<T>x` and `<div>` cannot be told apart before parsing. */
function parsed(source: string, loaded: readonly Reader[]): Tree | null {
  let tree: Tree | null = null
  for (const grammar of loaded) {
    const read = grammar.read(source)
    if (tree === null || (read !== null && !read.hasError)) tree = read ?? tree
    if (tree !== null && !tree.hasError) break
  }
  return tree
}

export const javaScriptFrontEnd = frontEnd(['javascript'], parseJavaScript)
export const typeScriptFrontEnd = frontEnd(['typescript', 'tsx'], () => null)
