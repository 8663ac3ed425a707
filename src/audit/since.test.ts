import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ana, finished, renamed, temporaryAudit, writeMany } from './testing.ts'

const run = '01900000-0000-7000-8000-0000000000f1'

describe('entries behind a number', () => {
  it('are those of the actions asked for, oldest first, before they are indexed', async () => {
    const { audit, storage } = await temporaryAudit()
    await writeMany(audit, 2)
    const last = await audit.last()
    await audit.record(finished(run, { success: true }))
    await audit.record(renamed('first'))
    await audit.record(renamed('second', ana))
    const since = await audit.since(last, ['conversation.renamed'])
    expect(since?.entries.map(({ details }) => details)).toEqual([{ title: 'first' }, { title: 'second' }])
    expect(since?.last).toBe(await audit.last())
    const { rows } = await sql<{
      count: number
    }>`select count(*) as count from audit_index where seq > ${last}`.execute(storage.read)
    expect(rows).toEqual([{ count: 0 }])
  })

  it('are none at the end, which is where it was', async () => {
    const { audit } = await temporaryAudit()
    await writeMany(audit, 2)
    const last = await audit.last()
    expect(await audit.since(last, ['conversation.renamed'])).toEqual({ last, entries: [] })
  })

  it('that are only named in the details of another are not taken for it', async () => {
    const { audit } = await temporaryAudit()
    const last = await audit.last()
    await audit.record(renamed('"egress.passed"'))
    await audit.record({ ...renamed(''), details: { action: 'egress.passed' } })
    expect((await audit.since(last, ['egress.passed']))?.entries).toEqual([])
  })

  it('are left to a query where there are many', async () => {
    const { audit } = await temporaryAudit()
    const last = await audit.last()
    await writeMany(audit, 2001)
    expect(await audit.since(last, ['conversation.renamed'])).toBeNull()
    expect((await audit.since(last + 1, ['conversation.renamed']))?.entries).toHaveLength(2000)
  })
})
