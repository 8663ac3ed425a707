import { tombstoneStatement } from '../../resources/verify.mjs'
import type { Clock } from '../clock.ts'
import type { AuditAction, Pruning } from '../contract/audit.ts'
import type { TenantId, UserId } from '../contract/ids.ts'
import { Failure } from '../contract/problem.ts'
import { removeWords, stretchesBefore, withoutTrace } from '../storage/record/entries.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { Recorder } from './audit.ts'
import type { Indexing } from './indexing.ts'
import type { Signer } from './keys.ts'
import { parseEntry } from './query.ts'
import { StoredTree } from './tree.ts'

export interface PruneRequest {
  /** Entries from before this moment go. */
  readonly before: number
  readonly actor: UserId | null
  readonly reason: string
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * Without the first three nothing else on the record could be checked. A withdrawal ends a vouch for ever; emptied, only
 * the row would tell it, and setting that back would make the vouch stand again.
 */
export const neverEmptied: readonly AuditAction[] = [
  'key.created',
  'key.rotated',
  'audit.pruned',
  'identity.vouch-withdrawn',
]

/** So many entries are emptied in one transaction; everyone else gets a turn in between. */
const batch = 500

/**
 * Empties old entries and leaves their hashes, so that chain and tree stay as they were. The signed tombstone goes on
 * the record first: a crash in the middle leaves entries that the next call empties.
 */
export async function pruneRecord(
  { storage, signer, recorder, indexing, tenant, clock }: PruneOptions,
  { before, actor, reason, signal, onProgress }: PruneRequest,
): Promise<Pruning> {
  await indexing.catchUp()
  const due = await storage.write(async transaction => {
    const found = await dueEntries(transaction, before)
    if (found.count === 0) return found
    const root = await new StoredTree(transaction).root(0, found.last + 1)
    const statement = { log: signer.log, ...found, before, reason, root, at: clock.now(), key: signer.key }
    const details = { ...statement, signature: signer.sign(tombstoneStatement(statement)) }
    await recorder.append(transaction, { action: 'audit.pruned', tenant, actor, details })
    return found
  })
  // The guards of the tables look for the tombstone by the index.
  await indexing.catchUp()
  let entries = 0
  let bodies = 0
  while (entries < due.count) {
    if (signal?.aborted)
      throw new Failure('request.cancelled', 'Pruning was stopped.', 'The next time goes on from here.')
    const done = await storage.write(transaction => emptySome(transaction, before))
    if (done.entries === 0) break
    entries += done.entries
    bodies += done.bodies
    onProgress?.(entries, due.count)
  }
  return { entries, bodies, first: due.count === 0 ? null : due.first, last: due.count === 0 ? null : due.last }
}

export interface PruneOptions {
  readonly storage: Storage
  readonly signer: Signer
  readonly recorder: Recorder
  readonly indexing: Indexing
  readonly tenant: TenantId
  readonly clock: Clock
}

/** Exactly which entries go, as stretches: a tombstone must not cover one more that somebody empties later. */
async function dueEntries(transaction: Transaction, before: number) {
  const rows = await stretchesBefore(transaction, before, neverEmptied)
  return {
    first: rows[0]?.first ?? 0,
    last: rows.at(-1)?.last ?? 0,
    count: rows.reduce((sum, row) => sum + row.last - row.first + 1, 0),
    stretches: rows.map(row => [row.first, row.last]),
  }
}

const emptySome = (transaction: Transaction, before: number) =>
  withoutTrace(transaction, () => emptyBatch(transaction, before))

async function emptyBatch(transaction: Transaction, before: number) {
  const rows = await transaction
    .selectFrom('audit_index')
    .select('seq')
    .where('at', '<', before)
    .where('kind', 'not in', db => db.selectFrom('audit_kinds').select('kind').where('action', 'in', neverEmptied))
    .orderBy('at')
    .limit(batch)
    .execute()
  let bodies = 0
  for (const { seq } of rows) bodies += await emptyOne(transaction, seq)
  return { entries: rows.length, bodies }
}

/** Returns how many texts went with it: those that no other entry refers to. */
async function emptyOne(transaction: Transaction, seq: number): Promise<number> {
  const row = await transaction.selectFrom('audit_entries').select('entry').where('seq', '=', seq).executeTakeFirst()
  await transaction.updateTable('audit_entries').set({ entry: null }).where('seq', '=', seq).execute()
  await removeWords(transaction, seq)
  await transaction.deleteFrom('audit_personal').where('seq', '=', seq).execute()
  await transaction.deleteFrom('audit_index').where('seq', '=', seq).execute()
  let removed = 0
  for (const hash of new Set(Object.values(parseEntry(row?.entry ?? null)?.bodies ?? {}))) {
    await transaction.deleteFrom('audit_references').where('hash', '=', hash).where('seq', '=', seq).execute()
    const other = await transaction
      .selectFrom('audit_references')
      .select('seq')
      .where('hash', '=', hash)
      .limit(1)
      .executeTakeFirst()
    if (other) continue
    await transaction.deleteFrom('audit_bodies').where('hash', '=', hash).execute()
    removed++
  }
  return removed
}
