import { appendFileSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { canonical, leafHash } from '../../resources/verify.mjs'
import { ManualClock } from '../clock.testing.ts'
import { openStorage } from '../storage/storage.ts'
import { CheckpointFile } from './checkpoints.ts'
import { keepVerified } from './daily.ts'
import { renamed, temporaryAudit, tenant, writeMany } from './testing.ts'
import { verifyRecord } from './verify.ts'

/** Somebody who has the file and knows SQL: takes the guards away first. */
async function tampered(count: number, tamper: (db: Sqlite.Database) => void) {
  const first = await temporaryAudit()
  await writeMany(first.audit, count)
  await first.close()
  const db = new Sqlite(first.file)
  for (const { name } of db.prepare("select name from sqlite_master where type = 'trigger'").all() as {
    name: string
  }[]) {
    db.exec(`drop trigger ${name}`)
  }
  tamper(db)
  db.close()
  const second = await temporaryAudit(new ManualClock(), first.file)
  const result = await second.audit.verify()
  return { ...second, result, said: result.findings.map(each => `${each.kind} ${each.seq}-${each.last}`) }
}

/** Somebody who knows how the chain is made, and makes it anew from an entry on. */
function resealFrom(db: Sqlite.Database, start: number): void {
  const rows = db.prepare('select seq, hash, entry from audit_entries where seq >= ? order by seq').all(start - 1)
  let previous = ''
  for (const { seq, hash, entry } of rows as { seq: number; hash: string; entry: string }[]) {
    const sealed = seq < start ? hash : leafHash(previous, entry)
    db.prepare('update audit_entries set hash = ? where seq = ?').run(sealed, seq)
    previous = sealed
  }
}

describe('verify', () => {
  it('finds nothing on a record that nobody touched', async () => {
    const { audit } = await temporaryAudit()
    await writeMany(audit, 600)
    await audit.checkpoint()
    const result = await audit.verify()
    expect(result).toMatchObject({ ok: true, entries: 601, findings: [], notices: [] })
    expect(result.firstKey).toMatch(/^[0-9a-f]{64}$/)
  })

  it('names a changed entry', async () => {
    const { said } = await tampered(10, db => {
      db.exec(`update audit_entries set entry = replace(entry, 'title 4', 'title X') where seq = 5`)
    })
    expect(said).toEqual(['changed 5-5'])
  })

  it('names the stretch of an entry that was changed and sealed anew', async () => {
    const { said } = await tampered(10, db => {
      db.exec(`update audit_entries set entry = replace(entry, 'title 4', 'title X') where seq = 5`)
      resealFrom(db, 5)
    })
    expect(said).toEqual(['rewritten 0-10', 'seal 5-10'])
  })

  it('names a removed entry', async () => {
    const { said } = await tampered(10, db => db.exec('delete from audit_entries where seq = 5'))
    expect(said).toContain('removed 5-5')
  })

  it('names a removed entry also when the others were moved up', async () => {
    const { said } = await tampered(10, db => {
      db.exec('delete from audit_entries where seq = 5')
      for (let seq = 6; seq <= 10; seq++) db.exec(`update audit_entries set seq = ${seq - 1} where seq = ${seq}`)
    })
    expect(said).toContain('removed 5-5')
    expect(said).toContain('truncated 10-10')
  })

  it('names an inserted entry', async () => {
    const { said } = await tampered(10, db => {
      for (let seq = 10; seq >= 5; seq--) db.exec(`update audit_entries set seq = ${seq + 1} where seq = ${seq}`)
      db.exec(`insert into audit_entries (seq, hash, entry)
        select 5, hash, replace(entry, '"seq":4', '"seq":5') from audit_entries where seq = 4`)
    })
    expect(said).toContain('changed 5-5')
    expect(said).toContain('inserted 6-6')
  })

  it('names entries that changed places', async () => {
    const { said } = await tampered(10, db => {
      db.exec('update audit_entries set seq = 100 where seq = 5')
      db.exec('update audit_entries set seq = 5 where seq = 6')
      db.exec('update audit_entries set seq = 6 where seq = 100')
    })
    expect(said).toEqual(expect.arrayContaining(['reordered 5-5', 'reordered 6-6']))
  })

  it('names a cut-off end, by the checkpoints in the database and by those outside it', async () => {
    const cut = await tampered(10, db => {
      db.exec('delete from audit_entries where seq > 6')
      db.exec('delete from audit_checkpoints where size > 7')
    })
    expect(cut.said).toContain('truncated 7-10')
    expect(cut.audit.damageAtStart).toMatchObject([{ kind: 'truncated' }])
  })

  it('sees that an older copy of the whole database was put back', async () => {
    const first = await temporaryAudit()
    await writeMany(first.audit, 5)
    await first.close()
    copyFileSync(first.file, `${first.file}.old`)
    const second = await temporaryAudit(new ManualClock(), first.file)
    await writeMany(second.audit, 5)
    await second.close()
    for (const end of ['-wal', '-shm']) rmSync(`${first.file}${end}`, { force: true })
    copyFileSync(`${first.file}.old`, first.file)
    const third = await temporaryAudit(new ManualClock(), first.file)
    expect(third.audit.damageAtStart).toMatchObject([{ kind: 'truncated' }])
    // Also when new entries have covered the gap.
    await writeMany(third.audit, 20)
    expect((await third.audit.verify()).findings).toMatchObject([{ kind: 'rewritten' }, { kind: 'checkpoint' }])
  })

  it('does not believe a checkpoint that somebody else signed', async () => {
    const { said } = await tampered(10, db => {
      db.exec(`update audit_checkpoints set signature = 'AAAA'`)
    })
    expect(said).toContain('checkpoint 10-10')
  })

  it('does not believe a key that the last one did not endorse', async () => {
    const { said } = await tampered(10, db => {
      const row = db.prepare('select entry from audit_entries where seq = 0').get() as { entry: string }
      const forged = { ...JSON.parse(row.entry), seq: 11, action: 'key.rotated' }
      const last = db.prepare('select hash from audit_entries where seq = 10').get() as { hash: string }
      const entry = canonical(forged)
      db.prepare('insert into audit_entries (seq, hash, entry) values (11, ?, ?)').run(
        leafHash(last.hash, entry),
        entry,
      )
    })
    expect(said).toContain('key 11-11')
  })

  it('finds a text that was changed or taken away', async () => {
    const first = await temporaryAudit()
    await first.audit.record({ ...renamed('with code'), bodies: { code: 'print(1)'.repeat(100), stdout: '1' } })
    await first.close()
    const db = new Sqlite(first.file)
    db.exec('drop trigger audit_bodies_update; drop trigger audit_bodies_delete')
    db.exec(`update audit_bodies set data = x'00ff' where codec = 'deflate'`)
    db.exec(`delete from audit_bodies where codec = 'plain'`)
    db.close()
    const second = await temporaryAudit(new ManualClock(), first.file)
    const { findings } = await second.audit.verify()
    expect(findings.map(each => each.message).sort()).toEqual([
      expect.stringMatching(/entry 1 .* is missing/),
      expect.stringMatching(/entry 1 .* was changed/),
    ])
  })

  it('finds a flipped byte in the database file wherever it hits an entry', async () => {
    const first = await temporaryAudit()
    await writeMany(first.audit, 30)
    await first.close()
    const bytes = readFileSync(first.file)
    const at = bytes.indexOf('title 17')
    bytes[at + 1] = (bytes[at + 1] ?? 0) ^ 1
    writeFileSync(first.file, bytes)
    const second = await temporaryAudit(new ManualClock(), first.file)
    expect((await second.audit.verify()).findings).toMatchObject([{ kind: 'changed', seq: 18 }])
  })

  it('goes on where a page of the database cannot be read, and says so', async () => {
    const first = await temporaryAudit()
    await first.storage.write(async t => {
      for (let at = 0; at < 3000; at++) await first.audit.append(t, renamed(`title ${at}`))
    })
    await first.close()
    const bytes = readFileSync(first.file)
    const at = bytes.indexOf('"title":"title 2900"')
    bytes.fill(0xff, at - (at % 4096), at - (at % 4096) + 4096)
    writeFileSync(first.file, bytes)
    const storage = await openStorage({ file: first.file, clock: new ManualClock() })
    onTestFinished(() => storage.close())
    const result = await verifyRecord(storage, new CheckpointFile(`${first.folder}/audit-checkpoints.jsonl`), null)
    expect(result.findings.map(each => each.kind)).toContain('unreadable')
  })

  it('forgives a checkpoint line that a crash tore, and mentions it', async () => {
    const { audit, folder } = await temporaryAudit()
    await writeMany(audit, 3)
    await audit.checkpoint()
    appendFileSync(`${folder}/audit-checkpoints.jsonl`, '\n{"log":"12')
    await writeMany(audit, 3)
    await audit.checkpoint()
    const result = await audit.verify()
    expect(result).toMatchObject({ ok: true, notices: [expect.stringContaining('only in part')] })
  })

  it('notices a clock that was set back, and does not call it damage', async () => {
    const { audit, clock } = await temporaryAudit()
    await writeMany(audit, 3)
    clock.set(clock.now() - 3_600_000)
    await writeMany(audit, 3)
    await audit.checkpoint()
    const result = await audit.verify()
    expect(result).toMatchObject({ ok: true, notices: [expect.stringContaining('set back once, by at most 3600 s')] })
  })

  it('holds the record against checkpoints that an auditor kept', async () => {
    const { audit } = await temporaryAudit()
    await writeMany(audit, 3)
    const kept = await audit.checkpoint()
    await writeMany(audit, 3)
    expect((await audit.verify({ against: [kept] })).ok).toBe(true)
    const other = await temporaryAudit()
    await writeMany(other.audit, 6)
    expect((await other.audit.verify({ against: [kept] })).findings).toMatchObject([{ kind: 'checkpoint' }])
  })

  it('stops when told to', async () => {
    const { audit } = await temporaryAudit()
    await expect(audit.verify({ signal: AbortSignal.abort() })).rejects.toThrow('stopped')
  })

  it('finds the same in a large body store, which has a thread of its own', async () => {
    const { audit, storage } = await temporaryAudit()
    await storage.write(async transaction => {
      for (let at = 0; at < 3100; at++) {
        await audit.append(transaction, { ...renamed(`title ${at}`), bodies: { code: `print(${at})` } })
      }
    })
    expect(await audit.verify()).toMatchObject({ ok: true, bodies: 3100 })
    await storage.write(async t => {
      await sql`drop trigger audit_bodies_update`.execute(t)
      await sql`drop trigger audit_bodies_delete`.execute(t)
      await sql`update audit_bodies set data = cast('print(x)' as blob) where data = cast('print(7)' as blob)`.execute(
        t,
      )
      await sql`delete from audit_bodies where data = cast('print(3000)' as blob)`.execute(t)
    })
    const { findings } = await audit.verify()
    expect(findings).toMatchObject([
      { kind: 'body', seq: 8, message: expect.stringContaining('was changed') },
      { kind: 'body', seq: 3001, message: expect.stringContaining('is missing') },
    ])
  })

  it('happens by itself once a day, and what it finds stands on the record', async () => {
    const { audit, storage, clock } = await temporaryAudit()
    await writeMany(audit, 3)
    const checks = async () => {
      const { items } = await audit.query({ filter: { actions: ['audit.verified'] } })
      return items.map(item => (item.entry.details as { success: boolean }).success)
    }
    const schedule = keepVerified({ audit, clock, onProblem: problem => expect.fail(problem.message) })
    clock.advance(3_600_000)
    await expect.poll(checks).toEqual([true])
    await storage.write(t => sql`drop trigger audit_entries_update`.execute(t))
    await storage.write(t => sql`update audit_entries set entry = entry || ' ' where seq = 2`.execute(t))
    clock.advance(86_400_000)
    await expect.poll(checks).toEqual([false, true])
    schedule.close()
    clock.advance(2 * 86_400_000)
    await audit.report({ scope: { kind: 'all' }, actor: null })
    expect(await checks()).toEqual([false, false, true])
  })

  it('stands on the record itself', async () => {
    const { audit } = await temporaryAudit()
    await audit.verify()
    const page = await audit.query({ filter: { actions: ['audit.verified'] } })
    expect(page.items).toMatchObject([{ entry: { details: { success: true }, tenant } }])
  })
})
