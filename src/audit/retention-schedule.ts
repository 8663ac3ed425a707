import type { Clock } from '../clock.ts'
import { type Problem, problemOf } from '../contract/problem.ts'
import type { Audit } from './audit.ts'

const day = 86_400_000

export interface RetentionOptions {
  readonly audit: Pick<Audit, 'prune'>
  readonly clock: Clock
  /** From the settings; read anew each time. */
  readonly days: () => number
  readonly onProblem: (problem: Problem) => void
}

/** Lets go of what is older than the settings say, soon after the start and then once a day. */
export function keepRetention({ audit, clock, days, onProblem }: RetentionOptions): { close(): void } {
  const stop = new AbortController()
  let cancel = clock.after(60_000, prune)
  function prune(): void {
    const kept = days()
    const reason = `older than ${kept} days`
    audit.prune({ before: clock.now() - kept * day, actor: null, reason, signal: stop.signal }).catch(error => {
      // Stopped because the application ends: the next start goes on from there.
      if (!stop.signal.aborted) onProblem(problemOf(error))
    })
    cancel = clock.after(day, prune)
  }
  return {
    close() {
      stop.abort()
      cancel()
    },
  }
}
