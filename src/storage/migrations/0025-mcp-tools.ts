import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** Tools of the user's MCP servers as a person accepted them. A row counts only with its seal. */
export const mcpTools: Migration = {
  name: '0025-mcp-tools',
  async up(db) {
    await sql`
      create table mcp_tools (
        tenant text not null,
        server text not null,
        tool text not null,
        definition text not null,
        accepted_by text not null,
        accepted_at integer not null,
        seal text not null,
        primary key (tenant, server, tool)
      ) strict, without rowid`.execute(db)
  },
  async down(db) {
    await sql`drop table mcp_tools`.execute(db)
  },
}
