import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export const chat: Migration = {
  name: '0020-chat',
  async up(db) {
    await sql`create table chat_providers (
      id text primary key,
      tenant text not null,
      kind text not null check (kind in ('anthropic', 'openai', 'compatible')),
      name text not null,
      base_url text not null,
      models text not null,
      has_key integer not null,
      introduced_at integer,
      created_at integer not null
    ) strict`.execute(db)
    await sql`create table chat_turns (
      id text primary key,
      tenant text not null,
      conversation text not null,
      path text not null,
      question text not null,
      asked_by text not null,
      owner text not null,
      provider text not null,
      provider_name text not null,
      model text not null,
      model_version text,
      state text not null,
      step integer not null,
      problem text,
      notices text not null,
      waiting text,
      partial text,
      left_out integer not null,
      input_tokens integer not null,
      output_tokens integer not null,
      cost real,
      started_at integer not null,
      ended_at integer
    ) strict`.execute(db)
    await sql`create index chat_turns_by_path on chat_turns (path, id)`.execute(db)
    await sql`create index chat_turns_under_way on chat_turns (state) where state in ('asking', 'pausing', 'running', 'resting')`.execute(
      db,
    )
    await sql`create table chat_parts (
      turn text not null,
      place integer not null,
      tenant text not null,
      conversation text not null,
      step integer not null,
      item text not null,
      kind text not null,
      body text not null,
      primary key (turn, place)
    ) strict`.execute(db)
    await sql`create index chat_parts_by_conversation on chat_parts (conversation, item)`.execute(db)
    await sql`create table chat_requests (
      id text primary key,
      tenant text not null,
      conversation text,
      turn text,
      purpose text not null check (purpose in ('answer', 'title')),
      at integer not null,
      provider_name text not null,
      model text not null,
      model_version text,
      bytes integer not null,
      replaced text not null,
      input_tokens integer,
      output_tokens integer,
      cost real,
      first_token_ms real,
      took_ms real not null,
      result text not null
    ) strict`.execute(db)
    await sql`create index chat_requests_by_conversation on chat_requests (conversation, id)`.execute(db)
    await sql`create index chat_requests_by_day on chat_requests (tenant, at)`.execute(db)
    await sql`create table chat_conversations (
      conversation text primary key,
      tenant text not null,
      confidential integer not null
    ) strict`.execute(db)
  },
  async down(db) {
    for (const table of ['chat_conversations', 'chat_requests', 'chat_parts', 'chat_turns', 'chat_providers'])
      await sql`drop table ${sql.table(table)}`.execute(db)
  },
}
