import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export const environments: Migration = {
  name: '0023-environments',
  async up(db) {
    await sql`create table environments (
      tenant text not null,
      name text not null,
      path text not null,
      sha256 text not null,
      added_at integer not null,
      added_by text not null,
      primary key (tenant, name)
    ) strict`.execute(db)
    await sql`create table conversation_environments (
      tenant text not null,
      conversation text not null,
      environment text not null,
      chosen_at integer not null,
      primary key (tenant, conversation)
    ) strict`.execute(db)
  },
  async down(db) {
    for (const table of ['conversation_environments', 'environments']) await sql.raw(`drop table ${table}`).execute(db)
  },
}
