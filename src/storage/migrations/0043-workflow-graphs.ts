import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** Graphs as they were read: going on with one of 500 tasks must not wait until its text is read again. */
export const workflowGraphs: Migration = {
  name: '0043-workflow-graphs',
  async up(db) {
    await sql`create table workflow_graphs (
      workflow text primary key references workflows (id),
      tenant text not null,
      version text not null,
      graph text not null,
      seal text not null
    ) strict, without rowid`.execute(db)
  },
  async down(db) {
    await sql`drop table workflow_graphs`.execute(db)
  },
}
