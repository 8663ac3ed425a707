import type { CellVerdict, ReplayReport } from '../contract/conversations.ts'
import type { CellId, PathId } from '../contract/ids.ts'
import type { Output } from '../contract/run.ts'
import { pairNumbers } from './numbers.ts'
import { textOf } from './outputs.ts'

/** A cell as it is on record, and as it came out again; null where the run could not be made, with the reason. */
export interface Replayed {
  readonly cell: CellId
  readonly recorded: readonly Output[] | null
  /** The cell was changed after the run on record. */
  readonly stale: boolean
  readonly replayed: { readonly outputs: readonly Output[] } | { readonly reason: string }
}

/** What a replay showed: the worst verdict of any cell is the verdict on the path. */
export function replayReport(path: PathId, cells: readonly Replayed[]): ReplayReport {
  const verdicts = cells.map(verdictOn)
  const counts = { identical: 0, different: 0, 'not-reproducible': 0 }
  for (const { verdict } of verdicts) counts[verdict]++
  const verdict = counts['not-reproducible'] > 0 ? 'not-reproducible' : counts.different > 0 ? 'different' : 'identical'
  return { path, verdict, cells: verdicts, counts }
}

export function verdictOn({ cell, recorded, stale, replayed }: Replayed): CellVerdict {
  const not = (reason: string): CellVerdict => ({ cell, verdict: 'not-reproducible', reason, differences: [] })
  if ('reason' in replayed) return not(replayed.reason)
  if (!recorded) return not('There is no recorded run to compare with.')
  if (stale)
    return not(
      'The cell, or one that it depends on, was changed after its recorded run, so there is nothing that it should equal.',
    )
  const before = comparable(recorded)
  const after = comparable(replayed.outputs)
  const differences: CellVerdict['differences'] = []
  for (let place = 0; place < Math.max(before.length, after.length); place++) {
    const [one, other] = [before[place], after[place]]
    if (one && other && one.what === other.what && one.text === other.text) continue
    differences.push({
      what: one?.what ?? other?.what ?? 'output',
      recorded: clip(one?.text ?? ''),
      replayed: clip(other?.text ?? ''),
      numbers: one && other ? pairNumbers([one.output], [other.output]).filter(pair => pair.absolute !== 0) : [],
    })
  }
  if (differences.length === 0) return { cell, verdict: 'identical', reason: 'Every output is the same.', differences }
  const failedNow = replayed.outputs.find(output => output.type === 'error')
  const failedThen = recorded.some(output => output.type === 'error')
  if (failedNow && !failedThen) {
    return { cell, verdict: 'not-reproducible', reason: `The replay failed: ${textOf(failedNow)}`, differences }
  }
  const things = [...new Set(differences.map(difference => difference.what))].join(', ')
  return { cell, verdict: 'different', reason: `Differs in: ${things}.`, differences }
}

interface Comparable {
  readonly what: string
  readonly text: string
  readonly output: Output
}

/**
 * Outputs in a form in which equal means equal: notices left out, addresses masked, each stream in one piece and first,
 * since how streams are cut and mixed is a matter of timing.
 */
function comparable(outputs: readonly Output[]): Comparable[] {
  const streams = (['stdout', 'stderr'] as const).flatMap(name => {
    const pieces = outputs.flatMap(output => (output.type === 'stream' && output.name === name ? output.text : []))
    const text = pieces.join('')
    return pieces.length === 0 ? [] : { what: name, text: mask(text), output: { type: 'stream' as const, name, text } }
  })
  const rest = outputs.flatMap(comparableOne)
  return [...streams, ...rest]
}

function comparableOne(output: Output): Comparable[] {
  switch (output.type) {
    case 'stream':
    case 'notice':
      return []
    case 'error':
      return [{ what: 'error', text: mask(textOf(output)), output }]
    case 'display':
    case 'result':
      return [{ what: output.type, text: mask(canonical(output.data)), output }]
  }
}

/** `<Model at 0x7f31…>` names a place in memory, which is never the same twice and means nothing. */
const mask = (text: string) => text.replace(/\bat 0x[0-9a-fA-F]{6,16}\b/g, 'at 0x…')

function canonical(data: Readonly<Record<string, unknown>>): string {
  const keys = Object.keys(data).sort()
  const [only] = keys
  if (keys.length === 1 && only && typeof data[only] === 'string') return String(data[only])
  return JSON.stringify(Object.fromEntries(keys.map(key => [key, data[key]])), null, 1)
}

const clip = (text: string) => (text.length > 20_000 ? `${text.slice(0, 20_000)}…` : text)
