import { CompiledQuery } from 'kysely'
import type { Clock } from '../clock.ts'
import { EntryId } from '../contract/ids.ts'
import type { Ids } from '../ids.ts'
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

// Prepared by hand: an append happens at every step of every run, and the query builder costs more than the query.
const readHead = CompiledQuery.raw('select seq, hash from audit_entries order by seq desc limit 1')
const insertEntry = 'insert into audit_entries (seq, hash, entry, seal) values (?, ?, ?, ?)'
const insertPersonal = 'insert into audit_personal (commitment, salt, value, seq) values (?, ?, ?, ?)'

/**
 * The end of the chain as this transaction sees it. It is read anew for each entry: another process may have written
 * in between, and a work whose savepoint was rolled back must leave no gap.
 */
export async function headOf(transaction: Transaction): Promise<Head> {
  const { rows } = await transaction.executeQuery(readHead)
  return (rows[0] as Head | undefined) ?? beforeFirst
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
  const run = (query: string, ...values: unknown[]) => transaction.executeQuery(CompiledQuery.raw(query, values))
  await run(insertEntry, sealed.seq, sealed.hash, sealed.entry, seal.of(sealed.seq, sealed.hash))
  for (const body of sealed.bodies) await keepBody(transaction, body)
  for (const { commitment, salt, value } of commitments?.rows ?? []) {
    await run(insertPersonal, commitment, salt, value, sealed.seq)
  }
  return sealed
}
