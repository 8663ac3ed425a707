import { parsePython } from './parse.ts'

/** How the first line of what was copied from an interactive shell begins, and how each of its lines may. */
const prompts = [
  { first: /^>>>(?: |\r?$)/, any: /^(?:>>>|\.\.\.)(?: |\r?$)/ },
  {
    first: /^(?:(?:\[(?:nav|ins)\])? )?In \[\d+\]: /,
    any: /^(?:(?:\[(?:nav|ins)\])? )?In \[\d+\]: |^[ \t]*\.{3,}: ?/,
  },
] as const

/** A cheap look: almost no program begins so. */
const mayBePasted = /^\s*\n?(?:[ \t]+\S|>>>|(?:\[(?:nav|ins)\])? ?In \[)/

/**
 * A cell as notebooks take it: without the prompts of an interactive shell, or the indent of a block, that it was copied
 * with. Whatever goes stands at the beginning of lines, which stay where they are.
 */
export function unpasted(source: string): string {
  if (!mayBePasted.test(source)) return source
  const lines = source.split('\n')
  const first = lines.find(line => line.trim() !== '') ?? ''
  const indent = /^[ \t]*/.exec(first)?.[0] ?? ''
  const prompt = prompts.find(each => each.first.test(first.slice(indent.length)))
  // It begins with a comment.
  if (!prompt && parsePython(source) !== null) return source
  const plain = lines.map(line => (line.startsWith(indent) ? line.slice(indent.length) : line))
  return (prompt ? plain.map(line => line.replace(prompt.any, '')) : plain).join('\n')
}
