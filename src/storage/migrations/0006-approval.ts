import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export const approval: Migration = {
  name: '0006-approval',
  async up(db) {
    await sql`
      create table identities (
        id text primary key,
        tenant text not null,
        name text not null,
        public_key text not null,
        protected integer not null,
        created_at integer not null
      ) strict`.execute(db)
    await sql`
      create table approval_requests (
        id text primary key,
        tenant text not null,
        conversation text not null,
        path text not null,
        cell text,
        run text not null,
        requester text not null,
        state text not null,
        needs text not null,
        revision integer not null,
        language text not null,
        sandbox text not null,
        risk text not null,
        matter text not null,
        created_at integer not null,
        dialog_until integer not null,
        expires_at integer not null,
        reviewer text,
        decided_at integer,
        decision text,
        note text not null
      ) strict`.execute(db)
    await sql`create index approval_requests_by_state on approval_requests (tenant, state, id)`.execute(db)
    await sql`create index approval_requests_by_deadline on approval_requests (state, expires_at)`.execute(db)
    await sql`create index approval_requests_by_matter on approval_requests (matter)`.execute(db)
    await sql`create index approval_requests_by_cell on approval_requests (conversation, cell, decided_at)`.execute(db)
    await sql`
      create table approval_revisions (
        request text not null references approval_requests (id) on delete cascade,
        number integer not null,
        author text not null,
        created_at integer not null,
        code text not null,
        title text not null,
        findings integer not null,
        inspection text not null,
        reasons text not null,
        subject text not null,
        subject_hash text not null,
        primary key (request, number)
      ) strict`.execute(db)
    await sql`
      create table approval_comments (
        id integer primary key,
        request text not null references approval_requests (id) on delete cascade,
        author text not null,
        created_at integer not null,
        text text not null
      ) strict`.execute(db)
    await sql`create index approval_comments_by_request on approval_comments (request, id)`.execute(db)
    // A decision that was used stays used, also when somebody sets its request back.
    await sql`
      create table approval_spent (
        nonce text primary key,
        request text not null,
        spent_at integer not null
      ) strict`.execute(db)
    for (const change of ['update', 'delete']) {
      await sql
        .raw(
          `create trigger approval_spent_no_${change} before ${change} on approval_spent begin select raise(abort, 'what was used stays used'); end`,
        )
        .execute(db)
    }
    await sql`
      create table policies (
        id integer primary key,
        version text not null,
        policy text not null,
        adopted_at integer not null,
        adopted_by text
      ) strict`.execute(db)
  },
  async down(db) {
    for (const table of [
      'policies',
      'approval_spent',
      'approval_comments',
      'approval_revisions',
      'approval_requests',
      'identities',
    ]) {
      await sql`drop table ${sql.table(table)}`.execute(db)
    }
  },
}
