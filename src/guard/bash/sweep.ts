import { type Command, forEachChild, type ParsedScript, type SyntaxNode } from 'unbash'
import { isSubstitution, mayRun, type Substitution } from './unread.ts'

/** The commands and substitutions of a script that were not seen. Without recursion: the tree may be deep. */
export function sweep(script: ParsedScript, source: string, seen: WeakSet<object>): (Command | Substitution)[] {
  const words = mayRun(source)
  const missed: (Command | Substitution)[] = []
  const open: SyntaxNode[] = [script]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    // Most words are only letters; their parts would be worked out for nothing.
    if (node.type === 'Word' && !(words && mayRun(node.text))) continue
    if (node.type === 'Command' ? !seen.has(node) : isSubstitution(node) && !(node.script && seen.has(node.script)))
      missed.push(node as Command | Substitution)
    else forEachChild(node, child => open.push(child))
  }
  return missed
}
