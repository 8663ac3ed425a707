import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import { Failure } from '../contract/problem.ts'
import { migrations } from './migrations/all.ts'
import { openStorage } from './storage.ts'
import { temporaryFolder, temporaryStorage } from './testing.ts'

const fact = (name: string, value: string) => ({ name, value })
const codeOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => null,
    thrown => thrown,
  )
  return error instanceof Failure ? error.problem.code : error
}

describe('storage', () => {
  it('shows what is committed and nothing of a work that threw, though both shared a commit', async () => {
    const storage = await temporaryStorage()
    const good = storage.write(t => t.insertInto('facts').values(fact('a', '1')).execute())
    const bad = storage.write(async t => {
      await t.insertInto('facts').values(fact('b', '2')).execute()
      throw new Error('changed my mind')
    })
    const later = storage.write(t => t.insertInto('facts').values(fact('c', '3')).execute())
    await expect(bad).rejects.toThrow('changed my mind')
    await Promise.all([good, later])
    const rows = await storage.read.selectFrom('facts').select('name').orderBy('name').execute()
    expect(rows.map(row => row.name)).toEqual(['a', 'c'])
  })

  it('lets a patient work wait for company, and no longer than it may', async () => {
    const clock = new ManualClock()
    const storage = await temporaryStorage(clock)
    const names = async () => (await storage.read.selectFrom('facts').select('name').execute()).map(row => row.name)
    const add = (name: string, patienceMs?: number) =>
      storage.write(t => t.insertInto('facts').values(fact(name, '1')).execute(), patienceMs)
    const patient = add('patient', 50)
    expect(await names()).toEqual([])
    await add('company')
    // In one commit: the one is there as soon as the other is.
    expect(await names()).toEqual(['company', 'patient'])
    await patient
    const alone = add('alone', 50)
    clock.advance(49)
    expect(await names()).toHaveLength(2)
    clock.advance(1)
    await alone
    expect(await names()).toContain('alone')
  })

  it('writes what waits for company before it closes', async () => {
    const file = join(temporaryFolder(), 'countersign.db')
    const first = await openStorage({ file, clock: new ManualClock() })
    const written = first.write(t => t.insertInto('facts').values(fact('waited', 'yes')).execute(), 50)
    await first.close()
    await written
    const second = await openStorage({ file, clock: new ManualClock() })
    onTestFinished(() => second.close())
    expect(await second.read.selectFrom('facts').selectAll().execute()).toEqual([fact('waited', 'yes')])
  })

  it('keeps everything over a reopening', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'countersign.db')
    const first = await openStorage({ file, clock: new ManualClock() })
    await first.write(t => t.insertInto('facts').values(fact('kept', 'yes')).execute())
    await first.close()
    const second = await openStorage({ file, clock: new ManualClock() })
    onTestFinished(() => second.close())
    const row = await second.read.selectFrom('facts').selectAll().executeTakeFirst()
    expect(row).toEqual(fact('kept', 'yes'))
  })

  it('refuses a database from a newer version and leaves it as it was', async () => {
    const file = join(temporaryFolder(), 'countersign.db')
    const newer = { name: '9999-tomorrow', up: async () => undefined, down: async () => undefined }
    const tomorrow = await openStorage({ file, clock: new ManualClock(), migrations: [...migrations, newer] })
    await tomorrow.close()
    copyFileSync(file, `${file}.copy`)
    expect(await codeOf(openStorage({ file, clock: new ManualClock() }))).toBe('storage.newer')
  })

  it('says that a file is not a database', async () => {
    const file = join(temporaryFolder(), 'countersign.db')
    writeFileSync(file, 'a shopping list, '.repeat(500))
    expect(await codeOf(openStorage({ file, clock: new ManualClock() }))).toBe('storage.corrupt')
  })

  it('says when the disk is full, keeps what was there and goes on when there is room again', async () => {
    const storage = await temporaryStorage()
    await storage.write(t => t.insertInto('facts').values(fact('before', 'safe')).execute())
    const pages = await storage.write(t => sql<{ page_count: number }>`pragma page_count`.execute(t))
    await storage.write(t => sql.raw(`pragma max_page_count = ${pages.rows[0]?.page_count}`).execute(t))
    const big = storage.write(t =>
      t
        .insertInto('facts')
        .values(fact('big', 'x'.repeat(1_000_000)))
        .execute(),
    )
    expect(await codeOf(big)).toBe('storage.full')
    await storage.write(t => sql`pragma max_page_count = 1000000`.execute(t))
    await storage.write(t => t.insertInto('facts').values(fact('after', 'fine')).execute())
    const rows = await storage.read.selectFrom('facts').select('name').orderBy('name').execute()
    expect(rows.map(row => row.name)).toEqual(['after', 'before'])
  })

  it('says that another program holds the database, keeps nothing half-written and goes on when it is free', async () => {
    const file = join(temporaryFolder(), 'countersign.db')
    const storage = await openStorage({ file, clock: new ManualClock(), patienceMs: 20 })
    onTestFinished(() => storage.close())
    const other = new Sqlite(file)
    onTestFinished(() => void other.close())
    other.exec('begin immediate')
    const write = () => storage.write(t => t.insertInto('facts').values(fact('mine', '1')).execute())
    expect(await codeOf(write())).toBe('storage.locked')
    other.exec('rollback')
    await write()
    expect(await storage.read.selectFrom('facts').selectAll().execute()).toEqual([fact('mine', '1')])
  })

  it('says when the folder cannot be written', async () => {
    // A file where a folder should be fails for root too, unlike a mode without write permission.
    const file = join(temporaryFolder(), 'occupied')
    writeFileSync(file, '')
    expect(await codeOf(openStorage({ file: join(file, 'countersign.db'), clock: new ManualClock() }))).toBe(
      'storage.read-only',
    )
  })
})

describe('migrations', () => {
  it('go up, down and up again', async () => {
    const storage = await temporaryStorage()
    const tables = () => storage.read.introspection.getTables()
    const names = (await tables()).map(table => table.name)
    await storage.write(async t => {
      for (const migration of [...migrations].reverse()) await migration.down(t as never)
    })
    expect((await tables()).map(table => table.name)).toEqual(['migrations'])
    await storage.write(async t => {
      for (const migration of migrations) await migration.up(t as never)
    })
    expect((await tables()).map(table => table.name)).toEqual(names)
  })
})
