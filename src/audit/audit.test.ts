import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { leafHash } from '../../resources/verify.mjs'
import { ManualClock } from '../clock.testing.ts'
import type { AuditItem } from '../contract/audit.ts'
import { ana, renamed, temporaryAudit, writeMany } from './testing.ts'

describe('the record', () => {
  it('keeps an entry with the change that it describes, or neither', async () => {
    const { audit, storage } = await temporaryAudit()
    const change = (fails: boolean) =>
      storage.write(async t => {
        await t.insertInto('facts').values({ name: 'a', value: '1' }).execute()
        await audit.append(t, renamed('a'))
        if (fails) throw new Error('no')
      })
    await expect(change(true)).rejects.toThrow('no')
    expect((await audit.query({ filter: { actions: ['conversation.renamed'] } })).items).toEqual([])
    await change(false)
    const { items } = await audit.query({ filter: { actions: ['conversation.renamed'] } })
    expect(items).toMatchObject([{ entry: { seq: 1, details: { title: 'a' }, actor: ana } }])
    expect((await audit.verify()).ok).toBe(true)
  })

  it('leaves no gap when one of many works in a commit is undone', async () => {
    const { audit, storage } = await temporaryAudit()
    const works = Array.from({ length: 40 }, (_, at) =>
      storage.write(async t => {
        await audit.append(t, renamed(`${at}`))
        if (at % 3 === 0) throw new Error('undone')
      }),
    )
    await Promise.allSettled(works)
    expect(await audit.verify()).toMatchObject({ ok: true, entries: 27 })
  })

  it('refuses to change or delete what stands, whoever asks', async () => {
    const { audit, storage } = await temporaryAudit()
    await audit.record({ ...renamed('a'), bodies: { code: 'x' }, personal: { name: 'Eve' } })
    await audit.checkpoint()
    const tables = ['audit_entries', 'audit_checkpoints', 'audit_bodies'] as const
    for (const table of tables) await expect(storage.write(t => t.deleteFrom(table).execute())).rejects.toThrow()
    await expect(
      storage.write(t =>
        t
          .updateTable('audit_entries')
          .set({ hash: 'f'.repeat(64) })
          .execute(),
      ),
    ).rejects.toThrow()
    await expect(storage.write(t => t.updateTable('audit_entries').set({ entry: null }).execute())).rejects.toThrow()
    await expect(storage.write(t => t.updateTable('audit_checkpoints').set({ size: 9 }).execute())).rejects.toThrow()
    await expect(
      storage.write(t =>
        t
          .updateTable('audit_bodies')
          .set({ data: Buffer.from('y') })
          .execute(),
      ),
    ).rejects.toThrow()
    await expect(
      storage.write(t =>
        t
          .replaceInto('audit_entries')
          .values({ seq: 1, hash: 'f'.repeat(64), entry: '{}' })
          .execute(),
      ),
    ).rejects.toThrow()
    expect((await audit.verify()).ok).toBe(true)
  })

  it('keeps a text once, and gives it back with the entry and a proof', async () => {
    const { audit, storage } = await temporaryAudit()
    const code = 'print("hello")\n'.repeat(200)
    for (let at = 0; at < 3; at++) await audit.record({ ...renamed(`${at}`), bodies: { code } })
    await audit.checkpoint()
    const rows = await storage.read.selectFrom('audit_bodies').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(rows[0]?.data.length).toBeLessThan(code.length / 10)
    const detail = await audit.entry(2)
    expect(detail).toMatchObject({ ok: true, value: { bodies: { code }, proof: { seq: 2 } } })
  })

  it('takes what cannot be plain JSON without losing the entry', async () => {
    const { audit } = await temporaryAudit()
    const details = { half: 'a\ud800b', no: Number.NaN, gone: undefined } as never
    await audit.record({ ...renamed('x'), details, bodies: { stdout: 'x\udfff' } })
    const { items } = await audit.query({ limit: 1 })
    expect(items[0]?.entry.details).toEqual({ half: 'a\ufffdb', no: 'NaN' })
    expect((await audit.verify()).ok).toBe(true)
  })

  it('has personal values as commitments only, and stays whole when they are erased', async () => {
    const { audit, storage } = await temporaryAudit()
    await audit.record({ ...renamed('a'), personal: { name: 'Eve Moneypenny', mail: 'eve@example.org' } })
    await audit.checkpoint()
    const before = await audit.entry(1)
    expect(before).toMatchObject({ ok: true, value: { personal: { name: 'Eve Moneypenny', mail: 'eve@example.org' } } })
    const row = await storage.read.selectFrom('audit_entries').select('entry').where('seq', '=', 1).executeTakeFirst()
    expect(row?.entry).not.toContain('Eve')
    const commitments = before.ok ? Object.values(before.value.item.entry.personal ?? {}) : []
    expect(await audit.erase(commitments, ana, 'asked to')).toBe(2)
    expect(await audit.entry(1)).toMatchObject({ ok: true, value: { personal: { name: null, mail: null } } })
    expect((await audit.verify()).ok).toBe(true)
  })

  it('signs soon after the last entry, inside the database and outside it', async () => {
    const { audit, clock, folder, storage } = await temporaryAudit()
    await audit.record(renamed('a'))
    clock.advance(1000)
    await storage.write(async () => undefined)
    await audit.close()
    const lines = readFileSync(`${folder}/audit-checkpoints.jsonl`, 'utf8').trim().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ size: 2 })
  })

  it('tells who follows of durable entries only, in order', async () => {
    const { audit, storage } = await temporaryAudit()
    const told: AuditItem[] = []
    audit.follow(items => told.push(...items))
    await audit.record(renamed('a'))
    await storage
      .write(async t => {
        await audit.append(t, renamed('undone'))
        throw new Error('undone')
      })
      .catch(() => undefined)
    await audit.record(renamed('b'))
    await audit.close()
    expect(told.map(item => item.entry.details)).toEqual([{ title: 'a' }, { title: 'b' }])
  })

  it('goes on with the same key and the next number after a restart', async () => {
    const first = await temporaryAudit()
    await writeMany(first.audit, 3)
    await first.close()
    const second = await temporaryAudit(new ManualClock(), first.file)
    await writeMany(second.audit, 3)
    const keys = await second.audit.query({ filter: { actions: ['key.created'] } })
    expect(keys.items).toHaveLength(1)
    expect(await second.audit.verify()).toMatchObject({ ok: true, entries: 7 })
  })

  it('changes its key, and checkpoints of both keys hold', async () => {
    const { audit, storage, keys } = await temporaryAudit()
    await writeMany(audit, 3)
    await audit.rotateKey(ana, 'yearly')
    await writeMany(audit, 3)
    await audit.checkpoint()
    const signers = await storage.read.selectFrom('audit_checkpoints').select('key').distinct().execute()
    expect(signers).toHaveLength(2)
    expect(await audit.verify()).toMatchObject({ ok: true })
    const old = await audit.query({ filter: { actions: ['key.created'] } })
    const retired = z.object({ key: z.string() }).parse(old.items[0]?.entry.details).key
    expect(await keys.get(`audit-${retired.slice(0, 32)}`)).toHaveLength(0)
  })

  it('ties each entry to the one before it', async () => {
    const { audit, storage } = await temporaryAudit()
    await writeMany(audit, 3)
    const rows = await storage.read.selectFrom('audit_entries').select(['hash', 'entry']).orderBy('seq').execute()
    for (const [at, row] of rows.slice(1).entries()) {
      expect(leafHash(rows[at]?.hash ?? '', row.entry ?? '')).toBe(row.hash)
    }
  })
})

describe('the files of sessions', () => {
  it('of applications that were killed go at the next start; those of living ones stay', async () => {
    const { audit, folder, clock, file } = await temporaryAudit()
    const ended = spawnSync(process.execPath, ['-e', '']).pid
    writeFileSync(join(folder, 'sessions', 'killed'), String(ended))
    writeFileSync(join(folder, 'sessions', 'torn'), '')
    writeFileSync(join(folder, 'sessions', 'alive'), String(process.ppid))
    const next = await temporaryAudit(clock, file)
    expect(readdirSync(join(folder, 'sessions')).sort()).toEqual([audit.session, next.audit.session, 'alive'].sort())
  })
})
