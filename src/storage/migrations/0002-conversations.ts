import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export const conversations: Migration = {
  name: '0002-conversations',
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
  async down(db) {
    for (const table of tables) await sql.raw(`drop table ${table}`).execute(db)
  },
}

/** Children first, as foreign keys want it. */
const tables = [
  'text_search',
  'output_search',
  'drafts',
  'merges',
  'edits',
  'outputs',
  'executions',
  'revisions',
  'texts',
  'items',
  'paths',
  'conversations',
]

const statements = [
  `create table conversations (
    id text primary key,
    tenant text not null,
    title text not null,
    main text not null,
    version integer not null,
    notebook text,
    created_by text not null,
    created_at integer not null,
    last_activity_at integer not null,
    deleted_at integer
  ) strict`,
  'create index conversations_recent on conversations (tenant, last_activity_at)',

  `create table paths (
    id text primary key,
    conversation text not null references conversations (id),
    name text not null,
    parent text references paths (id),
    branch_item text,
    branch_version integer not null,
    branch_position text not null,
    end_position text not null,
    item_count integer not null,
    run_count integer not null,
    risk text,
    state text not null,
    with_state integer not null,
    merged_into text references paths (id),
    merged_at integer,
    created_at integer not null,
    last_activity_at integer not null
  ) strict`,
  'create index paths_of_conversation on paths (conversation)',

  `create table items (
    id text primary key,
    conversation text not null references conversations (id),
    kind text not null,
    author text not null,
    notebook text
  ) strict`,

  // A text is kept once per conversation, however many revisions and paths show it.
  `create table texts (
    id integer primary key,
    conversation text not null references conversations (id),
    hash text not null,
    text text not null,
    unique (conversation, hash)
  ) strict`,

  `create table revisions (
    path text not null references paths (id),
    item text not null references items (id),
    version integer not null,
    state text not null,
    position text not null,
    language text,
    text integer not null references texts (id),
    at integer not null,
    primary key (path, item, version)
  ) strict, without rowid`,
  'create index revisions_of_text on revisions (text)',
  'create index revisions_of_version on revisions (path, version)',

  `create table executions (
    path text not null references paths (id),
    item text not null references items (id),
    version integer not null,
    outputs_of text,
    run text,
    ran_on text not null,
    count integer,
    finished_at integer,
    duration_ms real,
    success integer,
    risk text,
    language text,
    text integer references texts (id),
    primary key (path, item, version)
  ) strict, without rowid`,
  'create index executions_of_outputs on executions (outputs_of)',

  // `body` stands last: what precedes it can be read without touching the pages of a large output.
  `create table outputs (
    n integer primary key,
    id text not null unique,
    conversation text not null references conversations (id),
    set_id text not null,
    place integer not null,
    type text not null,
    bytes integer not null,
    summary text not null,
    extra text,
    body text not null
  ) strict`,
  'create index outputs_of_set on outputs (set_id, place)',

  `create table edits (
    path text not null references paths (id),
    version integer not null,
    undone integer not null,
    primary key (path, version)
  ) strict, without rowid`,

  `create table merges (
    source text not null references paths (id),
    target text not null references paths (id),
    version integer not null,
    primary key (source, target, version)
  ) strict, without rowid`,

  `create table drafts (
    path text not null references paths (id),
    item text not null,
    window text not null,
    base_revision integer,
    text text not null,
    saved_by text not null,
    saved_at integer not null,
    primary key (path, item, window)
  ) strict, without rowid`,

  "create virtual table text_search using fts5 (text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='2 3')",
  "create virtual table output_search using fts5 (text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='2 3')",
]
