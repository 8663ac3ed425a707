import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

const tables = [
  'environments',
  'allowed',
  'chat_providers',
  'cloud_consents',
  'policies',
  'workflows',
  'workflow_tasks',
]

/** Rows on which it rests what is started, what leaves this machine, and what a person decided count with a seal only. */
export const rowSeals: Migration = {
  name: '0036-row-seals',
  async up(db) {
    for (const table of tables)
      await sql`alter table ${sql.table(table)} add column seal text not null default ''`.execute(db)
  },
  async down(db) {
    for (const table of tables) await sql`alter table ${sql.table(table)} drop column seal`.execute(db)
  },
}
