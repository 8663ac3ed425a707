import { emptyProgram, type FrontEnd, type Program } from '../model.ts'
import { pythonLibrary } from '../reading/python/library.ts'
import { readTree } from '../reading/read-tree.ts'
import type { Reader } from '../tree/reader.ts'
import { lowerPython } from './lower.ts'
import { pythonFieldless, pythonHidden, pythonLeaves } from './nodes.ts'
import { parsePython } from './parse.ts'

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
    const readable = withoutMagics(withPlainLines(source), program)
    const quick = parsePython(readable)
    if (quick === null && python === undefined) return null
    const tree = quick ?? python?.read(readable) ?? null
    if (quick === null && tree !== null) tree.spelling = compatible
    return readTree(tree, program, lowerPython, pythonLibrary)
  },
}

/** Python runs a name in full-width or mathematical letters as the same name in plain ones. */
const compatible = (written: string): string => (/[^\x00-\x7f]/.test(written) ? written.normalize('NFKC') : written)

/** Python ends a line, and with it a comment, at a lone carriage return; the grammar does not, and would read code as comment. */
const withPlainLines = (source: string): string => (source.includes('\r') ? source.replace(/\r(?!\n)/g, '\n') : source)

/** Notebook lines that are no Python: `!command` is handed to a shell, `%magic` is passed over. Offsets stay the same. */
function withoutMagics(source: string, program: Program): string {
  if (!(source.includes('!') || source.includes('%')) || !/^[ \t]*[!%]/m.test(source)) return source
  return source.replace(
    /^([ \t]*)(!+|%{1,2}(?=[a-z]))(.*)$/gm,
    (line, indent: string, sign: string, rest: string, start: number) => {
      const shell = sign.startsWith('!') ? rest : /^(sx|system|bash|sh|script bash)\b(.*)$/.exec(rest)?.[2]
      if (shell !== undefined)
        program.embedded.push({ language: 'bash', code: shell, via: sign, start, end: start + line.length })
      return `${indent}pass${' '.repeat(Math.max(0, line.length - indent.length - 4))}`.slice(
        0,
        Math.max(line.length, indent.length + 4),
      )
    },
  )
}
