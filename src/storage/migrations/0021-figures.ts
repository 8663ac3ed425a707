import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export const figures: Migration = {
  name: '0021-figures',
  async up(db) {
    await sql`create table figures (
      path text not null references paths (id),
      figure text not null,
      version integer not null,
      tenant text not null,
      state text not null check (state in ('present', 'removed', 'inherited')),
      position text not null,
      name text not null,
      cell text not null references items (id),
      place text not null,
      pinned_by text not null,
      at integer not null,
      primary key (path, figure, version)
    ) strict, without rowid`.execute(db)
  },
  async down(db) {
    await sql`drop table figures`.execute(db)
  },
}
