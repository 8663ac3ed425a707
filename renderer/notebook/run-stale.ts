import type { ContextStatus } from '../../src/contract/contexts.ts'
import type { Item } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { client } from '../state/connection.ts'
import { runMany } from './actions.ts'
import { cellsNotHere } from './restoring.ts'

/** Exactly the cells whose output does not follow from what the path says now, and what they cannot run without. */
export async function runStale(path: PathId): Promise<void> {
  const status = await client.sandbox.status(path)
  await runMany(path, items => staleToRun(status, items))
}

/**
 * After a restart or an expiry, on a new branch and in an imported notebook, the sandbox has no variables of the cells
 * above: without running those first, a stale cell would only fail.
 */
export function staleToRun(status: ContextStatus, items: readonly Item[]): readonly Item[] {
  const isStale = (item: Item) => item.kind === 'cell' && item.lastRun?.stale === true
  const gone = new Set<Item>(cellsNotHere(status, items))
  const last = items.findLastIndex(isStale)
  return items.slice(0, last + 1).filter(item => isStale(item) || gone.has(item))
}
