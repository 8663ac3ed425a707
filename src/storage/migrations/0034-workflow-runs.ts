import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** All runs that a task ever had, and which process carries a workflow out. */
export const workflowRuns: Migration = {
  name: '0034-workflow-runs',
  async up(db) {
    await sql`alter table workflow_tasks add column earlier text not null default '[]'`.execute(db)
    await sql`alter table workflows add column owner text`.execute(db)
  },
  async down(db) {
    await sql`alter table workflows drop column owner`.execute(db)
    await sql`alter table workflow_tasks drop column earlier`.execute(db)
  },
}
