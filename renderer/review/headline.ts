import type { Impact, Inspection, Target } from '../../src/contract/inspection.ts'
import type { ToolGrant } from '../../src/contract/tools.ts'
import { visible } from '../../src/contract/visible.ts'

const verbs: readonly (readonly [keyof Impact & TargetList, string])[] = [
  ['filesDeleted', 'deletes'],
  ['hosts', 'talks to'],
  ['commands', 'starts'],
  ['dataModified', 'changes data in'],
  ['filesWritten', 'writes'],
  ['filesRead', 'reads'],
]

type TargetList = 'filesDeleted' | 'hosts' | 'commands' | 'dataModified' | 'filesWritten' | 'filesRead'

/** What the code would do, in one sentence: the worst first, so that ten seconds are enough to know. */
export function headline({ impact, complete }: Inspection, tools: readonly ToolGrant[] = []): string {
  const acting = tools.filter(({ effect }) => effect !== 'reads').map(({ server, tool }) => `“${tool}” of ${server}`)
  const calls = acting.length > 0 ? [`calls ${new Intl.ListFormat('en').format(acting.slice(0, 3))}`] : []
  const found = verbs.flatMap(([list, verb]) => (impact[list].length > 0 ? [`${verb} ${named(impact[list])}`] : []))
  const done = [...calls, ...found]
  // Reading is what nearly all code does: it is news only when nothing worse is.
  const said = done.length > 1 ? done.filter(part => !part.startsWith('reads ')) : done
  const unknown = impact.unknownCalls?.length ?? 0
  const parts =
    said.length > 0 ? [sentence(said)] : unknown > 0 ? [] : ['No effect on files, hosts, programs or data was found.']
  if (unknown > 0) parts.push('It calls libraries of which nothing is known: what they do is not listed.')
  if (impact.reversible === 'no') parts.push('It cannot be undone.')
  else if (impact.reversible === 'unknown' && said.length > 0) parts.push('It may not be possible to undo it.')
  if (!complete) parts.push('The code could not be read to its end: it may do more.')
  return parts.join(' ')
}

function named(targets: readonly Target[]): string {
  const known = [
    ...new Set(targets.flatMap(({ target }) => (target === null ? [] : [`“${shortened(visible(target))}”`]))),
  ]
  const unknown = targets.length - targets.filter(({ target }) => target !== null).length
  const first = known.slice(0, 2)
  const more = known.length - first.length
  const rest = [
    ...(more > 0 ? [`${more} more`] : []),
    ...(unknown > 0 ? [unknown === 1 ? 'something unknown' : `${unknown} unknown targets`] : []),
  ]
  return new Intl.ListFormat('en').format([...first, ...rest])
}

const shortened = (text: string): string => (text.length > 48 ? `${text.slice(0, 22)}…${text.slice(-22)}` : text)

function sentence(parts: readonly string[]): string {
  const text = parts.join('; ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
