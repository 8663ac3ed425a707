import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** Contexts that are paused, who let which path go to the cloud, and what running there has taken. */
export const cloud: Migration = {
  name: '0027-cloud',
  async up(db) {
    await sql`alter table contexts add column paused_at integer`.execute(db)
    await sql`create table cloud_consents (
      id text primary key,
      tenant text not null,
      conversation text not null,
      path text not null,
      service text not null,
      given_by text not null,
      given_at integer not null,
      branched_from text,
      ended_by text,
      ended_at integer,
      check ((ended_by is null) = (ended_at is null))
    ) strict`.execute(db)
    await sql`create unique index cloud_consents_given on cloud_consents (tenant, path) where ended_at is null`.execute(
      db,
    )
    await sql`create table cloud_stretches (
      id text primary key,
      tenant text not null,
      conversation text,
      path text,
      sandbox text not null,
      begun text not null check (begun in ('made', 'resumed', 'forked')),
      started_at integer not null,
      seen_at integer not null,
      is_over integer not null check (is_over in (0, 1)),
      check (seen_at >= started_at)
    ) strict`.execute(db)
    await sql`create index cloud_stretches_by_time on cloud_stretches (tenant, started_at)`.execute(db)
  },
  async down(db) {
    await sql`drop table cloud_stretches`.execute(db)
    await sql`drop table cloud_consents`.execute(db)
    await sql`delete from contexts where paused_at is not null`.execute(db)
    await sql`alter table contexts drop column paused_at`.execute(db)
  },
}
