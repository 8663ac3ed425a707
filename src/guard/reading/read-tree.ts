import { markDisguised } from '../lowering.ts'
import { origin, type Program } from '../model.ts'
import type { Lowered } from '../syntax.ts'
import type { Tree } from '../tree/tree.ts'
import { evaluate } from './evaluate.ts'
import type { Library } from './library.ts'

/** Writes the facts of a parsed text down; null stands for a text that no parser made anything of. */
export function readTree(
  tree: Tree | null,
  program: Program,
  lower: (tree: Tree) => Lowered,
  library: Library,
): Program {
  if (tree === null) {
    program.problems.push({ kind: 'syntax', message: 'The parser gave up on this text.', start: 0, end: 1 })
    program.complete = false
    return program
  }
  const lowered = lower(tree)
  markDisguised(tree, program)
  program.complexity = lowered.complexity
  program.problems.push(...lowered.problems)
  program.complete = lowered.problems.length === 0
  evaluate(lowered, program, library)
  noteReached(program, library)
  return program
}

/** `pathlib.os.system` needs no import of `os`; a policy that blocks the module means this too. */
function noteReached(program: Program, { reaching }: Library): void {
  const known = new Set<string>()
  for (const { module } of program.imports) known.add(module.split('.', 1)[0] ?? module)
  for (const { name, receiver, start, end } of program.calls) {
    const dot = name.indexOf('.')
    if (dot === -1) continue
    const module = name.slice(0, dot)
    // A parameter may have the name of a module.
    if (!reaching.has(module) || known.has(module) || ((receiver?.origins ?? 0) & origin.parameter) !== 0) continue
    known.add(module)
    program.imports.push({ module, names: [], start, end })
  }
}
