import type { ContextStatus } from '../../src/contract/contexts.ts'
import type { Item } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { client } from '../state/connection.ts'
import { runMany } from './actions.ts'
import { cellsBefore } from './restoring.ts'

/** Exactly the cells whose output does not follow from what the path says now, and what they cannot run without. */
export async function runStale(path: PathId): Promise<void> {
  const status = await client.sandbox.status(path)
  await runMany(path, items => staleToRun(status, items))
}

/**
 * After a restart or an expiry the variables of the cells above are gone: without running those first, a stale cell
 * would only fail.
 */
export function staleToRun(status: ContextStatus, items: readonly Item[]): readonly Item[] {
  const isStale = (item: Item) => item.kind === 'cell' && item.lastRun?.stale === true
  const gone = new Set<Item>(cellsBefore(status, items))
  const last = items.findLastIndex(isStale)
  return items.slice(0, last + 1).filter(item => isStale(item) || gone.has(item))
}
