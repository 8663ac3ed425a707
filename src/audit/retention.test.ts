import { describe, expect, it } from 'vitest'
import { keepRetention } from './daily.ts'
import { bea, renamed, temporaryAudit, writeMany } from './testing.ts'

const day = 86_400_000

describe('retention', () => {
  it('empties old entries behind a signed tombstone, and the record still verifies', async () => {
    const { audit, storage, clock } = await temporaryAudit()
    await audit.record({ ...renamed('old'), bodies: { code: 'old code', both: 'shared' }, personal: { name: 'Eve' } })
    await writeMany(audit, 700)
    const kept = await audit.checkpoint()
    clock.advance(91 * day)
    await audit.record({ ...renamed('new'), bodies: { code: 'new code', both: 'shared' } })
    const pruning = await audit.prune({ before: clock.now() - 90 * day, actor: bea, reason: 'retention' })
    expect(pruning).toEqual({ entries: 701, bodies: 1, first: 1, last: 701 })
    expect(await audit.verify({ against: [kept] })).toMatchObject({ ok: true, emptied: 701, notices: [] })
    const { items } = await audit.query({ filter: { actions: ['conversation.renamed'] } })
    expect(items.map(item => item.entry.details)).toEqual([{ title: 'new' }])
    expect(await audit.query({ filter: { text: 'title' } })).toMatchObject({ items: [] })
    expect(await audit.entry(1)).toMatchObject({ ok: false })
    const bodies = await storage.read.selectFrom('audit_bodies').select('hash').execute()
    expect(bodies).toHaveLength(2)
    expect(await storage.read.selectFrom('audit_personal').selectAll().execute()).toEqual([])
    // What stays can still be proven.
    expect(await audit.proof(702)).toMatchObject({ ok: true })
    expect(await audit.proof(3)).toMatchObject({ ok: true })
  })

  it('does nothing and writes nothing when nothing is old', async () => {
    const { audit, clock } = await temporaryAudit()
    await writeMany(audit, 3)
    const before = (await audit.query({})).items.length
    expect(await audit.prune({ before: clock.now() - 90 * day, actor: null, reason: '' })).toMatchObject({ entries: 0 })
    expect((await audit.query({})).items).toHaveLength(before)
  })

  it('keeps the keys, so that old checkpoints can be checked for ever', async () => {
    const { audit, clock } = await temporaryAudit()
    await writeMany(audit, 3)
    await audit.rotateKey(bea, 'yearly')
    clock.advance(200 * day)
    await audit.prune({ before: clock.now(), actor: null, reason: 'retention' })
    clock.advance(200 * day)
    await writeMany(audit, 3)
    clock.advance(day)
    await audit.prune({ before: clock.now(), actor: null, reason: 'retention' })
    expect(await audit.verify()).toMatchObject({ ok: true })
    expect((await audit.query({ filter: { actions: ['key.created', 'key.rotated'] } })).items).toHaveLength(2)
  })

  it('keeps a text that an entry with a wrong date still refers to', async () => {
    const { audit, clock } = await temporaryAudit()
    const now = clock.now()
    clock.set(now + 3650 * day)
    await audit.record({ ...renamed('dated ten years ahead'), bodies: { code: 'shared' } })
    clock.set(now)
    await audit.record({ ...renamed('dated right'), bodies: { code: 'shared' } })
    clock.set(now + 100 * day)
    await audit.prune({ before: now + day, actor: null, reason: 'retention' })
    expect(await audit.verify()).toMatchObject({ ok: true, emptied: 1 })
  })

  it('happens by itself, by the days that the settings say at the time', async () => {
    const { audit, storage, clock } = await temporaryAudit()
    await writeMany(audit, 3)
    let days: number | null = null
    const problems: unknown[] = []
    const schedule = keepRetention({ audit, clock, days: () => days, onProblem: each => problems.push(each) })
    const emptied = async () => {
      await storage.write(async () => undefined)
      await audit.checkpoint()
      const rows = await storage.read.selectFrom('audit_entries').select('seq').where('entry', 'is', null).execute()
      return rows.length
    }
    // Nobody has chosen yet: nothing goes, however old it is.
    clock.advance(400 * day)
    expect(await emptied()).toBe(0)
    days = 500
    clock.advance(day)
    expect(await emptied()).toBe(0)
    days = 5
    clock.advance(day)
    await expect.poll(emptied).toBe(3)
    schedule.close()
    expect(problems).toEqual([])
  })

  it('is found out when an entry between those of a tombstone is emptied too', async () => {
    const { audit, storage, clock } = await temporaryAudit()
    const now = clock.now()
    await audit.record(renamed('old'))
    clock.set(now + 50 * day)
    await audit.record(renamed('young'))
    clock.set(now)
    await audit.record(renamed('old again'))
    clock.set(now + 60 * day)
    await audit.prune({ before: now + day, actor: null, reason: 'retention' })
    expect(await audit.verify()).toMatchObject({ ok: true, emptied: 2 })
    await storage.write(t => t.updateTable('audit_entries').set({ entry: null }).where('seq', '=', 2).execute())
    const { ok, findings } = await audit.verify()
    expect(ok).toBe(false)
    expect(findings).toMatchObject([
      { kind: 'index', seq: 2 },
      { kind: 'removed', seq: 2, last: 2 },
    ])
  })

  it('does not let an entry be emptied that no tombstone speaks of', async () => {
    const { audit, storage, clock } = await temporaryAudit()
    await writeMany(audit, 5)
    clock.advance(100 * day)
    await audit.prune({ before: clock.now() - day, actor: null, reason: 'retention' })
    await writeMany(audit, 5)
    const empty = storage.write(t => t.updateTable('audit_entries').set({ entry: null }).where('seq', '=', 8).execute())
    await expect(empty).rejects.toThrow()
  })
})
