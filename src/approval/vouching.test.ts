import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../contract/approval.ts'
import type { Outcome } from '../contract/problem.ts'
import type { Reviewer } from './approval.ts'
import { anApproval, analyst, aRun, codeOf, must, tenant } from './testing.ts'
import { type Withdrawal, withdrawalText } from './vouching.ts'

type Kit = Awaited<ReturnType<typeof anApproval>>

const fourEyes = { policy: { fourEyes: { from: 'high' } } } as const

const approve = (kit: Kit, { id, subject }: ApprovalRequest, reviewer: Reviewer) =>
  kit.approval.requests.decide(id, reviewer, { kind: 'approve', seen: subject })

const said = (outcome: Outcome<unknown>) => (outcome.ok ? 'ok' : outcome.problem.message)

describe('four eyes', () => {
  it('are not those of an identity without a passphrase, which the requester could have made', async () => {
    const kit = await anApproval(fourEyes)
    const request = await kit.waiting()
    const made = must(await kit.approval.identities.create(tenant, { name: 'Somebody' }, analyst))
    const somebody = must(await kit.approval.identities.logIn(made.id))
    expect(said(await approve(kit, request, somebody))).toContain('has no passphrase')
  })

  it('are not those of an identity for which nobody vouched', async () => {
    const kit = await anApproval(fourEyes)
    const request = await kit.waiting()
    const rea = await kit.protectedIdentity('Rea')
    expect(said(await approve(kit, request, rea))).toContain('has vouched for you')
    must(await kit.approval.identities.vouch(await kit.protectedIdentity('Vera'), rea.identity.id))
    expect(codeOf(await approve(kit, request, rea))).toBe('ok')
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('ok')
  })

  it('are not those for whom only an author of the code vouched', async () => {
    const kit = await anApproval(fourEyes)
    const ari = await kit.protectedIdentity('Ari')
    const rea = await kit.protectedIdentity('Rea')
    must(await kit.approval.identities.vouch(ari, rea.identity.id))
    const request = await kit.waiting(aRun({ requester: ari.identity.id }))
    expect(codeOf(await approve(kit, request, rea))).toBe('approval.four-eyes')
    must(await kit.approval.identities.vouch(await kit.protectedIdentity('Vera'), rea.identity.id))
    expect(codeOf(await approve(kit, request, rea))).toBe('ok')
  })

  it('are counted again when the decision is used', async () => {
    const kit = await anApproval(fourEyes)
    const request = await kit.waiting()
    must(await approve(kit, request, await kit.someone('Rea')))
    await kit.storage.write(t => t.deleteFrom('identity_vouches').execute())
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('approval.four-eyes')
  })
})

describe('a vouch that was withdrawn', () => {
  it('does not make later decisions count, by a signature on the record', async () => {
    const kit = await anApproval(fourEyes)
    const vera = await kit.protectedIdentity('Vera')
    const rea = await kit.protectedIdentity('Rea')
    must(await kit.approval.identities.vouch(vera, rea.identity.id))
    kit.clock.advance(1000)
    expect(must(await kit.approval.identities.withdraw(vera, rea.identity.id)).vouches).toEqual([])
    const { action, actor, details } = kit.entries.at(-1) ?? {}
    expect([action, actor]).toEqual(['identity.vouch-withdrawn', vera.identity.id])
    const { name: _, signature, ...withdrawal } = details as Record<string, never>
    const key = createPublicKey({ key: Buffer.from(vera.identity.publicKey, 'base64'), format: 'der', type: 'spki' })
    const text = withdrawalText(withdrawal as unknown as Withdrawal)
    expect(verify(null, Buffer.from(text), key, Buffer.from(signature ?? '', 'base64'))).toBe(true)
    const request = await kit.waiting()
    expect(said(await approve(kit, request, rea))).toContain('has vouched for you')
    kit.clock.advance(1000)
    must(await kit.approval.identities.vouch(vera, rea.identity.id))
    expect(codeOf(await approve(kit, request, rea))).toBe('ok')
    expect((await kit.verified()).findings).toEqual([])
  })

  it('leaves what was decided before as it was', async () => {
    const kit = await anApproval(fourEyes)
    const vera = await kit.protectedIdentity('Vera')
    const rea = await kit.protectedIdentity('Rea')
    must(await kit.approval.identities.vouch(vera, rea.identity.id))
    const request = await kit.waiting()
    must(await approve(kit, request, rea))
    kit.clock.advance(1000)
    must(await kit.approval.identities.withdraw(vera, rea.identity.id))
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('ok')
  })

  it('does not stand again when its row is set back, and verification says so', async () => {
    const kit = await anApproval(fourEyes)
    const vera = await kit.protectedIdentity('Vera')
    const rea = await kit.protectedIdentity('Rea')
    must(await kit.approval.identities.vouch(vera, rea.identity.id))
    must(await kit.approval.identities.withdraw(vera, rea.identity.id))
    await kit.storage.write(t =>
      t.updateTable('identity_vouches').set({ withdrawn_at: null, withdrawal: null }).execute(),
    )
    kit.clock.advance(1000)
    expect(codeOf(await approve(kit, await kit.waiting(), rea))).toBe('approval.four-eyes')
    expect((await kit.verified()).findings).toMatchObject([{ kind: 'table' }])
  })

  it('stays withdrawn when the index of the record is edited as well', async () => {
    const kit = await anApproval(fourEyes)
    const vera = await kit.protectedIdentity('Vera')
    const rea = await kit.protectedIdentity('Rea')
    must(await kit.approval.identities.vouch(vera, rea.identity.id))
    must(await kit.approval.identities.withdraw(vera, rea.identity.id))
    const { items } = await kit.audit.query({ filter: { actions: ['identity.vouch-withdrawn'] }, limit: 1 })
    kit.clock.advance(1000)
    const request = await kit.waiting()
    await kit.audit.query({ filter: {}, limit: 1 })
    await kit.storage.write(async t => {
      await t.updateTable('identity_vouches').set({ withdrawn_at: null, withdrawal: null }).execute()
      await t
        .deleteFrom('audit_index')
        .where('seq', '=', items[0]?.entry.seq ?? -1)
        .execute()
    })
    expect(codeOf(await approve(kit, request, rea))).toBe('approval.four-eyes')
  })

  it('stays withdrawn when retention has emptied what is old and the row is set back', async () => {
    const kit = await anApproval(fourEyes)
    const vera = await kit.protectedIdentity('Vera')
    const rea = await kit.protectedIdentity('Rea')
    must(await kit.approval.identities.vouch(vera, rea.identity.id))
    must(await kit.approval.identities.withdraw(vera, rea.identity.id))
    kit.clock.advance(100_000)
    await kit.audit.prune({ before: kit.clock.now(), actor: null, reason: 'retention' })
    expect((await kit.verified()).findings).toEqual([])
    await kit.storage.write(t =>
      t.updateTable('identity_vouches').set({ withdrawn_at: null, withdrawal: null }).execute(),
    )
    expect(codeOf(await approve(kit, await kit.waiting(), rea))).toBe('approval.four-eyes')
    expect((await kit.verified()).findings).toMatchObject([{ kind: 'table' }])
  })

  it('can be withdrawn only by whoever vouched, and once', async () => {
    const kit = await anApproval()
    const vera = await kit.protectedIdentity('Vera')
    const rea = await kit.protectedIdentity('Rea')
    const { vouch, withdraw } = kit.approval.identities
    must(await vouch(vera, rea.identity.id))
    expect(said(await withdraw(rea, rea.identity.id))).toContain('not vouching')
    expect(said(await withdraw(await kit.ana(), rea.identity.id))).toContain('not vouching')
    must(await withdraw(vera, rea.identity.id))
    expect(said(await withdraw(vera, rea.identity.id))).toContain('not vouching')
  })
})

describe('a vouch', () => {
  it('stands on the record, and with the identity', async () => {
    const kit = await anApproval()
    const vera = await kit.protectedIdentity('Vera')
    const rea = await kit.protectedIdentity('Rea')
    const vouched = must(await kit.approval.identities.vouch(vera, rea.identity.id))
    expect(vouched.vouches).toMatchObject([{ by: vera.identity.id }])
    expect(kit.entries.at(-1)).toMatchObject({
      action: 'identity.vouched',
      actor: vera.identity.id,
      details: { identity: rea.identity.id, name: 'Rea', publicKey: rea.identity.publicKey },
    })
  })

  it('is refused for oneself, for an identity without a passphrase, and by one', async () => {
    const kit = await anApproval()
    const vera = await kit.protectedIdentity('Vera')
    const { vouch } = kit.approval.identities
    expect(said(await vouch(vera, vera.identity.id))).toContain('themselves')
    expect(said(await vouch(vera, analyst))).toContain('Ana has no passphrase')
    expect(said(await vouch(await kit.ana(), vera.identity.id))).toContain('Only somebody who signs with a passphrase')
    kit.approval.identities.logOut(vera)
    expect(codeOf(await vouch(vera, analyst))).toBe('access.denied')
  })

  it('cannot be written into the database, nor moved to another identity or key', async () => {
    const kit = await anApproval(fourEyes)
    const rea = await kit.someone('Rea')
    const eve = await kit.protectedIdentity('Eve')
    const [row] = await kit.storage.read.selectFrom('identity_vouches').selectAll().execute()
    if (!row) throw new Error('no vouch')
    const forged = [
      { ...row, identity: eve.identity.id },
      { ...row, identity: eve.identity.id, public_key: eve.identity.publicKey },
      { ...row, identity: eve.identity.id, public_key: eve.identity.publicKey, voucher: rea.identity.id },
    ]
    for (const each of forged) {
      await kit.storage.write(async t => {
        await t.deleteFrom('identity_vouches').where('identity', '=', eve.identity.id).execute()
        await t.insertInto('identity_vouches').values(each).execute()
      })
      const request = await kit.waiting()
      expect(codeOf(await approve(kit, request, eve))).toBe('approval.four-eyes')
    }
    // Nor does it help to say in the database that an identity has a passphrase.
    await kit.storage.write(t => t.updateTable('identities').set({ protected: 1 }).execute())
    expect(await kit.approval.identities.list(tenant)).toContainEqual(
      expect.objectContaining({ id: analyst, protected: false }),
    )
  })
})
