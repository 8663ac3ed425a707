import { emptyProgram, type FrontEnd } from '../model.ts'
import { pythonLibrary } from '../reading/python/library.ts'
import { readTree } from '../reading/read-tree.ts'
import type { Reader } from '../tree/reader.ts'
import type { Tree } from '../tree/tree.ts'
import { lowerPython } from './lower.ts'
import { type Magic, magicsIn, mayHoldMagics } from './magics.ts'
import { pythonFieldless, pythonHidden, pythonLeaves } from './nodes.ts'
import { withoutMagics } from './notebook.ts'
import { parsePython } from './parse.ts'
import { unpasted } from './pasted.ts'

let python: Reader | undefined

export const pythonFrontEnd: FrontEnd = {
  async prepare() {
    if (python) return
    const { reader } = await import('../tree/reader.ts')
    const made = await reader('python')
    made.skipping(pythonLeaves, pythonHidden, pythonFieldless)
    python = made
  },

  read(source, language) {
    const program = emptyProgram(language, source)
    const plain = withPlainLines(source)
    const magics = mayHoldMagics(plain) ? magicsIn(plain) : []
    const certain = magics[0] !== undefined && beginsStatement(plain, magics[0])
    let tree = certain ? undefined : parsed(plain)
    // What reads as Python is Python, whatever its lines begin with.
    if (certain || (tree !== undefined && magics.length > 0 && tree?.hasError !== false))
      tree = parsed(withoutMagics(plain, magics, program))
    return tree === undefined ? null : readTree(tree, program, lowerPython, pythonLibrary)
  },
}

/** The text as Python sees it once the notebook has taken out what is none; each line stays where it is. */
export function plainPython(source: string): string {
  const plain = withPlainLines(unpasted(source))
  const magics = mayHoldMagics(plain) ? magicsIn(plain) : []
  return magics.length === 0 ? plain : withoutMagics(plain, magics, emptyProgram('python', plain))
}

/**
 * Whether all before a magic is whole statements, so that what begins with its sign can be none: the text is then no
 * Python for certain, and the grammar need not be asked, which takes ten times as long as all the rest.
 */
function beginsStatement(source: string, { start, assigned }: Magic): boolean {
  const line = source.lastIndexOf('\n', start - 1) + 1
  if (!(assigned ? /^\w+[ \t]*=[ \t]*$/ : /^$/).test(source.slice(line, start))) return false
  const before = source.slice(0, line)
  return !/\\\r?\n$/.test(before) && parsePython(before) !== null
}

/** Undefined when it takes the grammar, and that is not loaded. */
function parsed(source: string): Tree | null | undefined {
  const quick = parsePython(source)
  if (quick !== null || python === undefined) return quick ?? undefined
  const tree = python.read(source)
  if (tree !== null) tree.spelling = compatible
  return tree
}

/** Python runs a name in full-width or mathematical letters as the same name in plain ones. */
const compatible = (written: string): string => (/[^\x00-\x7f]/.test(written) ? written.normalize('NFKC') : written)

/** Python ends a line, and with it a comment, at a lone carriage return; the grammar does not, and would read code as comment. */
const withPlainLines = (source: string): string => (source.includes('\r') ? source.replace(/\r(?!\n)/g, '\n') : source)
