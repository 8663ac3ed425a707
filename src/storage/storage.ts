import { Kysely, SqliteDialect } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database } from './database.ts'
import { storageFailure } from './failure.ts'
import { type Migration, migrate } from './migrate.ts'
import { migrations as allMigrations } from './migrations/all.ts'
import { openSqlite, withStatementCache } from './sqlite.ts'

export type { Database } from './database.ts'

/** A transaction under way: what is written through it is kept whole or not at all. */
export type Transaction = Kysely<Database>

export interface Storage {
  /** Where it lies, for a thread that reads it on its own. */
  readonly file: string
  /** Sees what is committed, and never waits for a writer. */
  readonly read: Kysely<Database>
  /**
   * Runs `work` in a transaction of its own and resolves once it is durable. Works that wait at the same time share
   * one commit, each behind its own savepoint: one that throws is undone alone. `work` must await nothing but the
   * transaction, since everyone else waits for it. With `patienceMs` it may wait that long for another work, to share
   * its commit.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>, patienceMs?: number): Promise<T>
  close(): Promise<void>
}

export interface StorageOptions {
  readonly file: string
  readonly clock: Clock
  readonly migrations?: readonly Migration[]
  /** How long a write waits for another program that holds the file. */
  readonly patienceMs?: number
}

export async function openStorage({
  file,
  clock,
  migrations = allMigrations,
  patienceMs,
}: StorageOptions): Promise<Storage> {
  const statements = withStatementCache(
    openSqlite(file, { readonly: false, ...(patienceMs === undefined ? {} : { patienceMs }) }),
  )
  const writer = new Kysely<Database>({ dialect: new SqliteDialect({ database: statements }) })
  try {
    await migrate(writer as unknown as Kysely<never>, migrations, clock)
  } catch (error) {
    await writer.destroy()
    throw storageFailure(error, file)
  }
  const reader = new Kysely<Database>({
    dialect: new SqliteDialect({ database: withStatementCache(openSqlite(file, { readonly: true })) }),
  })
  const queue = new CommitQueue(writer, source => statements.prepare(source).run(), file, clock)
  return {
    file,
    read: reader,
    write: (work, patienceMs) => queue.add(work, patienceMs),
    async close() {
      await queue.idle()
      await reader.destroy()
      await writer.destroy()
    },
  }
}

interface Waiting {
  work(transaction: Transaction): Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Group commit: one fsync for all the works that came in while the last one was under way. */
class CommitQueue {
  readonly #db: Kysely<Database>
  /** On the same connection, without the query builder: two of these stand around every work. */
  readonly #run: (source: string) => void
  readonly #file: string
  readonly #clock: Clock
  #waiting: Waiting[] = []
  #draining: Promise<void> | null = null
  /** Set while works wait for company only. */
  #cancelWait: (() => void) | null = null

  constructor(db: Kysely<Database>, run: (source: string) => void, file: string, clock: Clock) {
    this.#db = db
    this.#run = run
    this.#file = file
    this.#clock = clock
  }

  add<T>(work: (transaction: Transaction) => Promise<T>, patienceMs = 0): Promise<T> {
    const promise = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: value => resolve(value as T), reject })
    })
    if (patienceMs === 0) this.#start()
    else if (!this.#draining) this.#cancelWait ??= this.#clock.after(patienceMs, () => this.#start())
    return promise
  }

  async idle(): Promise<void> {
    if (this.#waiting.length > 0) this.#start()
    while (this.#draining) await this.#draining
  }

  #start(): void {
    this.#cancelWait?.()
    this.#cancelWait = null
    this.#draining ??= this.#drain()
  }

  async #drain(): Promise<void> {
    // Works asked for in this turn of the event loop join the first batch.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, 512)
      await this.#commit(batch)
    }
    this.#draining = null
  }

  async #commit(batch: Waiting[]): Promise<void> {
    const settle: (() => void)[] = []
    try {
      await this.#db.connection().execute(async connection => {
        const run = this.#run
        run('begin immediate')
        try {
          for (const { work, resolve, reject } of batch) {
            run('savepoint work')
            try {
              const value = await work(connection)
              settle.push(() => resolve(value))
            } catch (error) {
              this.#undo('rollback to work', error)
              settle.push(() => reject(this.#explain(error)))
            }
            run('release work')
          }
          run('commit')
        } catch (error) {
          this.#undo('rollback', error)
          throw error
        }
      })
      for (const each of settle) each()
    } catch (error) {
      for (const each of batch) each.reject(storageFailure(error, this.#file))
    }
  }

  /** A full disk ends the whole transaction by itself; then its reason counts, not that there is nothing to undo. */
  #undo(source: string, why: unknown): void {
    try {
      this.#run(source)
    } catch {
      throw why
    }
  }

  #explain(error: unknown): unknown {
    const fromSqlite = error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_')
    return fromSqlite ? storageFailure(error, this.#file) : error
  }
}
