import { generateKeyPairSync, sign } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest, Decision, SignedStatement } from '../contract/approval.ts'
import { RequestId, type UserId } from '../contract/ids.ts'
import type { Transaction } from '../storage/storage.ts'
import type { ApprovalRequestsTable, ApprovalRevisionsTable } from '../storage/tables/approval.ts'
import { createApproval } from './approval.ts'
import { canonicalJson, sha256 } from './canonical.ts'
import { isSignedBy, statementText } from './decision.ts'
import { createIdentities } from './identities.ts'
import { anApproval, analyst, aRun, codeOf, jail, must, otherPath, risky } from './testing.ts'

type Kit = Awaited<ReturnType<typeof anApproval>>

/** Someone who can write to the database, but does not have a reviewer's key. */
const tamper = (kit: Kit) => ({
  request: (set: Partial<ApprovalRequestsTable>) =>
    kit.storage.write(t => t.updateTable('approval_requests').set(set).execute()),
  revision: (set: Partial<ApprovalRevisionsTable>) =>
    kit.storage.write(t => t.updateTable('approval_revisions').set(set).execute()),
  publicKey: (id: UserId, key: string) =>
    kit.storage.write(t => t.updateTable('identities').set({ public_key: key }).where('id', '=', id).execute()),
})

/** Takes the guards of the tables away first. */
const setBack = (kit: Kit, work: (t: Transaction) => Promise<void>) =>
  kit.storage.write(async t => {
    const { rows } = await sql<{ name: string }>`select name from sqlite_master where type = 'trigger'`.execute(t)
    for (const { name } of rows) await sql`drop trigger ${sql.ref(name)}`.execute(t)
    await work(t)
  })

async function approvedRequest(kit: Kit): Promise<ApprovalRequest> {
  const request = await kit.waiting()
  return must(
    await kit.approval.requests.decide(request.id, await kit.ana(), { kind: 'approve', seen: request.subject }),
  )
}

const decisionOf = (request: ApprovalRequest): Decision => {
  if (!request.decision) throw new Error('not decided')
  return request.decision
}

function forge(request: ApprovalRequest, change: Partial<Decision> = {}) {
  const pair = generateKeyPairSync('ed25519')
  const statement: SignedStatement = {
    format: 'countersign.decision.1',
    verdict: 'approve',
    request: request.id,
    subject: request.subject,
    reviewer: analyst,
    comment: '',
    decidedAt: 1,
  }
  const decision: Decision = {
    verdict: 'approve',
    by: 'reviewer',
    reviewer: analyst,
    request: request.id,
    subject: request.subject,
    signature: sign(null, Buffer.from(statementText(statement)), pair.privateKey).toString('base64'),
    comment: '',
    decidedAt: 1,
    policy: '0'.repeat(64),
    reasons: [],
    nonce: '0'.repeat(32),
    expiresAt: request.expiresAt,
    ...change,
  }
  return { decision, publicKey: pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64') }
}

describe('someone with the database but without the key', () => {
  it('cannot approve by setting the state', async () => {
    const kit = await anApproval()
    const request = await kit.waiting()
    await tamper(kit).request({ state: 'approved' })
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('approval.forged')
    expect(kit.entries.at(-1)).toMatchObject({ action: 'approval.rejected', details: { code: 'approval.forged' } })
  })

  it('cannot sign with a key of their own, not even after swapping the public key', async () => {
    const kit = await anApproval()
    const request = await kit.waiting()
    const { decision, publicKey } = forge(request)
    const set = { state: 'approved' as const, decision: JSON.stringify(decision), reviewer: analyst, decided_at: 1 }
    await tamper(kit).request(set)
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('approval.forged')
    await tamper(kit).publicKey(analyst, publicKey)
    expect(isSignedBy(publicKey, decision)).toBe(true)
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('approval.forged')
  })

  it('cannot make an approval of a denial', async () => {
    const kit = await anApproval()
    const request = await kit.waiting()
    const denied = must(await kit.approval.requests.decide(request.id, await kit.ana(), { kind: 'deny' }))
    const decision = { ...decisionOf(denied), verdict: 'approve' as const }
    await tamper(kit).request({ state: 'approved', decision: JSON.stringify(decision) })
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('approval.forged')
  })

  it('cannot use a decision again by setting the state back', async () => {
    const kit = await anApproval()
    const request = await approvedRequest(kit)
    const cleared = must(await kit.approval.clear(request.id, aRun()))
    must(await kit.approval.verifyAtHandover(cleared, jail))
    await tamper(kit).request({ state: 'approved' })
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('approval.used')
  })

  it('cannot use a decision again by putting all tables of the approval back as they were', async () => {
    const kit = await anApproval()
    const request = await approvedRequest(kit)
    const tables = ['approval_requests', 'approval_revisions'] as const
    const before = await Promise.all(tables.map(table => kit.storage.read.selectFrom(table).selectAll().execute()))
    must(await kit.approval.clear(request.id, aRun()))
    await setBack(kit, async t => {
      for (const [place, table] of tables.entries()) {
        await t.deleteFrom(table).execute()
        await t
          .insertInto(table)
          .values(before[place] as never)
          .execute()
      }
      // Who knows where it is looked up takes it out of the index of the record too.
      await t.deleteFrom('audit_index').execute()
    })
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('approval.used')
    const later = createApproval({ ...kit.parts, audit: await kit.reopenedAudit() })
    expect(codeOf(await later.clear(request.id, aRun()))).toBe('approval.used')
    await later.close()
  })

  it.each([
    ['emptied', (seq: number) => sql`update audit_entries set entry = null where seq = ${seq}`],
    [
      'changed',
      (seq: number) => sql`update audit_entries set entry = replace(entry, 'used', 'read') where seq = ${seq}`,
    ],
    ['removed', (seq: number) => sql`delete from audit_entries where seq = ${seq}`],
    ['cut off with all that follows', (seq: number) => sql`delete from audit_entries where seq >= ${seq}`],
  ])('cannot use a decision again when the entry that tells of its use is %s', async (_, change) => {
    const kit = await anApproval()
    const request = await approvedRequest(kit)
    must(await kit.approval.clear(request.id, aRun()))
    const rows = await kit.storage.read.selectFrom('audit_entries').select(['seq', 'entry']).execute()
    const used = rows.find(row => row.entry?.includes('"change":"used"'))?.seq ?? -1
    await setBack(kit, async t => {
      await t.updateTable('approval_requests').set({ state: 'approved' }).execute()
      await change(used).execute(t)
    })
    const later = createApproval({ ...kit.parts, audit: await kit.reopenedAudit() })
    expect(codeOf(await later.clear(request.id, aRun()))).toBe('audit.damaged')
    await later.close()
  })

  it('cannot use a decision that is not on the record, though its reviewer once signed it', async () => {
    const kit = await anApproval()
    const request = await kit.waiting()
    kit.recorder.append = async () => undefined
    must(await kit.approval.requests.decide(request.id, await kit.ana(), { kind: 'approve', seen: request.subject }))
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('approval.forged')
  })

  it('cannot move a decision to other code, another request or another path', async () => {
    const kit = await anApproval()
    const request = await approvedRequest(kit)
    const other = aRun({ path: otherPath })
    const onOther = await kit.approval.clear(request.id, other)
    expect(!onOther.ok && onOther.problem.message).toContain('the path')
    const second = await kit.waiting(other)
    const set = { state: 'approved' as const, decision: JSON.stringify(request.decision), reviewer: analyst }
    await kit.storage.write(t => t.updateTable('approval_requests').set(set).where('id', '=', second.id).execute())
    expect(codeOf(await kit.approval.clear(second.id, other))).toBe('approval.forged')
    await tamper(kit).revision({ code: 'rm -rf /' })
    expect(codeOf(await kit.approval.clear(request.id, aRun({ code: 'rm -rf /' })))).toBe('approval.forged')
  })

  it('cannot copy an approved request to have a second one', async () => {
    const kit = await anApproval()
    const request = await approvedRequest(kit)
    const copy = kit.parts.ids.make(RequestId)
    await kit.storage.write(async t => {
      const row = await t.selectFrom('approval_requests').selectAll().executeTakeFirstOrThrow()
      const revision = await t.selectFrom('approval_revisions').selectAll().executeTakeFirstOrThrow()
      await t
        .insertInto('approval_requests')
        .values({ ...row, id: copy })
        .execute()
      await t
        .insertInto('approval_revisions')
        .values({ ...revision, request: copy })
        .execute()
    })
    expect(codeOf(await kit.approval.clear(copy, aRun()))).toBe('approval.forged')
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('ok')
  })

  it('cannot rewrite the subject along with its hash', async () => {
    const kit = await anApproval()
    const request = await approvedRequest(kit)
    const row = await kit.storage.read.selectFrom('approval_revisions').select('subject').executeTakeFirstOrThrow()
    const subject = canonicalJson({ ...JSON.parse(row.subject), code: sha256('rm -rf /') })
    await tamper(kit).revision({ code: 'rm -rf /', subject, subject_hash: sha256(subject) })
    expect(codeOf(await kit.approval.clear(request.id, aRun({ code: 'rm -rf /' })))).toBe('approval.forged')
  })

  it('cannot prolong a request', async () => {
    const kit = await anApproval({ policy: { requestHours: 1 } })
    const request = await approvedRequest(kit)
    await tamper(kit).request({ expires_at: request.expiresAt * 2 })
    kit.clock.advance(3_600_000)
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('approval.forged')
  })

  it('cannot show a reviewer other code or fewer findings than they would sign for', async () => {
    const kit = await anApproval()
    const request = await kit.waiting()
    const verdict = { kind: 'approve', seen: request.subject } as const
    await tamper(kit).revision({ code: 'ls' })
    expect(codeOf(await kit.approval.requests.decide(request.id, await kit.ana(), verdict))).toBe('approval.forged')
    const harmless = JSON.stringify({ ...request.inspection, violations: [] })
    await tamper(kit).revision({ code: request.code, inspection: harmless })
    expect(codeOf(await kit.approval.requests.decide(request.id, await kit.ana(), verdict))).toBe('approval.forged')
    await tamper(kit).revision({ inspection: JSON.stringify(request.inspection) })
    expect(codeOf(await kit.approval.requests.decide(request.id, await kit.ana(), verdict))).toBe('ok')
  })

  it('cannot take the reasons away, or make unread code look read', async () => {
    const kit = await anApproval()
    const run = aRun({ inspection: { ...risky, complete: false } })
    const request = await kit.waiting(run)
    const verdict = { kind: 'approve', seen: request.subject } as const
    const answer = async () => codeOf(await kit.approval.requests.decide(request.id, await kit.ana(), verdict))
    const asked = { inspection: JSON.stringify(request.inspection), reasons: JSON.stringify(request.reasons) }
    for (const change of [
      { reasons: '[]' },
      { reasons: JSON.stringify(request.reasons.slice(1)) },
      { inspection: JSON.stringify({ ...request.inspection, complete: true }) },
      { inspection: JSON.stringify({ ...request.inspection, imports: ['os'] }) },
    ]) {
      await tamper(kit).revision({ ...asked, ...change })
      expect(await answer()).toBe('approval.forged')
    }
    await tamper(kit).revision(asked)
    await tamper(kit).request({ risk: 'low' })
    expect(await answer()).toBe('approval.forged')
    await tamper(kit).request({ risk: 'high' })
    expect(await answer()).toBe('ok')
    await tamper(kit).revision({ reasons: '[]' })
    expect(codeOf(await kit.approval.clear(request.id, run))).toBe('approval.forged')
  })
})

describe('four eyes', () => {
  const policy = { fourEyes: { from: 'medium' } } as const

  it('are not taken away by a request that says it needs none, and that is on the record', async () => {
    const kit = await anApproval({ policy })
    const request = await kit.waiting()
    expect(request.needs).toBe('four-eyes')
    await tamper(kit).request({ needs: 'approve' })
    const verdict = { kind: 'approve', seen: request.subject } as const
    expect(codeOf(await kit.approval.requests.decide(request.id, await kit.ana(), verdict))).toBe('approval.forged')
    expect(kit.entries.at(-1)).toMatchObject({ action: 'approval.rejected', details: { code: 'approval.forged' } })
  })

  it('are asked of the policy again, also where the whole subject was rewritten', async () => {
    const kit = await anApproval({ policy })
    const request = await kit.waiting()
    const row = await kit.storage.read.selectFrom('approval_revisions').select('subject').executeTakeFirstOrThrow()
    const reasons = request.reasons.filter(reason => reason.kind !== 'four-eyes')
    const subject = canonicalJson({ ...JSON.parse(row.subject), reasons })
    const seen = sha256(subject)
    await tamper(kit).revision({ subject, subject_hash: seen, reasons: JSON.stringify(reasons) })
    await tamper(kit).request({ needs: 'approve' })
    const answer = await kit.approval.requests.decide(request.id, await kit.ana(), { kind: 'approve', seen })
    expect(codeOf(answer)).toBe('approval.four-eyes')
    expect(kit.entries.at(-1)).toMatchObject({ action: 'approval.rejected', details: { code: 'approval.four-eyes' } })
  })

  it('count everyone who wrote, whatever the table of revisions says of them now', async () => {
    const kit = await anApproval({ policy })
    const asked = await kit.waiting()
    const rea = await kit.someone('Rea')
    const edit = { kind: 'edit', seen: asked.subject, code: 'rm -r old/' } as const
    const edited = must(await kit.approval.requests.decide(asked.id, rea, edit))
    const verdict = { kind: 'approve', seen: edited.subject } as const
    expect(codeOf(await kit.approval.requests.decide(asked.id, rea, verdict))).toBe('approval.four-eyes')
    await tamper(kit).revision({ author: analyst })
    expect(codeOf(await kit.approval.requests.decide(asked.id, rea, verdict))).toBe('approval.four-eyes')
  })

  it('are counted again when the decision is used', async () => {
    const kit = await anApproval({ policy })
    const request = await kit.waiting()
    const ana = await kit.ana()
    const statement: SignedStatement = {
      format: 'countersign.decision.1',
      verdict: 'approve',
      request: request.id,
      subject: request.subject,
      reviewer: analyst,
      comment: '',
      decidedAt: 1,
    }
    // The author's own key, and a decision that never passed the one place where four eyes are asked for.
    const keys = createIdentities(kit.parts)
    const signature = keys.sign(must(await keys.logIn(analyst)), statementText(statement))
    const decision = { ...forge(request).decision, signature }
    expect(isSignedBy(ana.identity.publicKey, decision)).toBe(true)
    const set = { state: 'approved' as const, decision: JSON.stringify(decision), reviewer: analyst, decided_at: 1 }
    await tamper(kit).request(set)
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('approval.four-eyes')
    expect(kit.entries.at(-1)).toMatchObject({
      action: 'approval.rejected',
      details: { attempt: 'use', code: 'approval.four-eyes' },
    })
  })
})

describe('a request that was written before its subject told all of this', () => {
  it.each([1, 2])('is asked anew while it waits, and clears nothing when it was approved (%i)', async version => {
    const kit = await anApproval()
    const request = await kit.waiting()
    const row = await kit.storage.read.selectFrom('approval_revisions').select('subject').executeTakeFirstOrThrow()
    const { inspection, reasons, authors, placement, ...rest } = JSON.parse(row.subject)
    const { kind: sandbox, limits, network, isolation, image, mounts } = placement
    const subject = canonicalJson({
      ...rest,
      ...(version === 1 ? {} : { inspection, reasons, authors }),
      format: `countersign.subject.${version}`,
      sandbox,
      limits,
      network,
      placement: { isolation, image, mounts },
    })
    await tamper(kit).revision({ subject, subject_hash: sha256(subject) })
    const now = must(await kit.approval.requests.get(request.tenant, request.id))
    expect(now.state).toBe('waiting')
    expect(now.subject).not.toBe(sha256(subject))
    must(await kit.approval.requests.decide(request.id, await kit.ana(), { kind: 'approve', seen: now.subject }))
    await tamper(kit).revision({ subject, subject_hash: sha256(subject) })
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('approval.forged')
  })
})

describe('a signature', () => {
  it('covers every field of the statement', async () => {
    const kit = await anApproval()
    const request = await approvedRequest(kit)
    const decision = decisionOf(request)
    const { publicKey } = (await kit.ana()).identity
    expect(isSignedBy(publicKey, decision)).toBe(true)
    const changes: Partial<Decision>[] = [
      { verdict: 'deny' },
      { subject: '0'.repeat(64) },
      { comment: 'fine' },
      { decidedAt: 2 },
      { request: null },
      { reviewer: null },
      { signature: null },
      { signature: '' },
      { signature: `${decision.signature?.slice(0, -4)}AAA=` },
      { by: 'policy' },
    ]
    for (const change of changes) expect(isSignedBy(publicKey, { ...decision, ...change })).toBe(false)
  })

  it('is verified by Ed25519 alone, and a broken key verifies nothing', async () => {
    const kit = await anApproval()
    const decision = decisionOf(await approvedRequest(kit))
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const statement = {
      format: 'countersign.decision.1',
      verdict: 'approve',
      request: decision.request,
      subject: decision.subject,
      reviewer: analyst,
      comment: decision.comment,
      decidedAt: decision.decidedAt,
    }
    const signature = sign(null, Buffer.from(canonicalJson(statement)), rsa.privateKey).toString('base64')
    const key = rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    expect(isSignedBy(key, { ...decision, signature })).toBe(false)
    expect(isSignedBy('', decision)).toBe(false)
    expect(isSignedBy('AAAA', decision)).toBe(false)
  })
})
