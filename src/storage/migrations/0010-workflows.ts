import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export const workflows: Migration = {
  name: '0010-workflows',
  async up(db) {
    await sql`create table workflows (
      id text primary key,
      tenant text not null,
      conversation text not null,
      path text not null,
      name text not null,
      source text not null,
      state text not null check (state in ('running', 'waiting', 'completed', 'failed', 'aborted')),
      layers_done integer not null,
      base text not null,
      epoch integer not null,
      problem text,
      started_by text not null,
      created_at integer not null,
      updated_at integer not null,
      finished_at integer
    ) strict`.execute(db)
    await sql`create index workflows_of_path on workflows (tenant, path, id)`.execute(db)
    await sql`create index workflows_unfinished on workflows (state) where state in ('running', 'waiting')`.execute(db)
    await sql`create table workflow_tasks (
      workflow text not null references workflows (id),
      tenant text not null,
      task text not null,
      state text not null check (state in ('pending', 'running', 'waiting', 'completed', 'failed', 'skipped')),
      attempt integer not null,
      run text,
      request text,
      outputs text,
      changes text,
      problem text,
      started_at integer,
      finished_at integer,
      primary key (workflow, task)
    ) strict, without rowid`.execute(db)
  },
  async down(db) {
    await sql`drop table workflow_tasks`.execute(db)
    await sql`drop table workflows`.execute(db)
  },
}
