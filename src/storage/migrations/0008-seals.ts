import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** Entries carry a seal made with a key outside the database. Those that were there before have none. */
export const seals: Migration = {
  name: '0008-seals',
  async up(db) {
    for (const trigger of ['append', 'update'])
      await sql.raw(`drop trigger if exists audit_entries_${trigger}`).execute(db)
    await sql`alter table audit_entries add column seal blob check (seal is null or length(seal) = 32)`.execute(db)
    for (const statement of guards('new.seal is null or', 'and new.seal is old.seal')) {
      await sql.raw(statement).execute(db)
    }
  },
  async down(db) {
    for (const trigger of ['append', 'update'])
      await sql.raw(`drop trigger if exists audit_entries_${trigger}`).execute(db)
    await sql`alter table audit_entries drop column seal`.execute(db)
    for (const statement of guards('', '')) await sql.raw(statement).execute(db)
  },
}

const guards = (unsealed: string, sameSeal: string) => [
  // Also stops `insert or replace`, which would delete a row without asking the trigger on deletion.
  `create trigger audit_entries_append before insert on audit_entries
    when ${unsealed} new.entry is null or new.seq <> coalesce((select max(seq) + 1 from audit_entries), 0)
    begin select raise(abort, 'the record only grows at its end'); end`,
  // Retention may empty an entry, and only one that a tombstone on the record speaks of.
  `create trigger audit_entries_update before update on audit_entries
    when not (new.entry is null and new.seq = old.seq and new.hash = old.hash ${sameSeal} and exists (
      select 1 from audit_kinds
        join audit_index on audit_index.kind = audit_kinds.kind
        join audit_entries as stone on stone.seq = audit_index.seq
      where audit_kinds.action = 'audit.pruned'
        and old.seq between stone.entry ->> '$.details.first' and stone.entry ->> '$.details.last'))
    begin select raise(abort, 'nothing on the record is changed'); end`,
]
