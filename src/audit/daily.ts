import type { Clock } from '../clock.ts'
import { type Problem, problemOf } from '../contract/problem.ts'
import type { Audit } from './audit.ts'

const day = 86_400_000
const minute = 60_000

interface DailyOptions {
  readonly clock: Clock
  readonly onProblem: (problem: Problem) => void
}

/** How long things are kept, read anew each time; null while nobody has chosen: nothing is removed unasked. */
type Days = () => number | null

/** Lets go of what is older than the settings say, soon after the start and then once a day. */
export function keepRetention({
  audit,
  days,
  clock,
  onProblem,
}: DailyOptions & { audit: Pick<Audit, 'prune'>; days: Days }): { close(): void } {
  return daily({ clock, onProblem }, minute, async signal => {
    const kept = days()
    if (kept === null) return
    await audit.prune({ before: clock.now() - kept * day, actor: null, reason: `older than ${kept} days`, signal })
  })
}

/** Forgets old versions of files, and what tools answered, together with the entries that name them. */
export function keepFiles({
  files,
  tools,
  days,
  ...options
}: DailyOptions & { files: Prunable; tools: Prunable; days: Days }): { close(): void } {
  return daily(options, 2 * minute, async () => {
    const kept = days()
    if (kept === null) return
    const before = options.clock.now() - kept * day
    await tools.prune(before)
    await files.prune(before)
  })
}

/** Empties the bin of what has lain there for its time. */
export function keepBin({ empty, ...options }: DailyOptions & { empty: () => Promise<unknown> }): { close(): void } {
  return daily(options, 3 * minute, empty)
}

interface Prunable {
  prune(time: number): Promise<unknown>
}

/** Checks the whole record once a day, so that damage is noticed by somebody: what it finds raises an alert. */
export function keepVerified({ audit, ...options }: DailyOptions & { audit: Pick<Audit, 'verify'> }): {
  close(): void
} {
  return daily(options, 15 * minute, signal => audit.verify({ signal }))
}

function daily({ clock, onProblem }: DailyOptions, firstMs: number, work: (signal: AbortSignal) => Promise<unknown>) {
  const stop = new AbortController()
  let cancel = clock.after(firstMs, run)
  function run(): void {
    work(stop.signal).catch(error => {
      // Stopped because the application ends: the next start does it.
      if (!stop.signal.aborted) onProblem(problemOf(error))
    })
    cancel = clock.after(day, run)
  }
  return {
    close() {
      stop.abort()
      cancel()
    },
  }
}
