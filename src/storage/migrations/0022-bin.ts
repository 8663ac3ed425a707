import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** When a path was deleted, so that the bin can let it go after its time. */
export const bin: Migration = {
  name: '0022-bin',
  async up(db) {
    await sql`alter table paths add column deleted_at integer`.execute(db)
    await sql`update paths set deleted_at = last_activity_at where state = 'deleted'`.execute(db)
  },
  async down(db) {
    await sql`alter table paths drop column deleted_at`.execute(db)
  },
}
