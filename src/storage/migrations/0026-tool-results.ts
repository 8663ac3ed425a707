import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** What tools answered to the calls of runs, for replays. A long result lies among the files, by its hash. */
export const toolResults: Migration = {
  name: '0026-tool-results',
  async up(db) {
    await sql`
      create table tool_results (
        run text not null,
        server text not null,
        tool text not null,
        arguments_hash text not null,
        ordinal integer not null,
        tenant text not null,
        conversation text not null,
        path text not null,
        tool_hash text not null,
        result_hash text not null,
        result text,
        bytes integer not null,
        created_at integer not null,
        primary key (run, server, tool, arguments_hash, ordinal)
      ) strict, without rowid`.execute(db)
    await sql`create index tool_results_by_age on tool_results (created_at)`.execute(db)
  },
  async down(db) {
    await sql`drop table tool_results`.execute(db)
  },
}
