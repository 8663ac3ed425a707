import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuditFilter, AuditItem } from '../contract/audit.ts'
import { ConversationId, PathId, RunId } from '../contract/ids.ts'
import type { Audit } from './audit.ts'
import { ana, bea, finished, renamed, temporaryAudit, tenant } from './testing.ts'

const run = (at: number) => RunId.parse(`01900000-0000-7000-8000-${String(at).padStart(12, '0')}`)

/** Runs of every kind, spread over time, with words to look for. */
async function varied() {
  const record = await temporaryAudit()
  const { audit, storage, clock } = record
  await storage.write(async t => {
    for (let at = 0; at < 120; at++) {
      clock.set(Date.UTC(2026, 2, 1) + at * 60_000)
      await audit.append(t, {
        ...finished(run(at), {
          risk: ['low', 'medium', 'high', 'critical'][at % 4] ?? '',
          sandbox: at % 3 === 0 ? 'docker' : 'local',
          success: at % 5 !== 0,
          codeHash: String(at % 7).repeat(64),
        }),
        actor: at % 2 === 0 ? ana : bea,
        bodies: { code: `total_${at % 10} = exposure * weight\nprint("número ${at}")` },
      })
    }
  })
  return record
}

const seqs = (items: readonly AuditItem[]) => items.map(item => item.entry.seq)

describe('query', () => {
  it('gives the newest first, page after page, each entry once', async () => {
    const { audit } = await varied()
    const seen: number[] = []
    let after: { at: number; seq: number } | undefined
    do {
      const page = await audit.query({ limit: 17, ...(after && { after }) })
      seen.push(...seqs(page.items))
      after = page.next ?? undefined
    } while (after)
    expect(seen).toHaveLength(121)
    expect(new Set(seen).size).toBe(121)
    expect(seen.filter(seq => seq > 0)).toEqual(Array.from({ length: 120 }, (_, at) => 120 - at))
  })

  it('tells how the code of each entry begins, and of a decision the code that it is about', async () => {
    const { audit, storage } = await temporaryAudit()
    const code = `\n\n  rate = 0.05\nprint(rate)\n${'# more\n'.repeat(100)}`
    await storage.write(async t => {
      await audit.append(t, { action: 'approval.requested', tenant, actor: ana, run: run(1), details: {} })
      await audit.append(t, { action: 'run.intended', tenant, actor: ana, run: run(1), details: {}, bodies: { code } })
      await audit.append(t, { action: 'approval.requested', tenant, actor: ana, run: run(2), details: {} })
      const long = { code: 'x'.repeat(5_000) }
      await audit.append(t, { action: 'run.refused', tenant, actor: ana, run: run(3), details: {}, bodies: long })
    })
    const lines = (await audit.query({ limit: 4 })).items.map(({ entry, codeLine }) => [entry.action, codeLine])
    expect(lines).toEqual([
      ['run.refused', `${'x'.repeat(160)}…`],
      ['approval.requested', undefined],
      ['run.intended', 'rate = 0.05'],
      ['approval.requested', 'rate = 0.05'],
    ])
  })

  it('finds with any filters what looking at every entry finds', async () => {
    const { audit } = await varied()
    const all = (await audit.query({ limit: 500 })).items
    const base = Date.UTC(2026, 2, 1)
    const filters: fc.Arbitrary<AuditFilter> = fc.record(
      {
        from: fc.nat(120).map(minute => base + minute * 60_000),
        to: fc.nat(120).map(minute => base + minute * 60_000),
        risks: fc.subarray(['low', 'high', 'critical'] as const, { minLength: 1 }).map(each => [...each]),
        results: fc.subarray(['success', 'failure'] as const, { minLength: 1 }).map(each => [...each]),
        sandboxes: fc.constantFrom(['local' as const], ['docker' as const], ['local' as const, 'e2b' as const]),
        actors: fc.constantFrom([ana], [bea], [ana, bea]),
        actions: fc.constantFrom(['run.finished' as const], ['run.finished' as const, 'run.refused' as const]),
        codeHash: fc.nat(7).map(digit => String(digit).repeat(64)),
        text: fc.constantFrom('exposure', 'total_3', 'print*', '"exposure weight"', 'numero'),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(filters, async filter => {
        const found = (await audit.query({ filter, limit: 500 })).items
        expect(seqs(found)).toEqual(seqs(all.filter(item => matches(item, filter))))
        expect(await audit.count(filter)).toEqual({ count: found.length, more: false })
      }),
      { numRuns: 80 },
    )
  })

  it.each(['"', '*', 'AND', 'NOT', 'text:', 'a"b', '(', 'x NEAR y', '-1', '\0', '🙂', 'col : x'])(
    'takes %j as plain text, whatever the query language makes of it',
    async text => {
      const { audit } = await temporaryAudit()
      await expect(audit.query({ filter: { text } })).resolves.toMatchObject({ next: null })
    },
  )

  it('is not fooled by a text that looks like a filter', async () => {
    const { audit } = await temporaryAudit()
    await audit.record(finished(run(1), { risk: 'low', note: 'exposure qzriskcritical' }))
    await audit.record(finished(run(2), { risk: 'critical', note: 'exposure' }))
    const found = await audit.query({ filter: { text: 'exposure', risks: ['critical'] } })
    expect(seqs(found.items)).toEqual([2])
  })

  it('finds an entry by the time at which it was written, also when the clock was set back', async () => {
    const { audit, clock } = await temporaryAudit()
    const noon = clock.now()
    await audit.record(renamed('at noon'))
    clock.set(noon - 7_200_000)
    await audit.record(renamed('at ten'))
    clock.set(noon + 1000)
    await audit.record(renamed('after noon'))
    const found = await audit.query({ filter: { from: noon - 7_200_000, to: noon - 1, text: 'at' } })
    expect(found.items.map(item => item.entry.details)).toEqual([{ title: 'at ten' }])
  })

  it('lays two broad filters over each other, and counts what they share', async () => {
    const { audit, storage } = await temporaryAudit()
    const place = (digit: number) => ({
      conversation: ConversationId.parse(`01900000-0000-7000-8000-0000000000c${digit}`),
      path: PathId.parse(`01900000-0000-7000-8000-0000000000d${digit}`),
    })
    await storage.write(async transaction => {
      for (let at = 0; at < 4600; at++) {
        const meets = at % 1000 === 0
        const event = { ...renamed(`title ${at}`, at % 2 === 0 ? ana : bea), ...place(meets || at % 2 === 1 ? 1 : 2) }
        await audit.append(transaction, event)
      }
    })
    for (const filter of [place(1), { path: place(1).path }, { conversation: place(1).conversation }]) {
      const both = { actors: [ana], ...filter }
      const { items } = await audit.query({ filter: both, limit: 3 })
      expect(seqs(items)).toEqual([4001, 3001, 2001])
      const after = { at: items[2]?.entry.at ?? 0, seq: 2001 }
      expect(seqs((await audit.query({ filter: both, after })).items)).toEqual([1001, 1])
      expect(await audit.count(both)).toEqual({ count: 5, more: false })
    }
  })

  it('counts, and stops counting where nobody would read on', async () => {
    const { audit } = await varied()
    expect(await audit.count({ risks: ['critical'] })).toEqual({ count: 30, more: false })
  })

  it('shows an intent without an outcome as interrupted once it cannot be running any more', async () => {
    const { audit, clock, file, close } = await temporaryAudit()
    const intended = (id: RunId) => ({ ...finished(id, {}), action: 'run.intended' as const })
    await audit.record(intended(run(1)))
    await audit.record(finished(run(1), { success: true }))
    await audit.record(intended(run(2)))
    const states = async (of: Audit) =>
      (await of.query({ filter: { actions: ['run.intended'] } })).items.map(item => item.runState)
    expect(await states(audit)).toEqual(['running', 'finished'])
    await close()
    const again = await temporaryAudit(clock, file)
    expect(await states(again.audit)).toEqual(['interrupted', 'finished'])
    await again.audit.record(intended(run(3)))
    expect(await states(again.audit)).toEqual(['running', 'interrupted', 'finished'])
    clock.advance(3_600_000)
    expect(await states(again.audit)).toEqual(['interrupted', 'interrupted', 'finished'])
  })
})

function matches({ entry }: AuditItem, filter: AuditFilter): boolean {
  const details = entry.details as { risk?: string; sandbox?: string; success?: boolean; codeHash?: string }
  const number = entry.seq - 1
  const words = { exposure: true, total_3: number % 10 === 3, 'print*': true, '"exposure weight"': true, numero: true }
  const result = details.success ? 'success' : 'failure'
  return (
    (filter.from === undefined || entry.at >= filter.from) &&
    (filter.to === undefined || entry.at <= filter.to) &&
    (!filter.risks || filter.risks.some(each => each === details.risk)) &&
    (!filter.results || (details.success !== undefined && filter.results.some(each => each === result))) &&
    (!filter.sandboxes || filter.sandboxes.some(each => each === details.sandbox)) &&
    (!filter.actors || filter.actors.some(each => each === entry.actor)) &&
    (!filter.actions || filter.actions.includes(entry.action)) &&
    (!filter.codeHash || filter.codeHash === details.codeHash) &&
    (!filter.text || (number >= 0 && words[filter.text as keyof typeof words]))
  )
}
