import { nothingBefore } from '../../resources/verify.mjs'
import type { InclusionProof } from '../contract/audit.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Storage } from '../storage/storage.ts'
import { lastCheckpoint } from './checkpoints.ts'
import { StoredTree } from './tree.ts'

/** Shows that an entry is part of what the last checkpoint was signed over. */
export async function proveEntry(storage: Pick<Storage, 'read'>, seq: number): Promise<Outcome<InclusionProof>> {
  const rows = await storage.read
    .selectFrom('audit_entries')
    .select(['seq', 'hash'])
    .where('seq', 'in', [seq - 1, seq])
    .execute()
  const row = rows.find(each => each.seq === seq)
  if (!row) return fail('not-found', `There is no entry ${seq} on the record.`, 'Look for it by time or text.')
  const checkpoint = await lastCheckpoint(storage.read)
  if (!checkpoint || checkpoint.size <= seq) {
    return fail('conflict', `Entry ${seq} has not been signed yet.`, 'Try again in a moment.')
  }
  const path = await new StoredTree(storage.read).path(seq, checkpoint.size)
  const previous = rows.find(each => each.seq === seq - 1)?.hash ?? nothingBefore
  return ok({ seq, previous, hash: row.hash, path, checkpoint })
}
