import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** Which decisions were used is looked up in the audit chain; a table of them could be set back. */
export const spentInChain: Migration = {
  name: '0009-spent-in-chain',
  async up(db) {
    await sql`drop table approval_spent`.execute(db)
  },
  async down(db) {
    await sql`
      create table approval_spent (
        nonce text primary key,
        request text not null,
        spent_at integer not null
      ) strict`.execute(db)
    for (const change of ['update', 'delete']) {
      await sql
        .raw(
          `create trigger approval_spent_no_${change} before ${change} on approval_spent begin select raise(abort, 'what was used stays used'); end`,
        )
        .execute(db)
    }
  },
}
