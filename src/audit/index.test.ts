import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openBundle } from '../../resources/verify.mjs'
import { ok } from '../contract/problem.ts'
import { passed } from '../privacy/testing.ts'
import type { Storage } from '../storage/storage.ts'
import { ana, finished, renamed, temporaryAudit, tenant, writeMany } from './testing.ts'

const run = '01900000-0000-7000-8000-0000000000f1'

async function withRun() {
  const kit = await temporaryAudit()
  await kit.audit.record({ ...renamed(''), action: 'identity.created', details: { identity: ana, name: 'Ana' } })
  await kit.audit.record({ ...finished(run, { risk: 'high', success: true }), bodies: { code: 'print(1)' } })
  await writeMany(kit.audit, 3)
  await kit.audit.query({})
  return kit
}

const change = (storage: Storage, statement: string) => storage.write(t => sql.raw(statement).execute(t))

describe('the index', () => {
  it.each([
    ['a row that was deleted', 'delete from audit_index where seq = 2'],
    ['a run that was renamed', `update audit_index set run = 'x' where seq = 2`],
    ['another time', 'update audit_index set at = at - 86400000 where seq = 2'],
    ['another kind', 'update audit_index set kind = (select min(kind) from audit_kinds) where seq = 2'],
    ['another risk of a kind', `update audit_kinds set risk = 'low' where risk = 'high'`],
    ['words that were taken away', 'delete from audit_text where rowid = 2'],
    ['a reference that was taken away', 'delete from audit_references'],
  ])('is compared with the chain: %s is found, and hides nothing from a report', async (_, statement) => {
    const { audit, storage } = await withRun()
    await change(storage, statement)
    expect((await audit.verify()).findings).toMatchObject([{ kind: 'index', seq: 2, last: 2 }])
    const report = await audit.report({ scope: { kind: 'all' }, actor: null })
    expect(report.record.verified).toBe(false)
    expect(report.totals).toMatchObject({ runs: 1, success: 1 })
    expect(report.byRisk).toContainEqual(expect.objectContaining({ name: 'high', runs: 1 }))
    expect(report.highRisk).toMatchObject([{ run, who: 'Ana' }])
  })

  it('hides nothing from a report on a period or a run, nor from a bundle', async () => {
    const { audit, storage, clock, folder } = await withRun()
    await change(storage, 'delete from audit_index where seq between 1 and 2')
    for (const scope of [
      { kind: 'period', from: clock.now() - 1000, to: clock.now() } as const,
      { kind: 'run', run: finished(run, {}).run as never } as const,
    ]) {
      const { totals } = await audit.report({ scope, actor: null })
      expect(totals.runs).toBe(1)
    }
    const file = join(folder, 'bundle.zip')
    const scope = { kind: 'run', run: finished(run, {}).run as never } as const
    await audit.exportBundle({ scope, file, actor: null, passEgress: async texts => ok(passed(texts)) })
    const bundle = openBundle(file)
    expect(String(bundle.read('entries/000000.jsonl'))).toContain(run)
    bundle.close()
  })

  it('is found wrong in a large record too, which has a thread of its own', async () => {
    const { audit, storage } = await temporaryAudit()
    await storage.write(async transaction => {
      for (let at = 0; at < 3100; at++) await audit.append(transaction, { ...renamed(`title ${at}`), tenant })
    })
    await audit.query({})
    expect((await audit.verify()).ok).toBe(true)
    await change(storage, 'delete from audit_index where seq between 2000 and 2009')
    expect((await audit.verify()).findings).toMatchObject([{ kind: 'index', seq: 2000, last: 2009 }])
  })
})
