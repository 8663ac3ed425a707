import type { ContextStatus } from '../../src/contract/contexts.ts'

/** So many runs before it is due, the badge says that a sandbox will be replaced. */
const announcedBefore = 10

/** Whether a sandbox is to be replaced: not yet, soon, or as soon as the person likes. */
export function rotationOf({ state, runs, maxRuns }: Pick<ContextStatus, 'state' | 'runs' | 'maxRuns'>): {
  readonly kind: 'no' | 'soon' | 'due'
  readonly words: string | null
} {
  if (state !== 'ready' && state !== 'running') return { kind: 'no', words: null }
  if (runs >= maxRuns) return { kind: 'due', words: 'to be replaced' }
  const left = maxRuns - runs
  if (left > announcedBefore) return { kind: 'no', words: null }
  return { kind: 'soon', words: `${left} ${left === 1 ? 'run' : 'runs'} left` }
}

export const rotationSentences = {
  no: null,
  soon: 'After a set number of runs a sandbox is replaced, for a clean start. As long as it has variables, this happens only when you say so.',
  due: 'This sandbox has reached its number of runs. It goes on while it has variables; replace it when it suits you.',
} as const
