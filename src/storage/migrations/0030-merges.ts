import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** Every merge is known with what was brought and when, so that undoing one gives its source back its earlier state. */
export const merges: Migration = {
  name: '0030-merges',
  async up(db) {
    await sql`alter table merges add column mode text not null default 'whole'
      check (mode in ('whole', 'selected', 'summary'))`.execute(db)
    await sql`alter table merges add column merged_at integer`.execute(db)
    await sql`update merges set merged_at = (
      select paths.merged_at from paths where paths.id = merges.source
    )`.execute(db)
  },
  async down(db) {
    await sql`delete from merges where mode <> 'whole'`.execute(db)
    await sql`alter table merges drop column merged_at`.execute(db)
    await sql`alter table merges drop column mode`.execute(db)
  },
}
