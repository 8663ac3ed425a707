import { describe, expect, it } from 'vitest'
import type { ApprovalEvent } from '../contract/approval.ts'
import type { RequestId } from '../contract/ids.ts'
import { Placement, SandboxFacts } from '../contract/placement.ts'
import { Failure } from '../contract/problem.ts'
import type { ToolGrant } from '../contract/tools.ts'
import { createApproval } from './approval.ts'
import { anApproval, analyst, aRun, codeOf, inspection, jail, must, requestOf, violation } from './testing.ts'

const approved = async (kit: Awaited<ReturnType<typeof anApproval>>, run = aRun()) => {
  const request = await kit.waiting(run)
  return must(
    await kit.approval.requests.decide(request.id, await kit.ana(), { kind: 'approve', seen: request.subject }),
  )
}

describe('the gate', () => {
  it('lets code of low risk go ahead by policy, with the reason', async () => {
    const { approval, entries } = await anApproval()
    const before = entries.length
    const verdict = await approval.decide(aRun({ inspection: inspection(), code: 'echo 1' }))
    if (verdict.kind !== 'cleared') throw new Error('not cleared')
    expect(verdict.run.decision).toMatchObject({ by: 'policy', verdict: 'approve', signature: null })
    expect(verdict.run.decision.reasons.map(reason => reason.text)).toEqual(['Code of low risk goes ahead.'])
    expect(must(await approval.verifyAtHandover(verdict.run, jail)).code).toBe('echo 1')
    expect(entries.length).toBe(before)
  })

  it('puts risky code in the queue and clears it once a reviewer has signed', async () => {
    const kit = await anApproval()
    const run = aRun()
    const request = await kit.waiting(run)
    expect(request).toMatchObject({ state: 'waiting', risk: 'high', code: 'rm -r out/', needs: 'approve' })
    expect(codeOf(await kit.approval.clear(request.id, run))).toBe('approval.undecided')
    const seen = request.subject
    must(await kit.approval.requests.decide(request.id, await kit.ana(), { kind: 'approve', seen, comment: 'fine' }))
    const cleared = must(await kit.approval.clear(request.id, run))
    expect(cleared.decision).toMatchObject({ by: 'reviewer', reviewer: analyst, comment: 'fine', subject: seen })
    expect(must(await kit.approval.verifyAtHandover(cleared, jail)).code).toBe(run.code)
    expect(kit.actions()).toEqual([
      'identity.created',
      'approval.requested',
      'approval.rejected',
      'reviewer.logged-in',
      'approval.decided',
      'approval.changed',
    ])
  })

  it('uses a decision that was made earlier when the same cell is run again, once', async () => {
    const kit = await anApproval()
    await approved(kit)
    const again = await kit.approval.decide(aRun())
    expect(again.kind).toBe('cleared')
    expect((await kit.approval.decide(aRun())).kind).toBe('waiting')
  })

  it('does not ask twice about the same thing, but opens the dialog again', async () => {
    const kit = await anApproval()
    const first = await kit.waiting()
    await kit.approval.requests.decide(first.id, await kit.ana(), { kind: 'later' })
    const second = await kit.waiting()
    expect(second.id).toBe(first.id)
    expect(second.state).toBe('waiting')
    const both = await Promise.all([kit.waiting(aRun({ code: 'x' })), kit.waiting(aRun({ code: 'x' }))])
    expect(both[0].id).toBe(both[1].id)
  })

  it('refuses what the policy blocks, whoever would approve', async () => {
    const kit = await anApproval({ policy: { blocked: { imports: ['os'] } } })
    const run = aRun({ inspection: inspection({ imports: ['os.path'] }) })
    const verdict = await kit.approval.decide(run)
    expect(verdict).toMatchObject({ kind: 'refused', problem: { code: 'policy.blocked' } })
    expect(verdict.kind === 'refused' && verdict.problem.message).toContain('os.path')
  })

  it('refuses a run that is not one, with the field that is wrong', async () => {
    const { approval } = await anApproval()
    const wrong = [
      aRun({ code: 'x'.repeat(100 * 1024 + 1) }),
      aRun({ code: 'half a character: \ud800' }),
      aRun({ args: ['a\0b'] }),
      aRun({ env: { 'BAD NAME': '1' } }),
      aRun({ requester: 'me' as never }),
    ]
    for (const run of wrong) {
      const verdict = await approval.decide(run)
      expect(verdict).toMatchObject({ kind: 'refused', problem: { code: 'request.invalid' } })
    }
  })
})

describe('a decision', () => {
  it('counts for one run: replayed, it is refused and the attempt is on the record', async () => {
    const kit = await anApproval()
    const request = await approved(kit)
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('ok')
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('approval.used')
    expect(kit.entries.at(-1)).toMatchObject({
      action: 'approval.rejected',
      request: request.id,
      details: { attempt: 'use', code: 'approval.used' },
    })
  })

  it('clears only one of many runs that claim it at the same moment', async () => {
    const kit = await anApproval()
    const request = await approved(kit)
    const claims = await Promise.all(Array.from({ length: 10 }, () => kit.approval.clear(request.id, aRun())))
    expect(claims.map(codeOf).filter(code => code === 'ok')).toHaveLength(1)
  })

  it('survives a restart, and so does its having been used', async () => {
    const kit = await anApproval()
    const request = await approved(kit)
    const next = createApproval(kit.parts)
    expect(codeOf(await next.clear(request.id, aRun()))).toBe('ok')
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('approval.used')
    await next.close()
  })

  it('expires: neither an old request can be decided nor an old approval used', async () => {
    const kit = await anApproval({ policy: { requestHours: 1 } })
    const ana = await kit.ana()
    const request = await kit.waiting()
    const other = await approved(kit, aRun({ code: 'rm -r other/' }))
    kit.clock.advance(3_600_000)
    const verdict = { kind: 'approve', seen: request.subject } as const
    expect(codeOf(await kit.approval.requests.decide(request.id, ana, verdict))).toBe('approval.expired')
    const late = await kit.approval.clear(other.id, aRun({ code: 'rm -r other/' }))
    expect(codeOf(late)).toBe('approval.expired')
    expect(kit.actions().filter(action => action === 'approval.expired')).toHaveLength(2)
    expect(kit.actions().filter(action => action === 'approval.rejected')).toHaveLength(2)
  })

  it('does not count when the policy has changed since', async () => {
    const kit = await anApproval()
    const request = await approved(kit)
    const { version } = await kit.approval.policy.current()
    must(await kit.approval.policy.save({ dialogSeconds: 30 }, analyst, version))
    const outcome = await kit.approval.clear(request.id, aRun())
    expect(outcome).toMatchObject({ ok: false, problem: { code: 'approval.mismatch' } })
    expect(!outcome.ok && outcome.problem.message).toContain('the policy')
  })

  it('is not kept when it cannot be put on the record', async () => {
    const kit = await anApproval()
    const request = await kit.waiting()
    const ana = await kit.ana()
    kit.recorder.append = async () => {
      throw new Failure('storage.full', 'full', 'free some space')
    }
    const verdict = { kind: 'approve', seen: request.subject } as const
    await expect(kit.approval.requests.decide(request.id, ana, verdict)).rejects.toThrow('full')
    const row = await kit.storage.read.selectFrom('approval_requests').select(['state', 'decision']).executeTakeFirst()
    expect(row).toEqual({ state: 'waiting', decision: null })
  })
})

describe('handover to the sandbox', () => {
  it('passes once for each clearance', async () => {
    const { approval, actions } = await anApproval()
    const verdict = await approval.decide(aRun({ inspection: inspection() }))
    if (verdict.kind !== 'cleared') throw new Error('not cleared')
    const twice = await Promise.all([
      approval.verifyAtHandover(verdict.run, jail),
      approval.verifyAtHandover(verdict.run, jail),
    ])
    expect(twice.map(codeOf).sort()).toEqual(['approval.used', 'ok'])
    expect(actions().at(-1)).toBe('approval.rejected')
  })

  it('hashes the bytes again: one changed byte does not run', async () => {
    const kit = await anApproval()
    const run = aRun()
    const request = await approved(kit, run)
    const cleared = must(await kit.approval.clear(request.id, run))
    expect(Object.isFrozen(cleared) && Object.isFrozen(cleared.inspection.violations[0])).toBe(true)
    const outcome = await kit.approval.verifyAtHandover({ ...cleared, code: 'rm -r out/ ' }, jail)
    expect(outcome).toMatchObject({ ok: false, problem: { code: 'approval.mismatch' } })
    expect(!outcome.ok && outcome.problem.message).toContain('the code')
  })

  const other: { [Field in keyof Placement]-?: Placement[Field] } = {
    kind: 'docker',
    isolation: 'unconfined',
    image: 'sha256:other',
    environment: { name: 'another', version: '3.11.2', digest: 'sha256:other' },
    mounts: [{ source: '/home', target: '/in', writable: true }],
    network: ['example.org:443'],
    limits: { ...jail.limits, memoryBytes: 2 ** 40 },
    aside: true,
    tools: [
      {
        server: 'ledger',
        tool: 'list_entries',
        calledAs: { server: 'ledger', tool: 'list_entries' },
        hash: 'a'.repeat(64) as ToolGrant['hash'],
        description: 'Lists entries.',
        effect: 'reads',
      },
    ],
    reasons: ['Because.'],
    warnings: ['Beware.'],
  }

  it.each(Object.keys(SandboxFacts.shape) as (keyof SandboxFacts)[])(
    'refuses a sandbox whose %s is not the one that was approved',
    async field => {
      const kit = await anApproval()
      const request = await approved(kit)
      const cleared = must(await kit.approval.clear(request.id, aRun()))
      const outcome = await kit.approval.verifyAtHandover(cleared, { ...jail, [field]: other[field] })
      expect(codeOf(outcome)).toBe('approval.mismatch')
      expect(kit.entries.at(-1)).toMatchObject({ action: 'approval.rejected', details: { attempt: 'handover' } })
    },
  )

  it.each(Object.keys(Placement.shape) as (keyof Placement)[])(
    'refuses a run whose placement has another %s than was approved, at clearing and at the handover',
    async field => {
      const kit = await anApproval()
      const request = await approved(kit)
      const moved = { placement: { ...jail, [field]: other[field] } }
      expect(codeOf(await kit.approval.clear(request.id, aRun(moved)))).toBe('approval.mismatch')
      const cleared = must(await kit.approval.clear(request.id, aRun()))
      expect(codeOf(await kit.approval.verifyAtHandover({ ...cleared, ...moved }, jail))).toBe('approval.mismatch')
    },
  )

  it('refuses a run that was dressed up as cleared elsewhere', async () => {
    const { approval } = await anApproval()
    const real = await approval.decide(aRun({ inspection: inspection() }))
    if (real.kind !== 'cleared') throw new Error('not cleared')
    const { decision } = real.run
    const forged = { ...real.run, decision: { ...decision, nonce: '0'.repeat(32) } }
    expect(codeOf(await approval.verifyAtHandover(forged, jail))).toBe('approval.used')
  })

  it('refuses a clearance that grew too old while it was queued', async () => {
    const kit = await anApproval({ policy: { requestHours: 1 } })
    const verdict = await kit.approval.decide(aRun({ inspection: inspection() }))
    if (verdict.kind !== 'cleared') throw new Error('not cleared')
    kit.clock.advance(3_600_000)
    expect(codeOf(await kit.approval.verifyAtHandover(verdict.run, jail))).toBe('approval.expired')
  })
})

describe('events', () => {
  it('tell of a change only when it is durable, and carry no code and no environment', async () => {
    const kit = await anApproval()
    const events: ApprovalEvent[] = []
    kit.approval.subscribe(event => events.push(event))
    const request = await kit.waiting(aRun({ env: { TOKEN: 'hush' } }))
    await approvedState(kit, request.id, request.subject)
    expect(events.map(event => event.type === 'request' && event.request.state)).toEqual(['waiting', 'approved'])
    expect(JSON.stringify(events)).not.toContain('hush')
    kit.recorder.append = async () => {
      throw new Error('no')
    }
    await expect(kit.waiting(aRun({ code: 'rm -r more/' }))).rejects.toThrow('no')
    expect(events).toHaveLength(2)
  })

  it('do not make a decision look undone when a listener fails', async () => {
    const kit = await anApproval()
    kit.approval.subscribe(() => {
      throw new Error('a broken window')
    })
    const request = await kit.waiting()
    expect((await approvedState(kit, request.id, request.subject)).state).toBe('approved')
    expect(kit.problems.length).toBeGreaterThan(0)
  })
})

async function approvedState(kit: Awaited<ReturnType<typeof anApproval>>, id: RequestId, seen: string) {
  return must(await kit.approval.requests.decide(id, await kit.ana(), { kind: 'approve', seen }))
}

describe('the whole with the real record', () => {
  it('writes entries that the record accepts and verifies', async () => {
    const kit = await anApproval()
    const { storage, approval, audit } = kit
    const run = aRun({
      env: { TOKEN: 'hush' },
      inspection: inspection({ risk: 'critical', violations: [violation('eval')] }),
    })
    const request = requestOf(await approval.decide(run))
    const ana = must(await approval.identities.logIn(analyst))
    must(await approval.requests.comment(request.id, ana, 'looks fine'))
    must(await approval.requests.decide(request.id, ana, { kind: 'approve', seen: request.subject }))
    must(await approval.clear(request.id, run))
    expect(await audit.verify()).toMatchObject({ ok: true })
    const rows = await storage.read.selectFrom('audit_entries').select('entry').execute()
    expect(rows.length).toBeGreaterThanOrEqual(5)
    expect(JSON.stringify(rows)).not.toContain('hush')
  })
})
