import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ProviderId } from '../contract/chat.ts'
import { ok } from '../contract/problem.ts'
import { openEngine } from '../engine/engine.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { fakeProvider } from './fake-provider.testing.ts'
import { ProviderKeys } from './keys.ts'
import { chatsInOneEngine, openChat, value } from './testing.ts'

const elsewhere = async () => {
  const other = await fakeProvider('compatible', [{ text: 'Ha.' }])
  onTestFinished(() => other.close())
  return other
}

describe('a key', () => {
  const open = chatsInOneEngine()

  it('is not sent to another address that is saved without it, nor to the first one again', async () => {
    const { engine, who, provider, fake, ask } = await open([{ text: 'One.' }, { text: 'Two.' }])
    const other = await elsewhere()
    const { id, kind, name, models } = provider
    const save = async (baseUrl: string) =>
      value(await engine.chat.providers.save(who, { id, kind, name, models, baseUrl }))
    await ask('Once.')
    expect(await save(other.baseUrl)).toMatchObject({ hasKey: false })
    await ask('Elsewhere.')
    expect(await save(fake.baseUrl)).toMatchObject({ hasKey: false })
    await ask('Again.')
    const none = 'Bearer none'
    expect(fake.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer test-key', none])
    expect(other.asked.map(({ headers }) => headers.authorization)).toEqual([none])
  })

  it('stays where anything but the address is changed', async () => {
    const { engine, who, provider, fake, ask } = await open([{ text: 'One.' }])
    const { id, kind, baseUrl } = provider
    value(await engine.chat.providers.save(who, { id, kind, baseUrl, name: 'Other', models: [] }))
    await ask('Once.')
    expect(fake.asked[0]?.headers.authorization).toBe('Bearer test-key')
  })
})

it('does not go to an address that it was not entered for, where an older row was put back', async () => {
  const home = join(temporaryFolder(), 'home')
  const [first, second] = [await elsewhere(), await elsewhere()]
  const { engine, who, provider, close } = await openChat(first, home)
  const file = join(home, 'countersign.db')
  const older = () => {
    const db = new Sqlite(file)
    onTestFinished(() => void db.close())
    return db
  }
  const row = older().prepare('select * from chat_providers').get() as Record<string, unknown>
  const { id, kind, name, models } = provider
  const moved = { id, kind, name, models, baseUrl: second.baseUrl, key: 'second-key' }
  value(await engine.chat.providers.save(who, moved))
  await close()
  older()
    .prepare('update chat_providers set base_url = @base_url, seal = @seal, introduced_at = @introduced_at')
    .run(row)
  const again = await openEngine({ home, env: {}, pool: 0 })
  onTestFinished(() => again.close())
  expect(await again.chat.providers.check(again.caller, id)).toMatchObject({ ok: false, problem: { code: 'chat.key' } })
  const made = value(await again.conversations.create(again.caller, { title: 'Rates' })).conversation
  const model = { provider: id, model: 'fake-1' }
  value(await again.chat.ask(again.caller, { path: made.main, text: 'Hello', model, seen: true }))
  await again.chat.idle()
  expect(value(await again.chat.open(again.caller, made.main)).turns).toMatchObject([
    { state: 'failed', problem: { code: 'chat.key' } },
  ])
  expect(first.asked).toEqual([])
})

it('takes a key that was kept before keys had an address for the one where it is used first', async () => {
  const kept = new Map<string, Uint8Array>()
  const keys = new ProviderKeys({
    get: async name => kept.get(name) ?? null,
    set: async (name, value) => void kept.set(name, value),
  })
  const id = ProviderId.parse('01900000-0000-7000-8000-000000000001')
  const at = (baseUrl: string) => ({ id, name: 'Fake', hasKey: true, baseUrl })
  kept.set(`model-${id}`, Buffer.from('older-key'))
  expect(await keys.of(at('https://one.example/v1'))).toEqual(ok('older-key'))
  expect(await keys.of(at('https://two.example/v1'))).toMatchObject({ problem: { code: 'chat.key' } })
  expect(await keys.of(at('https://one.example/v1'))).toEqual(ok('older-key'))
  await keys.forget(at('https://one.example/v1'))
  expect(Buffer.concat([...kept.values()]).toString()).toBe('')
})
