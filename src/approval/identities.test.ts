import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UserId } from '../contract/ids.ts'
import { anApproval, analyst, aRun, codeOf, must, tenant } from './testing.ts'

const passphrase = 'correct horse battery'

describe('an identity', () => {
  it('is made with its key on first use, and is the same ever after', async () => {
    const { approval, entries } = await anApproval()
    const first = (await approval.identities.list(tenant))[0]
    expect(await approval.identities.ensure({ id: analyst, tenant, name: 'Other' })).toEqual(first)
    expect(entries).toMatchObject([
      { action: 'identity.created', details: { name: 'Ana', publicKey: first?.publicKey } },
    ])
  })

  it('is one, also when two ask for it at once, and its key opens', async () => {
    const { approval, parts } = await anApproval()
    const id = parts.ids.make(UserId)
    const wanted = { id, tenant, name: 'Rea' }
    const both = await Promise.all([approval.identities.ensure(wanted), approval.identities.ensure(wanted)])
    expect(both[0]).toEqual(both[1])
    expect(codeOf(await approval.identities.logIn(id))).toBe('ok')
  })

  it('has a name that no other has, and one that can be read', async () => {
    const { approval } = await anApproval()
    expect(codeOf(await approval.identities.create(tenant, { name: ' ana ' }, analyst))).toBe('conflict')
    expect(codeOf(await approval.identities.create(tenant, { name: '  ' }, analyst))).toBe('request.invalid')
    expect(codeOf(await approval.identities.create(tenant, { name: 'Rea', passphrase: 'short' }, analyst))).toBe(
      'request.invalid',
    )
  })

  it('never shows its private key: not in the list, the log-in or on the record', async () => {
    const { approval, entries, parts } = await anApproval()
    const reviewer = must(await approval.identities.logIn(analyst))
    const folder = join(dirname(parts.policyFile), 'keys')
    const [file = ''] = readdirSync(folder)
    const { privateKey } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    const shown = JSON.stringify([reviewer, await approval.identities.list(tenant), entries])
    expect(privateKey).toMatch(/^[A-Za-z0-9+/=]{60,}$/)
    expect(shown).not.toContain(privateKey)
  })
})

describe('a passphrase', () => {
  it('keeps an analyst from signing as the reviewer', async () => {
    const { approval, entries } = await anApproval()
    const { id } = must(await approval.identities.create(tenant, { name: 'Rea', passphrase }, analyst))
    expect(codeOf(await approval.identities.logIn(id))).toBe('identity.locked')
    expect(codeOf(await approval.identities.logIn(id, 'correct horse battery?'))).toBe('identity.locked')
    expect(entries.slice(-2)).toMatchObject([
      { action: 'approval.rejected', details: { attempt: 'log-in' } },
      { action: 'approval.rejected', details: { attempt: 'log-in' } },
    ])
    const rea = must(await approval.identities.logIn(id, passphrase))
    expect(entries.at(-1)).toMatchObject({ action: 'reviewer.logged-in', actor: id })
    expect(rea.identity).toMatchObject({ name: 'Rea', protected: true })
    expect(JSON.stringify(entries)).not.toContain(passphrase)
  })

  it('is the same however its characters are composed', async () => {
    const { approval } = await anApproval()
    const { id } = must(
      await approval.identities.create(tenant, { name: 'Rea', passphrase: 'caf\u00e9 caf\u00e9' }, null),
    )
    expect(codeOf(await approval.identities.logIn(id, 'cafe\u0301 cafe\u0301'))).toBe('ok')
  })

  it('cannot be guessed on end: after five wrong ones even the right one waits a minute', async () => {
    const { approval, clock } = await anApproval()
    const { id } = must(await approval.identities.create(tenant, { name: 'Rea', passphrase }, null))
    for (let i = 0; i < 5; i++) await approval.identities.logIn(id, `wrong guess ${i}`)
    expect(codeOf(await approval.identities.logIn(id, passphrase))).toBe('identity.locked')
    clock.advance(60_000)
    expect(codeOf(await approval.identities.logIn(id, passphrase))).toBe('ok')
  })

  it('cannot be guessed by many guesses at once', async () => {
    const { approval } = await anApproval()
    const { id } = must(await approval.identities.create(tenant, { name: 'Rea', passphrase }, null))
    const guesses = [...Array.from({ length: 8 }, (_, at) => `wrong guess ${at}`), passphrase]
    const codes = await Promise.all(guesses.map(guess => approval.identities.logIn(id, guess).then(codeOf)))
    expect(codes.at(-1)).toBe('identity.locked')
  })

  it('is not got round by copying key files about', async () => {
    const { approval, parts, storage } = await anApproval()
    const folder = join(dirname(parts.policyFile), 'keys')
    const [anas = ''] = readdirSync(folder)
    const rea = must(await approval.identities.create(tenant, { name: 'Rea', passphrase }, null))
    const reas = readdirSync(folder).find(name => name.includes(rea.id)) ?? ''
    writeFileSync(join(folder, reas), readFileSync(join(folder, anas)))
    expect(codeOf(await approval.identities.logIn(rea.id))).toBe('identity.locked')
    const ana = await storage.read
      .selectFrom('identities')
      .selectAll()
      .where('id', '=', analyst)
      .executeTakeFirstOrThrow()
    await storage.write(t =>
      t.updateTable('identities').set({ public_key: ana.public_key, protected: 0 }).where('id', '=', rea.id).execute(),
    )
    expect(codeOf(await approval.identities.logIn(rea.id))).toBe('identity.locked')
  })
})

describe('a key store that lost a key', () => {
  it('locks the identity and lets its old approvals count no more', async () => {
    const { approval, waiting, ana, parts } = await anApproval()
    const request = await waiting()
    must(await approval.requests.decide(request.id, await ana(), { kind: 'approve', seen: request.subject }))
    const folder = join(dirname(parts.policyFile), 'keys')
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'not a key')
    expect(codeOf(await approval.identities.logIn(analyst))).toBe('identity.locked')
    expect(codeOf(await approval.clear(request.id, aRun()))).toBe('approval.forged')
  })
})
