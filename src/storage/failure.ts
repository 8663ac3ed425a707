import { Failure } from '../contract/problem.ts'

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
