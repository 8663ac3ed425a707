import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export const privacy: Migration = {
  name: '0004-privacy',
  async up(db) {
    await sql`create table vault_tokens (
      conversation text not null,
      token text not null,
      type text not null,
      kind text not null check (kind in ('text', 'json')),
      nonce blob not null,
      sealed blob not null,
      digest blob not null,
      primary key (conversation, token)
    ) strict`.execute(db)
    // Two processes that meet the same value at once: the database lets one of them name it.
    await sql`create unique index vault_tokens_by_value on vault_tokens (conversation, digest)`.execute(db)
    await sql`create table departures (
      id text primary key,
      at integer not null,
      destination text not null,
      recipient text not null,
      conversation text,
      mode text not null check (mode in ('enforce', 'report', 'off')),
      result text not null check (result in ('sent', 'held')),
      characters integer not null,
      found text not null
    ) strict`.execute(db)
    await sql`create index departures_by_conversation on departures (conversation, id)`.execute(db)
    await sql`create table allowed (
      id text primary key,
      kind text not null check (kind in ('exact', 'pattern')),
      value text not null,
      type text,
      conversation text,
      note text not null,
      created_at integer not null
    ) strict`.execute(db)
  },
  async down(db) {
    await sql`drop table allowed`.execute(db)
    await sql`drop table departures`.execute(db)
    await sql`drop table vault_tokens`.execute(db)
  },
}
