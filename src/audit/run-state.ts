import type { AuditEntry, AuditItem } from '../contract/audit.ts'
import { outcomesOf } from '../storage/record/entries.ts'
import type { Storage } from '../storage/storage.ts'

/** A run ends at its limit; a little later than that it is no longer running anywhere. */
const longestRun = 600_000
const grace = 60_000

/** What is needed to tell a run that goes on from one that was interrupted. */
export interface Present {
  readonly now: number
  readonly isLive: (session: string) => boolean
}

/** Tells of each intent how it went on. An intent without an outcome was interrupted, unless it can still be running. */
export async function withRunStates(
  storage: Pick<Storage, 'read'>,
  items: readonly AuditItem[],
  present: Present,
): Promise<AuditItem[]> {
  const intents = items.filter(({ entry }) => entry.action === 'run.intended')
  const runs = intents.flatMap(({ entry }) => (entry.run === undefined ? [] : [entry.run]))
  if (runs.length === 0) return [...items]
  const outcomeOf = await outcomesOf(storage.read, runs)
  return items.map(item =>
    item.entry.action === 'run.intended'
      ? { ...item, runState: runState(item.entry, outcomeOf.get(item.entry.run ?? ''), present) }
      : item,
  )
}

export function runState(
  intent: AuditEntry,
  outcome: string | undefined,
  { now, isLive }: Present,
): NonNullable<AuditItem['runState']> {
  if (outcome === 'run.finished') return 'finished'
  if (outcome === 'run.refused') return 'refused'
  const canStillRun = isLive(intent.session) && now <= intent.at + longestRun + grace
  return canStillRun ? 'running' : 'interrupted'
}
