import { z } from 'zod'
import { problemOf } from '../contract/problem.ts'
import type { Active } from './active.ts'
import type { Desk } from './desk.ts'
import type { Snapshot } from './step.ts'

/** How often what a model has written is kept while it writes: a crash loses at most this much of it. */
const keepMs = 400

const Calls = z.array(z.object({ tool: z.string(), input: z.string() }))
export const Kept = z.object({ text: z.string(), reasoning: z.string().default(''), unfinished: Calls })
export type Kept = z.infer<typeof Kept>

export interface Keeping {
  keep(snapshot: () => Snapshot): void
  end(): Promise<void>
}

/** Writes what a model has said so far, now and then, while it says it. */
export function keeping(desk: Desk, active: Active): Keeping {
  let latest: (() => Snapshot) | null = null
  let cancel: (() => void) | null = null
  let writing = Promise.resolve()
  const write = () => {
    cancel = null
    if (!latest) return
    const { text, reasoning, calls, unfinished } = latest()
    // A call whose answer did not come to its end is none, also one that was complete in itself.
    const partial = JSON.stringify({ text, reasoning, unfinished: [...calls, ...unfinished] })
    const { unsaved } = active
    active.unsaved = {}
    writing = desk.store.change(active.row.id, { ...unsaved, partial }).catch(error => {
      active.unsaved = { ...unsaved, ...active.unsaved }
      desk.log.warn({ reason: problemOf(error).code }, 'what a model wrote could not be kept yet')
    })
  }
  return {
    keep(snapshot) {
      latest = snapshot
      cancel ??= desk.clock.after(keepMs, write)
    },
    async end() {
      cancel?.()
      await writing
    },
  }
}
