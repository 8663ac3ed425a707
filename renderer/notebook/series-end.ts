import type { Series } from '../../src/contract/series.ts'
import { failureWord } from '../output/error.tsx'
import { endWord } from '../ui/run-end.ts'

/** How the cell ended at which a series stopped, in words that follow "a cell that". */
export function wordOf({ error, problem }: NonNullable<Series['end']>): string {
  const word = error ? failureWord(error) : problem ? endWord(problem.code) : 'failed'
  if (word === 'failed') return word
  if (word === 'syntax error') return 'has a syntax error'
  return word === 'denied' || word === 'stopped' || word === 'withdrawn' ? `was ${word}` : 'could not be run'
}
