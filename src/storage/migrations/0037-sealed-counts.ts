import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

const tables = ['chat_requests', 'cloud_stretches']

/** Limits rest on what requests to models cost and on how long machines were awake: both count with a seal only. */
export const sealedCounts: Migration = {
  name: '0037-sealed-counts',
  async up(db) {
    for (const table of tables)
      await sql`alter table ${sql.table(table)} add column seal text not null default ''`.execute(db)
  },
  async down(db) {
    for (const table of tables) await sql`alter table ${sql.table(table)} drop column seal`.execute(db)
  },
}
