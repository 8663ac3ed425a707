import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export const contexts: Migration = {
  name: '0003-contexts',
  async up(db) {
    await sql`create table contexts (
      id text primary key,
      tenant text not null,
      conversation text not null,
      path text not null,
      state text not null check (state in ('creating', 'ready', 'error', 'expired', 'terminated')),
      reason text check (reason in ('expired', 'error', 'manual', 'merged', 'rotated', 'orphaned')),
      message text,
      kind text not null,
      isolation text,
      sandbox text,
      limits text not null,
      credentials blob,
      forked_from text,
      owner text not null,
      created_at integer not null,
      last_used_at integer,
      expires_at integer not null,
      ended_at integer,
      ended_by text,
      runs integer not null,
      run_time_ms real not null,
      cpu_time_ms real not null,
      peak_memory_bytes real not null,
      check ((state in ('creating', 'ready')) = (reason is null)),
      check ((reason is null) = (ended_at is null))
    ) strict`.execute(db)
    // Two processes that start the same path at once: the database lets one of them.
    await sql`create unique index contexts_active on contexts (tenant, conversation, path)
      where state in ('creating', 'ready')`.execute(db)
    await sql`create index contexts_by_path on contexts (tenant, conversation, path, id)`.execute(db)
  },
  async down(db) {
    await sql`drop table contexts`.execute(db)
  },
}
