import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** What a context's sandbox was to be, and one more reason for its end. SQLite changes a check only with its table. */
export const placements: Migration = {
  name: '0011-placements',
  async up(db) {
    await rebuild(
      db,
      "'expired', 'error', 'manual', 'merged', 'rotated', 'moved', 'orphaned'",
      'placement text,',
      'null',
    )
  },
  async down(db) {
    await sql`update contexts set reason = 'rotated' where reason = 'moved'`.execute(db)
    await rebuild(db, "'expired', 'error', 'manual', 'merged', 'rotated', 'orphaned'", '', null)
  },
}

const columns =
  'id, tenant, conversation, path, state, reason, message, kind, isolation, sandbox, limits, credentials, forked_from, owner, created_at, last_used_at, expires_at, ended_at, ended_by, runs, run_time_ms, cpu_time_ms, peak_memory_bytes'

async function rebuild(db: Parameters<Migration['up']>[0], reasons: string, column: string, value: string | null) {
  await sql`drop index contexts_active`.execute(db)
  await sql`drop index contexts_by_path`.execute(db)
  await sql`alter table contexts rename to contexts_before`.execute(db)
  await sql`create table contexts (
      id text primary key,
      tenant text not null,
      conversation text not null,
      path text not null,
      state text not null check (state in ('creating', 'ready', 'error', 'expired', 'terminated')),
      reason text check (reason in (${sql.raw(reasons)})),
      message text,
      kind text not null,
      isolation text,
      sandbox text,
      ${sql.raw(column)}
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
  const into = value === null ? columns : `${columns}, placement`
  const from = value === null ? columns : `${columns}, ${value}`
  await sql`insert into contexts (${sql.raw(into)}) select ${sql.raw(from)} from contexts_before`.execute(db)
  await sql`drop table contexts_before`.execute(db)
  await sql`create unique index contexts_active on contexts (tenant, conversation, path)
      where state in ('creating', 'ready')`.execute(db)
  await sql`create index contexts_by_path on contexts (tenant, conversation, path, id)`.execute(db)
}
