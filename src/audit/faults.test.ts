import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import { Failure } from '../contract/problem.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { acknowledgedBy, runWriter, survey } from './crash.testing.ts'
import { canTrace, crashPoints, rebuild, traceWriter } from './lost-sync.testing.ts'
import { renamed, temporaryAudit, writeMany } from './testing.ts'

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    error => (error instanceof Failure ? error.problem.code : error),
  )

describe('the record survives', () => {
  // `node scripts/soak-audit.mjs` does the same two hundred times and more.
  it('being killed at any moment: everything acknowledged is there and the chain is whole', async () => {
    const folder = temporaryFolder()
    const expected: string[] = []
    for (let turn = 0; turn < 5; turn++) {
      await runWriter(folder, `turn${turn}`, 1_000_000, turn < 4 ? { afterMs: 13 * turn } : { afterEntries: 300 })
      expected.push(...acknowledgedBy(folder, `turn${turn}`))
      expect(await survey(folder, expected)).toMatchObject({ ok: true, lost: [] })
    }
    expect(expected.length).toBeGreaterThan(0)
  })

  it('two applications that write at the same time', async () => {
    const folder = temporaryFolder()
    await Promise.all([runWriter(folder, 'one', 150, null), runWriter(folder, 'two', 150, null)])
    const expected = [...acknowledgedBy(folder, 'one'), ...acknowledgedBy(folder, 'two')]
    expect(expected).toHaveLength(300)
    expect(await survey(folder, expected)).toMatchObject({ ok: true, lost: [], findings: [] })
  })

  it('the power going at any sync, with any part of the unsynced writes lost', async ({ skip }) => {
    skip(!canTrace(), 'needs strace; Debian: apt-get install strace')
    const folder = join(temporaryFolder(), 'traced')
    const trace = traceWriter(folder, 'traced', 60)
    const points = crashPoints(trace)
    expect(points.length).toBeGreaterThan(20)
    let seed = 7
    const coin = () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
      return seed > 2 ** 31
    }
    let most = 0
    // The last one has everything; of the others the soak looks at all, and this at one in three.
    const looked = points.filter((_, place) => place % 3 === 0 || place === points.length - 1)
    for (const [place, end] of looked.entries()) {
      // By turns the disk has nothing, or half, of what was never synced.
      const crashed = join(temporaryFolder(), `crash${place}`)
      const expected = rebuild(trace, end, place % 2 === 0 ? () => false : coin, crashed, 'traced')
      most = Math.max(most, expected.length)
      expect(await survey(crashed, expected), `crash after step ${end}`).toMatchObject({ ok: true, lost: [] })
      rmSync(crashed, { recursive: true })
    }
    expect(most).toBe(60)
  })

  it('a full disk: the entry and its change are refused in words, and work goes on when there is room', async () => {
    const { audit, storage } = await temporaryAudit()
    await writeMany(audit, 5)
    const pages = await storage.write(t => sql<{ page_count: number }>`pragma page_count`.execute(t))
    await storage.write(t => sql.raw(`pragma max_page_count = ${pages.rows[0]?.page_count}`).execute(t))
    const big = { ...renamed('too much'), details: { title: 'x'.repeat(2_000_000) } }
    expect(await codeOf(audit.record(big))).toBe('storage.full')
    await storage.write(t => sql`pragma max_page_count = 1000000`.execute(t))
    await writeMany(audit, 5)
    await audit.checkpoint()
    expect(await audit.verify()).toMatchObject({ ok: true, entries: 11, findings: [] })
  })

  it('a file that can only be read: nothing is taken for written, the record can be looked at, work goes on later', async () => {
    const { audit, storage, clock, file, close } = await temporaryAudit()
    await writeMany(audit, 3)
    await audit.query({})
    await audit.record(renamed('not indexed yet'))
    await storage.write(t => sql`pragma query_only = on`.execute(t))
    expect(await codeOf(audit.record(renamed('lost')))).toBe('storage.read-only')
    expect(await codeOf(audit.checkpoint())).toBe('storage.read-only')
    expect((await audit.query({})).items).toHaveLength(4)
    await close()
    const again = await temporaryAudit(clock, file)
    await again.audit.record(renamed('kept'))
    expect((await again.audit.query({})).items).toHaveLength(6)
    expect(await again.audit.verify()).toMatchObject({ ok: true, entries: 6, findings: [] })
  })

  it('a checkpoint file that cannot be written: told, not lost, and made up for', async () => {
    const { audit, folder, clock, file, close } = await temporaryAudit()
    const place = join(folder, 'audit-checkpoints.jsonl')
    rmSync(place, { force: true })
    // A folder in its place fails for root too, unlike a mode without write permission.
    mkdirSync(place)
    await writeMany(audit, 3)
    expect(await codeOf(audit.checkpoint())).toMatch(/^storage\./)
    rmSync(place, { recursive: true })
    await writeMany(audit, 3)
    await audit.checkpoint()
    await close()
    const again = await temporaryAudit(clock, file)
    expect(await again.audit.verify()).toMatchObject({ ok: true, entries: 7 })
  })

  it('a database that is not one: refused with a hint', async () => {
    const file = join(temporaryFolder(), 'countersign.db')
    writeFileSync(file, 'x'.repeat(10_000))
    chmodSync(file, 0o600)
    expect(await codeOf(temporaryAudit(new ManualClock(), file))).toBe('storage.corrupt')
  })
})
