import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** Who vouched for whom. A row counts only with the signature of its voucher. */
export const vouches: Migration = {
  name: '0012-vouches',
  async up(db) {
    await sql`
      create table identity_vouches (
        tenant text not null,
        identity text not null,
        voucher text not null,
        public_key text not null,
        vouched_at integer not null,
        signature text not null,
        primary key (identity, voucher)
      ) strict`.execute(db)
  },
  async down(db) {
    await sql`drop table identity_vouches`.execute(db)
  },
}
