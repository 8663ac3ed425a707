import { describe, expect, it, onTestFinished } from 'vitest'
import { anApproval, aRun, codeOf, must } from './approval/testing.ts'
import { finished, renamed } from './audit/testing.ts'
import { someConsents } from './cloud/testing.ts'
import { allColumns, finderOf, mutate, openToEdit, tableClasses } from './mutation.testing.ts'
import { temporaryStorage } from './storage/testing.ts'

/** All rows with `node scripts/mutate-record.mjs`; otherwise three of each table. */
const every = process.env.MUTATE === 'all'
const patienceMs = every ? 3_600_000 : 120_000

function toEdit(file: string) {
  const db = openToEdit(file)
  onTestFinished(() => void db.close())
  return db
}

describe('a change to any column of any table', () => {
  it('is classified: each table has its line, and no line is of a table or column that is gone', async () => {
    const columns = allColumns(toEdit((await temporaryStorage()).file))
    const tables = [...new Set(columns.map(each => each.table))]
    expect(tables.filter(table => !tableClasses[table])).toEqual([])
    expect(Object.keys(tableClasses).filter(table => !tables.includes(table))).toEqual([])
    for (const [table, { but = {} }] of Object.entries(tableClasses)) {
      const names = columns.filter(each => each.table === table).map(each => each.column)
      expect(Object.keys(but).filter(name => !names.includes(name))).toEqual([])
    }
  })

  it(
    'is found by verify where a report or a reviewer’s screen rests on it',
    async () => {
      const kit = await anApproval()
      const { audit, storage, approval } = kit
      const texts = { bodies: { code: 'print(1)', out: '1'.repeat(900) }, personal: { who: 'Jane' } }
      await audit.record({ ...renamed('with texts'), ...texts })
      const outcome = { risk: 'high', success: true, sandbox: 'local' }
      await audit.record(finished('01900000-0000-7000-8000-0000000000f1', outcome))
      await storage.write(async t => {
        for (let at = 0; at < 260; at++) await audit.append(t, renamed(`title ${at}`))
      })
      const rea = await kit.someone('Rea')
      // A second vouch for her, which is taken back.
      const otto = await kit.protectedIdentity('Otto')
      must(await approval.identities.vouch(otto, rea.identity.id))
      must(await approval.identities.withdraw(otto, rea.identity.id))
      const request = await kit.waiting()
      must(await approval.requests.comment(request.id, rea, 'looks fine'))
      must(await approval.requests.decide(request.id, rea, { kind: 'approve', seen: request.subject }))
      const { version } = await approval.policy.current()
      must(await approval.policy.save({ dialogSeconds: 30 }, rea.identity.id, version))
      await someConsents(storage, audit, kit.parts.keys, { tenant: rea.identity.tenant, user: rea.identity.id })
      await audit.checkpoint()
      await audit.query({})
      const db = toEdit(storage.file)
      expect((await kit.verified()).findings).toEqual([])
      const columns = allColumns(db).filter(each => finderOf(each) === 'verify')
      const missed: string[] = []
      for (const column of columns) {
        const result = await mutate(db, column, { every, found: async () => !(await kit.verified()).ok })
        missed.push(...result.missed, ...(result.changed === 0 ? [`${column.table} has no row`] : []))
      }
      expect(missed).toEqual([])
      expect((await kit.verified()).findings).toEqual([])
    },
    patienceMs,
  )

  it(
    'is found by the gate where a decision rests on it',
    async () => {
      const kit = await anApproval()
      const request = await kit.waiting()
      must(await kit.approval.requests.decide(request.id, await kit.ana(), { kind: 'approve', seen: request.subject }))
      const db = toEdit(kit.storage.file)
      // A row that cannot even be read is refused too.
      const code = () => kit.approval.clear(request.id, aRun()).then(codeOf, () => 'unreadable')
      const missed: string[] = []
      for (const column of allColumns(db).filter(each => finderOf(each) === 'gate')) {
        const result = await mutate(db, column, { every, found: async () => (await code()) !== 'ok' })
        missed.push(...result.missed, ...(result.changed === 0 ? [`${column.table} has no row`] : []))
      }
      expect(missed).toEqual([])
      expect(await code()).toBe('ok')
    },
    patienceMs,
  )
})
