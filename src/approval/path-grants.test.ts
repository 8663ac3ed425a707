import { describe, expect, it } from 'vitest'
import { forPath, pathGrantHours } from '../contract/network.ts'
import { anApproval, analyst, aRun, conversation, inspection, jail, must, otherPath, path, tenant } from './testing.ts'

const rule = 'https://api.example.org:443'
const asks = (network: readonly string[], on = path) =>
  aRun({ path: on, inspection: inspection(), code: 'print(1)', placement: { ...jail, network: [...network] } })
const ref = { tenant, conversation, path }

/** A path whose reviewer has signed for a host, for all of its runs, by a run that has used the decision. */
async function granted(policy = {}) {
  const kit = await anApproval({ policy })
  const { approval } = kit
  const rea = await kit.someone('Rea')
  const run = asks([forPath(rule)])
  const verdict = await approval.decide(run)
  if (verdict.kind !== 'waiting') throw new Error(`it is ${verdict.kind}`)
  const { id, subject } = verdict.request
  must(await approval.requests.decide(id, rea, { kind: 'approve', seen: subject }))
  expect(await approval.pathGrants(ref)).toEqual([])
  must(await approval.clear(id, run))
  const takeBack = () =>
    kit.audit.record({
      ...{ action: 'network.narrowed' as const, tenant, actor: analyst, conversation, path },
      details: { taken: [rule], kept: [] },
    })
  return { kit, approval, request: id, takeBack }
}

describe('what a path is granted', () => {
  it('holds for its later runs, for a day, and for no other path', async () => {
    const { kit, approval, request } = await granted()
    const until = kit.clock.now() + pathGrantHours * 3_600_000
    expect(await approval.pathGrants(ref)).toEqual([{ rule, until, request }])
    expect((await approval.decide(asks([rule]))).kind).toBe('cleared')
    expect((await approval.decide(asks([rule], otherPath))).kind).toBe('waiting')
    expect((await approval.decide(asks([rule, 'https://other.example.org:443']))).kind).toBe('waiting')
    await kit.clock.advance(pathGrantHours * 3_600_000)
    expect(await approval.pathGrants(ref)).toEqual([])
    expect((await approval.decide(asks([rule]))).kind).toBe('waiting')
  })

  it('ends when it is taken back, also for a run that was cleared and has not begun', async () => {
    const { approval, takeBack } = await granted()
    const cleared = await approval.decide(asks([rule]))
    if (cleared.kind !== 'cleared') throw new Error('it is asked about')
    await takeBack()
    expect(await approval.pathGrants(ref)).toEqual([])
    expect(await approval.verifyAtHandover(cleared.run, jail)).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining('taken back') },
    })
    expect((await approval.decide(asks([rule]))).kind).toBe('waiting')
  })

  it('stays taken back, however much else is taken back after it', async () => {
    const { kit, approval, takeBack } = await granted()
    kit.clock.advance(1000)
    await takeBack()
    await kit.storage.write(async t => {
      for (let n = 0; n < 201; n++)
        await kit.audit.append(t, {
          ...{ action: 'network.narrowed', tenant, actor: analyst, conversation, path },
          details: { taken: [`https://n${n}.example.org:443`], kept: [] },
        })
    })
    expect(await approval.pathGrants(ref)).toEqual([])
  })

  it('stays taken back where somebody has edited the index of the record', async () => {
    const { kit, approval, takeBack } = await granted()
    await takeBack()
    const { items } = await kit.audit.query({ filter: { actions: ['network.narrowed'] }, limit: 1 })
    await kit.audit.record({ action: 'audit.read', tenant, actor: analyst, details: {} })
    await kit.audit.query({ filter: {}, limit: 1 })
    await kit.storage.write(t =>
      t
        .deleteFrom('audit_index')
        .where('seq', '=', items[0]?.entry.seq ?? -1)
        .execute(),
    )
    expect(await approval.pathGrants(ref)).toEqual([])
  })

  it('answers no question that the policy wants answered by four eyes, or that it forbids', async () => {
    const { kit, approval } = await granted()
    const { policy, version } = await approval.policy.current()
    must(
      await approval.policy.save(
        { ...policy, operations: { ...policy.operations, network: 'block' } },
        analyst,
        version,
      ),
    )
    expect(await approval.decide(asks([rule]))).toMatchObject({ kind: 'refused', problem: { code: 'policy.blocked' } })
    expect((await kit.verified()).findings).toEqual([])
  })

  it('counts for nothing where the database was changed: another path, another rule, another hour', async () => {
    const { kit, approval, request } = await granted()
    const set = (column: 'path' | 'reviewer' | 'decision' | 'state', value: string) =>
      kit.storage.write(t =>
        t
          .updateTable('approval_requests')
          .set({ [column]: value })
          .where('id', '=', request)
          .execute(),
      )
    const row = await kit.storage.read
      .selectFrom('approval_requests')
      .selectAll()
      .where('id', '=', request)
      .executeTakeFirstOrThrow()
    await set('path', otherPath)
    expect(await approval.pathGrants({ ...ref, path: otherPath })).toEqual([])
    await set('path', path)
    const later = JSON.stringify({ ...JSON.parse(row.decision ?? ''), decidedAt: kit.clock.now() + 1000 })
    await set('decision', later)
    expect(await approval.pathGrants(ref)).toEqual([])
    await set('decision', row.decision ?? '')
    expect(await approval.pathGrants(ref)).toHaveLength(1)
    // Approved and never used: nobody's run has brought it before the gate.
    await set('state', 'approved')
    expect(await approval.pathGrants(ref)).toEqual([])
  })
})
