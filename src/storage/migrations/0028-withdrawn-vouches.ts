import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** A vouch may be withdrawn. Its row stays, since decisions of before rest on it. */
export const withdrawnVouches: Migration = {
  name: '0028-withdrawn-vouches',
  async up(db) {
    await sql`alter table identity_vouches add column withdrawn_at integer`.execute(db)
    await sql`alter table identity_vouches add column withdrawal text`.execute(db)
  },
  async down(db) {
    // Without the columns these would count again.
    await sql`delete from identity_vouches where withdrawn_at is not null or withdrawal is not null`.execute(db)
    await sql`alter table identity_vouches drop column withdrawal`.execute(db)
    await sql`alter table identity_vouches drop column withdrawn_at`.execute(db)
  },
}
