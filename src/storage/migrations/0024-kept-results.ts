import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export const keptResults: Migration = {
  name: '0024-kept-results',
  async up(db) {
    await sql`create table kept_cells (
      tenant text not null,
      cell text not null,
      primary key (tenant, cell)
    ) strict`.execute(db)
    await sql`create table kept_results (
      run text primary key,
      tenant text not null,
      conversation text not null,
      path text not null,
      cell text not null,
      inputs text not null,
      state text not null,
      outcome text not null,
      at integer not null,
      seal text not null
    ) strict`.execute(db)
    await sql`create index kept_results_by_cell on kept_results (tenant, path, cell, at)`.execute(db)
    await sql`alter table executions add column kept_from integer`.execute(db)
  },
  async down(db) {
    await sql`alter table executions drop column kept_from`.execute(db)
    for (const table of ['kept_results', 'kept_cells']) await sql.raw(`drop table ${table}`).execute(db)
  },
}
