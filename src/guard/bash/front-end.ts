import { emptyProgram, type FrontEnd, type Program } from '../model.ts'
import { parsed } from './parsed.ts'
import { Reader } from './reader.ts'

/** Reads shell scripts with `unbash`, a parser in plain JavaScript: there is nothing to load. */
export const bashFrontEnd = {
  prepare: async () => {},
  read(source, language): Program {
    const program = emptyProgram(language, source)
    const script = parsed(source)
    if (script === null) {
      program.problems.push({ kind: 'depth', message: 'The script is nested too deeply to be read.', start: 0, end: 0 })
      program.complete = false
      return program
    }
    try {
      new Reader(program).script(script)
    } catch {
      // Whatever goes wrong while reading hostile text, the reviewer gets an answer: this was not read to its end.
      program.problems.push({ kind: 'depth', message: 'The script could not be read to its end.', start: 0, end: 0 })
      program.complete = false
    }
    return program
  },
} satisfies FrontEnd
