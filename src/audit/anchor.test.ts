import { copyFileSync, cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { canonical, leafHash } from '../../resources/verify.mjs'
import { ManualClock } from '../clock.testing.ts'
import { seals } from '../storage/migrations/0008-seals.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { renamed, temporaryAudit, writeMany } from './testing.ts'

type Record = Awaited<ReturnType<typeof temporaryAudit>>

const outside = (record: Record) => join(record.folder, 'audit-checkpoints.jsonl')
const kindsOf = (findings: readonly { kind: string }[]) => [...new Set(findings.map(each => each.kind))].sort()

/** Somebody who can write to the file: takes the guards away first. */
function edit(file: string, change: (db: Sqlite.Database) => void): void {
  const db = new Sqlite(file)
  const triggers = db.prepare("select name from sqlite_master where type = 'trigger'").all() as { name: string }[]
  for (const { name } of triggers) db.exec(`drop trigger ${name}`)
  change(db)
  db.close()
}

/** Changes an entry and makes the chain anew from there, as anyone can who knows how it is made. */
function rewrite(db: Sqlite.Database, seq: number): void {
  db.exec(`update audit_entries set entry = replace(entry, '"title":"', '"title":"forged ') where seq = ${seq}`)
  const rows = db.prepare('select seq, hash, entry from audit_entries where seq >= ? order by seq').all(seq - 1)
  let previous = ''
  for (const row of rows as { seq: number; hash: string; entry: string }[]) {
    const hash = row.seq < seq ? row.hash : leafHash(previous, row.entry)
    db.prepare('update audit_entries set hash = ? where seq = ?').run(hash, row.seq)
    previous = hash
  }
}

async function written(count: number): Promise<Record> {
  const record = await temporaryAudit()
  await writeMany(record.audit, count)
  await record.close()
  return record
}

const reopened = (record: Record) => temporaryAudit(new ManualClock(), record.file)

describe('a history that was rewritten', () => {
  it('is not signed, though its chain is whole and every checkpoint was deleted', async () => {
    const first = await written(10)
    edit(first.file, db => {
      rewrite(db, 5)
      db.exec('delete from audit_checkpoints; delete from audit_tiles')
    })
    rmSync(outside(first))
    const { audit, storage } = await reopened(first)
    expect(audit.damageAtStart).toMatchObject([{ kind: 'rewritten' }])
    await audit.record(renamed('an ordinary run'))
    await expect(audit.checkpoint()).rejects.toMatchObject({ problem: { code: 'audit.damaged' } })
    expect(await storage.read.selectFrom('audit_checkpoints').selectAll().execute()).toEqual([])
    const { ok, findings } = await audit.verify()
    expect(ok).toBe(false)
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'seal', seq: 5, last: 10 }))
    expect(kindsOf(findings)).toEqual(['checkpoint', 'rewritten', 'seal'])
  })

  it('is told of by a report and by a bundle, which rest on the last checkpoint that was signed', async () => {
    const first = await written(10)
    edit(first.file, db => rewrite(db, 5))
    const { audit } = await reopened(first)
    const report = await audit.report({ scope: { kind: 'all' }, actor: null })
    expect(report.record).toMatchObject({ verified: false, checkpoint: { size: 11 } })
  })

  it('fails at its first entry when the tail that nobody has signed for is rewritten', async () => {
    const first = await temporaryAudit()
    await writeMany(first.audit, 5)
    await first.audit.checkpoint()
    await writeMany(first.audit, 5)
    // As it lies on the disk when the application is killed at this moment.
    const copy = join(temporaryFolder(), 'countersign.db')
    await first.storage.write(async () => copyFileSync(first.file, copy))
    copyFileSync(`${first.file}-wal`, `${copy}-wal`)
    cpSync(join(first.folder, 'keys'), join(copy, '..', 'keys'), { recursive: true })
    edit(copy, db => rewrite(db, 8))
    const { audit } = await temporaryAudit(new ManualClock(), copy)
    await expect(audit.checkpoint()).rejects.toThrow('Entry 8 was not written by this application')
    expect((await audit.verify()).findings).toContainEqual(expect.objectContaining({ kind: 'seal', seq: 8, last: 10 }))
  })

  it('raises one entry on the record when it is found while the application runs', async () => {
    const { audit, storage, clock } = await temporaryAudit()
    await writeMany(audit, 3)
    await audit.checkpoint()
    edit(storage.file, db =>
      db
        .prepare('insert into audit_entries (seq, hash, entry, seal) values (4, ?, ?, ?)')
        .run('0'.repeat(64), canonical({ forged: true }), Buffer.alloc(32)),
    )
    await audit.record(renamed('one'))
    clock.advance(200)
    const checks = async () => (await audit.query({ filter: { actions: ['audit.verified'] } })).items
    await expect.poll(checks).toMatchObject([{ entry: { details: { success: false, signed: 4 } } }])
    await audit.record(renamed('two'))
    clock.advance(200)
    await audit.close()
    expect(await checks()).toHaveLength(1)
  })
})

describe('the end of the record', () => {
  it('is kept with the key: database and checkpoints put back together are found', async () => {
    const first = await written(5)
    const old = temporaryFolder()
    for (const file of [first.file, outside(first)]) copyFileSync(file, join(old, file.split('/').at(-1) ?? ''))
    const second = await reopened(first)
    await writeMany(second.audit, 5)
    await second.close()
    for (const end of ['-wal', '-shm']) rmSync(`${first.file}${end}`, { force: true })
    copyFileSync(join(old, 'countersign.db'), first.file)
    copyFileSync(join(old, 'audit-checkpoints.jsonl'), outside(first))
    const third = await reopened(first)
    expect(third.audit.damageAtStart).toMatchObject([{ kind: 'truncated', seq: 6, last: 10 }])
    expect(kindsOf((await third.audit.verify()).findings)).toEqual(['checkpoint', 'truncated'])
    // New entries that cover the gap are not taken for those that were signed.
    await writeMany(third.audit, 20)
    await expect(third.audit.checkpoint()).rejects.toMatchObject({ problem: { code: 'audit.damaged' } })
    expect((await third.audit.verify()).ok).toBe(false)
  })

  it('is found cut off although the kept subtrees are all there', async () => {
    const first = await written(600)
    edit(first.file, db => db.exec('delete from audit_entries where seq >= 512'))
    const { audit } = await reopened(first)
    expect(audit.damageAtStart).toMatchObject([{ kind: 'truncated', seq: 512 }])
  })

  it('lacks a checkpoint: damage, not an intact record without any', async () => {
    const first = await written(5)
    edit(first.file, db => db.exec('delete from audit_checkpoints'))
    rmSync(outside(first))
    const { audit } = await reopened(first)
    const { ok, findings } = await audit.verify()
    expect(ok).toBe(false)
    expect(findings).toMatchObject([{ kind: 'checkpoint', message: expect.stringContaining('6 entries is missing') }])
  })

  it('is signed at the next start when the application was killed before it could', async () => {
    const first = await temporaryAudit()
    await writeMany(first.audit, 3)
    await first.audit.checkpoint()
    await writeMany(first.audit, 3)
    const { notices } = await first.audit.verify()
    expect(notices).toEqual([expect.stringContaining('The last 3 entries are not signed yet')])
    const second = await reopened(first)
    expect(second.audit.damageAtStart).toEqual([])
    expect(await second.audit.verify()).toMatchObject({ ok: true, notices: [], checkpoints: 2 })
  })

  it('is damaged when the key store lost the key, and nothing is signed', async () => {
    const first = await written(3)
    rmSync(join(first.folder, 'keys'), { recursive: true })
    const { audit } = await reopened(first)
    expect(audit.damageAtStart).toMatchObject([{ kind: 'key' }])
    expect(kindsOf((await audit.verify()).findings)).toEqual(['key', 'seal'])
  })
})

describe('a record from before there were seals', () => {
  async function older(count: number): Promise<Record> {
    const record = await temporaryAudit()
    await writeMany(record.audit, count)
    await record.audit.checkpoint()
    await record.storage.write(async t => {
      await seals.down(t as never)
      await t.deleteFrom('migrations').where('name', '=', seals.name).execute()
    })
    rmSync(join(record.folder, 'keys', 'audit-head.key'))
    return record
  }

  it('is signed once more when it is first opened, and is whole', async () => {
    const old = await older(5)
    const { audit, storage } = await reopened(old)
    expect(audit.damageAtStart).toEqual([])
    await writeMany(audit, 3)
    await audit.checkpoint()
    expect(await audit.verify()).toMatchObject({ ok: true, entries: 9, notices: [] })
    // The last is that of the check itself.
    const sealed = await storage.read.selectFrom('audit_entries').select('seq').where('seal', 'is not', null).execute()
    expect(sealed.map(row => row.seq)).toEqual([6, 7, 8, 9])
  })

  it('cannot be rewritten afterwards', async () => {
    const old = await older(5)
    const second = await reopened(old)
    await second.close()
    edit(second.file, db => {
      rewrite(db, 2)
      db.exec('delete from audit_checkpoints; delete from audit_tiles; update audit_entries set seal = null')
    })
    rmSync(outside(old))
    const third = await reopened(old)
    expect(third.audit.damageAtStart).toMatchObject([{ kind: 'rewritten' }])
    await expect(third.audit.checkpoint()).rejects.toMatchObject({ problem: { code: 'audit.damaged' } })
  })

  it('is not taken for whole when its checkpoints were taken away before', async () => {
    const old = await older(5)
    edit(old.file, db => db.exec('delete from audit_checkpoints'))
    rmSync(outside(old))
    const { audit } = await reopened(old)
    expect(audit.damageAtStart).toMatchObject([{ kind: 'checkpoint' }])
    expect((await audit.verify()).ok).toBe(false)
  })
})
