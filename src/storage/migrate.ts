import { type Kysely, sql } from 'kysely'
import type { Clock } from '../clock.ts'
import { Failure } from '../contract/problem.ts'

export interface Migration {
  /** `0003-approval`: its number orders it, its name tells what it brings. */
  readonly name: string
  // A migration speaks of tables as they were at its time, which today's `Database` no longer knows.
  up(db: Kysely<never>): Promise<void>
  down(db: Kysely<never>): Promise<void>
}

/** Brings the database up to date in one transaction, or leaves it as it was. */
export async function migrate(db: Kysely<never>, migrations: readonly Migration[], clock: Clock): Promise<void> {
  await db.connection().execute(async connection => {
    // `immediate` makes a second process wait here instead of migrating at the same time.
    await sql`begin immediate`.execute(connection)
    try {
      await sql`create table if not exists migrations (name text primary key, applied_at integer not null) strict`.execute(
        connection,
      )
      const { rows } = await sql<{ name: string }>`select name from migrations`.execute(connection)
      const applied = new Set(rows.map(row => row.name))
      const unknown = [...applied].filter(name => !migrations.some(migration => migration.name === name))
      if (unknown.length > 0) throw newerDatabase(unknown)
      for (const migration of migrations.filter(each => !applied.has(each.name))) {
        await migration.up(connection)
        await sql`insert into migrations (name, applied_at) values (${migration.name}, ${clock.now()})`.execute(
          connection,
        )
      }
      await sql`commit`.execute(connection)
    } catch (error) {
      await sql`rollback`.execute(connection)
      throw error
    }
  })
}

function newerDatabase(unknown: string[]): Failure {
  return new Failure(
    'storage.newer',
    `This database was written by a newer Countersign (it has ${unknown.sort().join(', ')}).`,
    'Open it with that version, or set COUNTERSIGN_HOME to another folder. Nothing was changed.',
  )
}
