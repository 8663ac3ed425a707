import { markDisguised } from '../lowering.ts'
import type { Program } from '../model.ts'
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
  return program
}
