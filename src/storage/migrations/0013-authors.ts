import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** Who wrote each revision. Until now only the person at the machine could: the one who made the conversation. */
export const authors: Migration = {
  name: '0013-authors',
  async up(db) {
    await sql`alter table revisions add column author text`.execute(db)
    await sql`alter table revisions add column assistant text`.execute(db)
    await sql`update revisions set author = (
      select conversations.created_by from paths join conversations on conversations.id = paths.conversation
      where paths.id = revisions.path
    )`.execute(db)
    await sql`create index revisions_of_item on revisions (item)`.execute(db)
  },
  async down(db) {
    await sql`drop index revisions_of_item`.execute(db)
    await sql`alter table revisions drop column assistant`.execute(db)
    await sql`alter table revisions drop column author`.execute(db)
  },
}
