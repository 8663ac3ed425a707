import { expect, it } from 'vitest'
import { RunId } from '../contract/ids.ts'
import { syntaxResults } from '../storage/migrations/0038-syntax-results.ts'
import { insertWords, removeWords } from '../storage/record/entries.ts'
import { facetWords } from '../storage/record/facets.ts'
import { facetsOf, wordsOf } from './facets.ts'
import { ana, finished, temporaryAudit, tenant } from './testing.ts'

const run = (at: number) => RunId.parse(`01900000-0000-7000-8000-${String(at).padStart(12, '0')}`)

/** Entries 1 and 2 are of code that the compiler rejected, before the run and in the sandbox; 3 was denied, 4 failed. */
async function withEach() {
  const kit = await temporaryAudit()
  const refused = (at: number, code: string) =>
    kit.audit.record({
      ...{ action: 'run.refused', tenant, actor: ana, run: run(at) },
      details: { risk: 'low', code, reason: 'Look at line 2.' },
    })
  const failed = (at: number, kind: string) =>
    kit.audit.record({
      ...finished(run(at), {}),
      details: { risk: 'low', sandbox: 'local', success: false, error: { kind, name: 'SomeError' } },
    })
  await refused(1, 'run.syntax')
  await failed(2, 'syntax')
  await refused(3, 'policy.blocked')
  await failed(4, 'runtime')
  const seqs = async (filter: Parameters<typeof kit.audit.count>[0]) =>
    (await kit.audit.query({ filter })).items.map(({ entry }) => entry.seq).reverse()
  await seqs({})
  return { ...kit, seqs }
}

it('what the compiler rejected counts neither as failed nor as denied', async () => {
  const { seqs, audit } = await withEach()
  expect(await seqs({ results: ['syntax'] })).toEqual([1, 2])
  expect(await seqs({ results: ['refused'] })).toEqual([3])
  expect(await seqs({ results: ['failure'] })).toEqual([4])
  expect(await seqs({ results: ['syntax'], text: 'line' })).toEqual([1])
  expect(await audit.count({ results: ['syntax', 'failure'], risks: ['low'] })).toEqual({ count: 3, more: false })
  const { totals } = await audit.report({ scope: { kind: 'all' }, actor: null })
  expect(totals).toMatchObject({ runs: 4, syntax: 2, refused: 1, failure: 1, success: 0 })
})

it('what was indexed before that is found in the same way, and no entry is changed for it', async () => {
  const { seqs, audit, storage } = await withEach()
  const entries = async () => storage.read.selectFrom('audit_entries').select(['seq', 'hash', 'entry']).execute()
  const before = await entries()
  const { items } = await audit.query({ filter: {} })
  await storage.write(async t => {
    await syntaxResults.down(t as never)
    for (const { entry } of items.filter(each => [1, 2].includes(each.entry.seq))) {
      const result = entry.seq === 1 ? 'refused' : 'failure'
      await removeWords(t, entry.seq)
      await insertWords(t, entry.seq, wordsOf(entry.details, []), facetWords({ ...facetsOf(entry), result }))
    }
  })
  expect(await seqs({ results: ['refused'] })).toEqual([1, 3])
  expect((await audit.verify()).findings).toMatchObject([{ kind: 'index', seq: 1, last: 2 }])

  await storage.write(t => syntaxResults.up(t as never))
  expect((await audit.verify()).findings).toEqual([])
  expect(await seqs({ results: ['syntax'] })).toEqual([1, 2])
  expect(await seqs({ results: ['refused', 'failure'], risks: ['low'] })).toEqual([3, 4])
  expect(await seqs({ results: ['syntax'], text: 'line' })).toEqual([1])
  expect(await seqs({ results: ['syntax'], text: 'SomeError' })).toEqual([2])
  expect(await seqs({ results: ['failure'], text: 'SomeError' })).toEqual([4])
  expect((await entries()).slice(0, before.length)).toEqual(before)
})
