import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export const files: Migration = {
  name: '0007-files',
  async up(db) {
    await sql`create table path_files (
      tenant text not null,
      conversation text not null,
      path text not null,
      manifest text not null,
      at integer not null,
      primary key (tenant, conversation, path)
    ) strict`.execute(db)
    await sql`create table file_manifests (
      hash text primary key,
      tenant text not null,
      files text not null
    ) strict`.execute(db)
    await sql`create table run_files (
      run text primary key,
      tenant text not null,
      conversation text not null,
      path text not null,
      before text not null,
      after text not null,
      at integer not null
    ) strict`.execute(db)
    await sql`create index run_files_by_time on run_files (at)`.execute(db)
  },
  async down(db) {
    for (const table of ['run_files', 'file_manifests', 'path_files']) await sql.raw(`drop table ${table}`).execute(db)
  },
}
