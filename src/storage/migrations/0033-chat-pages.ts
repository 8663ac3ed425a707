import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** Answers of a conversation come to a window in pages, whichever path they were given on. */
export const chatPages: Migration = {
  name: '0033-chat-pages',
  async up(db) {
    await sql`create index chat_turns_by_conversation on chat_turns (conversation, id)`.execute(db)
  },
  async down(db) {
    await sql`drop index chat_turns_by_conversation`.execute(db)
  },
}
