import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** Cells of a path that run one after the other, so that a new start can say how far they were. */
export const series: Migration = {
  name: '0040-series',
  async up(db) {
    await sql`create table series (
      path text primary key,
      tenant text not null,
      owner text not null,
      state text not null
    ) strict`.execute(db)
  },
  async down(db) {
    await sql`drop table series`.execute(db)
  },
}
