import { listOf } from '../lists.ts'
import { markDisguised } from '../lowering.ts'
import { origin, type Program } from '../model.ts'
import { remembered } from '../names.ts'
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
  program.body = lowered.body
  program.complexity = lowered.complexity
  program.problems.push(...lowered.problems)
  program.complete = lowered.problems.length === 0
  evaluate(lowered, program, library)
  noteReached(program, library)
  return program
}

/** `pathlib.os.system` needs no import of `os`; a policy that blocks the module means this too. */
function noteReached(program: Program, { reaching }: Library): void {
  let known: Set<string> | null = null
  for (const { name, receiver, start, end } of program.calls) {
    const module = moduleOf(name)
    // A parameter may have the name of a module.
    if (module === '' || !reaching.has(module) || ((receiver?.origins ?? 0) & origin.parameter) !== 0) continue
    known ??= new Set(listOf(program.imports, imported => imported.module.split('.', 1)[0] ?? imported.module))
    if (known.has(module)) continue
    known.add(module)
    program.imports.push({ module, names: [], start, end })
  }
}

const moduleOf = remembered((name: string): string => name.slice(0, Math.max(0, name.indexOf('.'))))
