import type { ConversationChange } from '../contract/conversations.ts'
import { type RiskLevel, riskLevels } from '../contract/run.ts'
import type { Ids } from '../ids.ts'
import type { Transaction } from '../storage/storage.ts'
import type { FinishedCell } from './conversations.ts'
import { keepOutputs } from './outputs.ts'
import { keepText } from './texts.ts'

/** Writes what a run left. Also where the path was archived or deleted, or the cell removed, meanwhile: nothing is lost. */
export async function recordRun(
  ids: Ids,
  transaction: Transaction,
  finished: FinishedCell,
): Promise<ConversationChange | null> {
  const path = await transaction
    .selectFrom('paths')
    .innerJoin('conversations', 'conversations.id', 'paths.conversation')
    .select(['paths.conversation', 'paths.run_count', 'paths.risk', 'conversations.version'])
    .where('paths.id', '=', finished.path)
    .executeTakeFirst()
  const item = await transaction
    .selectFrom('items')
    .select('conversation')
    .where('id', '=', finished.cell)
    .executeTakeFirst()
  if (!path || item?.conversation !== path.conversation) return null
  const { conversation } = path
  const version = path.version + 1
  const count = path.run_count + 1
  const set = finished.run
  await keepOutputs(
    transaction,
    ids,
    conversation,
    set,
    finished.outputs.map(output => ({ output, extra: null })),
  )
  await transaction
    .insertInto('executions')
    .values({
      path: finished.path,
      item: finished.cell,
      version,
      outputs_of: set,
      run: finished.run,
      ran_on: finished.path,
      count,
      finished_at: finished.finishedAt,
      duration_ms: finished.durationMs,
      success: finished.success ? 1 : 0,
      risk: finished.risk,
      kept_from: finished.keptFrom,
      language: finished.language,
      text: await keepText(transaction, conversation, finished.code),
    })
    .execute()
  await transaction
    .updateTable('paths')
    .set({ run_count: count, risk: higher(path.risk, finished.risk), last_activity_at: finished.finishedAt })
    .where('id', '=', finished.path)
    .execute()
  await transaction
    .updateTable('conversations')
    .set({ version, last_activity_at: finished.finishedAt })
    .where('id', '=', conversation)
    .execute()
  return { conversation, path: finished.path, version, what: 'items', items: [finished.cell] }
}

const higher = (before: RiskLevel | null, now: RiskLevel): RiskLevel =>
  before && riskLevels.indexOf(before) > riskLevels.indexOf(now) ? before : now
