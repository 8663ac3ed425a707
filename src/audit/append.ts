import type { Clock } from '../clock.ts'
import { EntryId } from '../contract/ids.ts'
import type { Ids } from '../ids.ts'
import { insertEntry, insertPersonal, lastEntry } from '../storage/record/entries.ts'
import type { Transaction } from '../storage/storage.ts'
import type { AuditEvent } from './audit.ts'
import { keepBody } from './bodies.ts'
import { beforeFirst, type Head, type SealedEntry, sealEntry } from './entry.ts'
import { commitAll } from './personal.ts'
import type { Seal } from './seal.ts'

export interface AppendOptions {
  readonly clock: Clock
  readonly ids: Ids
  readonly session: string
  readonly seal: Seal
}

/**
 * The end of the chain as this transaction sees it. It is read anew for each entry: another process may have written
 * in between, and a work whose savepoint was rolled back must leave no gap.
 */
export async function headOf(transaction: Transaction): Promise<Head> {
  return (await lastEntry(transaction)) ?? beforeFirst
}

export async function appendEntry(
  transaction: Transaction,
  event: AuditEvent,
  { clock, ids, session, seal }: AppendOptions,
): Promise<SealedEntry> {
  const head = await headOf(transaction)
  const commitments = event.personal ? commitAll(event.personal) : null
  const stamp = { id: ids.make(EntryId), at: clock.now(), session }
  const sealed = sealEntry(head, event, stamp, commitments?.named)
  const { seq, hash, entry } = sealed
  await insertEntry(transaction, { seq, hash, entry, seal: seal.of(seq, hash) })
  for (const body of sealed.bodies) await keepBody(transaction, body)
  for (const row of commitments?.rows ?? []) await insertPersonal(transaction, { ...row, seq })
  return sealed
}
