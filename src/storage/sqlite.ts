import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { storageFailure } from './failure.ts'

/** How long a statement waits for another program that holds the file. */
const patienceMs = 5000

/** Opens the database file with the settings that make a commit durable. */
export function openSqlite(file: string, options: { readonly: boolean; patienceMs?: number }): Sqlite.Database {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const db = new Sqlite(file, { readonly: options.readonly, timeout: options.patienceMs ?? patienceMs })
    if (!options.readonly) {
      chmodSync(file, 0o600)
      db.pragma('journal_mode = WAL')
      db.pragma('synchronous = FULL')
      // On macOS plain fsync leaves the write in the drive's cache.
      db.pragma('fullfsync = ON')
      db.pragma('foreign_keys = ON')
      db.pragma('trusted_schema = OFF')
    }
    db.pragma('cache_size = -32000')
    // Each savepoint of a group commit keeps the pages it may have to put back; on disk that costs more than the write.
    db.pragma('temp_store = MEMORY')
    return db
  } catch (error) {
    throw storageFailure(error, file)
  }
}

/** Kysely prepares a statement for each query; this keeps the recent ones, which halves the cost of a small write. */
export function withStatementCache(db: Sqlite.Database) {
  const statements = new Map<string, Sqlite.Statement>()
  return {
    prepare(source: string): Sqlite.Statement {
      const known = statements.get(source)
      // A statement that is being iterated cannot be run again, so it is not shared.
      if (known && !known.busy) return known
      const statement = db.prepare(source)
      if (statements.size > 500) statements.clear()
      statements.set(source, statement)
      return statement
    },
    close: () => db.close(),
  }
}
