import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export const facts: Migration = {
  name: '0001-facts',
  async up(db) {
    await sql`create table facts (name text primary key, value text not null) strict`.execute(db)
  },
  async down(db) {
    await sql`drop table facts`.execute(db)
  },
}
