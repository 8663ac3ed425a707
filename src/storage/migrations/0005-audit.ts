import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** The record itself: an append touches these two tables and nothing else, so that it is quick and its commit small. */
const record = [
  `create table audit_entries (
    seq integer primary key, hash text not null check (length(hash) = 64), entry text) strict`,
  `create table audit_bodies (
    hash text primary key, codec text not null check (codec in ('plain', 'deflate')), data blob not null) strict`,
  `create table audit_personal (
    commitment text primary key, salt blob not null, value text not null, seq integer not null) strict`,
  'create index audit_personal_by_entry on audit_personal (seq)',
  `create table audit_checkpoints (
    size integer primary key, log text not null, root text not null, at integer not null, key text not null,
    signature text not null) strict`,
]

/** A mistake in our own code must not be able to change the record either; who edits the file is found by `verify`. */
const guards = [
  // Also stops `insert or replace`, which would delete a row without asking the trigger below.
  `create trigger audit_entries_append before insert on audit_entries
    when new.entry is null or new.seq <> coalesce((select max(seq) + 1 from audit_entries), 0)
    begin select raise(abort, 'the record only grows at its end'); end`,
  `create trigger audit_entries_delete before delete on audit_entries
    begin select raise(abort, 'nothing is deleted from the record'); end`,
  // Retention may empty an entry, and only one that a tombstone on the record speaks of.
  `create trigger audit_entries_update before update on audit_entries
    when not (new.entry is null and new.seq = old.seq and new.hash = old.hash and exists (
      select 1 from audit_kinds
        join audit_index on audit_index.kind = audit_kinds.kind
        join audit_entries as stone on stone.seq = audit_index.seq
      where audit_kinds.action = 'audit.pruned'
        and old.seq between stone.entry ->> '$.details.first' and stone.entry ->> '$.details.last'))
    begin select raise(abort, 'nothing on the record is changed'); end`,
  `create trigger audit_checkpoints_delete before delete on audit_checkpoints
    begin select raise(abort, 'nothing is deleted from the record'); end`,
  `create trigger audit_checkpoints_update before update on audit_checkpoints
    begin select raise(abort, 'nothing on the record is changed'); end`,
  `create trigger audit_bodies_update before update on audit_bodies
    begin select raise(abort, 'nothing on the record is changed'); end`,
  // A text may go when a tombstone is there and no entry refers to it any more.
  `create trigger audit_bodies_delete before delete on audit_bodies
    when exists (select 1 from audit_references where hash = old.hash)
      or not exists (select 1 from audit_kinds where action = 'audit.pruned')
    begin select raise(abort, 'nothing is deleted from the record'); end`,
  `create trigger audit_personal_update before update on audit_personal
    begin select raise(abort, 'nothing on the record is changed'); end`,
]

/**
 * What helps to find and to prove. All of it follows from the entries and is written in batches after them. Action,
 * risk, result and sandbox come in few combinations; each is a `kind`, and every index is ordered by time within a
 * kind, so that any combination of filters is a few walks in order, and one that never occurs is no walk at all.
 */
const derived = [
  `create table audit_kinds (
    kind integer primary key, action text not null, risk text, result text, sandbox text) strict`,
  `create unique index audit_kinds_once on audit_kinds
    (action, coalesce(risk, ''), coalesce(result, ''), coalesce(sandbox, ''))`,
  `create table audit_index (
    seq integer primary key, at integer not null, kind integer not null, actor text, code_hash text,
    conversation text, path text, run text, request text) strict`,
  'create index audit_by_time on audit_index (at, seq)',
  'create index audit_by_kind on audit_index (kind, at, seq)',
  'create index audit_by_actor on audit_index (actor, kind, at, seq) where actor is not null',
  'create index audit_by_code on audit_index (code_hash, kind, at, seq) where code_hash is not null',
  'create index audit_by_conversation on audit_index (conversation, kind, at, seq) where conversation is not null',
  'create index audit_by_path on audit_index (path, kind, at, seq) where path is not null',
  'create index audit_by_run on audit_index (run, kind, at, seq) where run is not null',
  'create index audit_by_request on audit_index (request, kind, at, seq) where request is not null',
  `create table audit_references (hash text, seq integer, primary key (hash, seq)) strict, without rowid`,
  'create table audit_tiles (level integer, place integer, hash text not null, primary key (level, place)) strict, without rowid',
  // Without a copy of the text; `facets` holds one word per filter value, so that text and filters meet in one index.
  `create virtual table audit_text using fts5(text, facets, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2")`,
]

const tables = ['text', 'tiles', 'references', 'index', 'kinds', 'checkpoints', 'personal', 'bodies', 'entries']

export const audit: Migration = {
  name: '0005-audit',
  async up(db) {
    for (const statement of [...record, ...derived, ...guards]) await sql.raw(statement).execute(db)
  },
  async down(db) {
    for (const table of tables) await sql.raw(`drop table audit_${table}`).execute(db)
  },
}
