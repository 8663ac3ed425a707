import type { RunId } from '../contract/ids.ts'
import { listOf } from '../storage/lists.ts'
import type { Db } from './view.ts'

/**
 * Which of these runs have outputs on some path of a conversation that is there, or was deleted after `since`. A deleted
 * path counts: it can be restored at any time, and other paths may have grown from it.
 */
export async function shownRuns(db: Db, runs: readonly RunId[], since: number): Promise<Set<RunId>> {
  const rows = await db
    .selectFrom('executions')
    .innerJoin('paths', 'paths.id', 'executions.path')
    .innerJoin('conversations', 'conversations.id', 'paths.conversation')
    .select('executions.outputs_of')
    .distinct()
    .where('executions.outputs_of', 'in', listOf(runs))
    .where(({ eb, or }) => or([eb('conversations.deleted_at', 'is', null), eb('conversations.deleted_at', '>', since)]))
    .execute()
  const found = new Set<string | null>(rows.map(row => row.outputs_of))
  return new Set(runs.filter(run => found.has(run)))
}
