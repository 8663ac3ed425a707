import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Failure } from '../contract/problem.ts'

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

/** What SQLite or the file system says, in words for a person. */
export function storageFailure(error: unknown, file: string): Failure {
  if (error instanceof Failure) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const found = explanations.find(([pattern]) => pattern.test(code))
  const [, problem, message, hint] = found ?? otherwise
  return new Failure(problem, `${message} (${file})`, hint, { cause: error })
}

const explanations = [
  [
    /^SQLITE_FULL|^ENOSPC/,
    'storage.full',
    'The disk is full: nothing of this change was written.',
    'Free some space and try again; what was saved before is safe.',
  ],
  [
    /^SQLITE_READONLY|^EROFS|^EACCES|^EPERM|^ENOTDIR|^EEXIST|^SQLITE_CANTOPEN/,
    'storage.read-only',
    'The database cannot be written.',
    'Check that the folder exists, belongs to you and is not on a read-only disk, or set COUNTERSIGN_HOME to another folder.',
  ],
  [
    /^SQLITE_BUSY|^SQLITE_LOCKED/,
    'storage.locked',
    'Another program holds the database.',
    'Close the other program that uses it, then try again.',
  ],
  [
    /^SQLITE_CORRUPT|^SQLITE_NOTADB/,
    'storage.corrupt',
    'The database file is damaged or is not a Countersign database.',
    'Keep a copy of the file, then restore it from a backup; `countersign audit verify` says what can be trusted.',
  ],
] as const

const otherwise = [
  /./,
  'storage.failed',
  'The database could not do this.',
  'The log has the details; nothing half-written was kept.',
] as const
