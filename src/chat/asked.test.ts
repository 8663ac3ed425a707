import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ItemId } from '../contract/conversations.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { fakeProvider } from './fake-provider.testing.ts'
import { openChat, value } from './testing.ts'

describe('before a request leaves', () => {
  it('the question, its answer and the record of the request are durable', async () => {
    const home = join(temporaryFolder(), 'home')
    const durable: unknown[] = []
    const fake = await fakeProvider('compatible', () => {
      const db = new Sqlite(join(home, 'countersign.db'), { readonly: true })
      durable.push(
        db.prepare("select text from texts where text = 'What now?'").all().length,
        db.prepare("select state from chat_turns where state = 'asking'").all().length,
        db.prepare("select result from departures where destination = 'model'").all().length,
      )
      db.close()
      return { text: 'This.' }
    })
    onTestFinished(() => fake.close())
    const { ask, said } = await openChat(fake, home)
    expect((await ask('What now?')).state).toBe('done')
    expect(durable.slice(0, 3)).toEqual([1, 1, 1])
    expect((await said())[0]).toContain('What now?')
  })

  it('a question that cannot be written is refused, and nothing leaves', async () => {
    const fake = await fakeProvider('compatible', [{ text: 'Never asked.' }])
    onTestFinished(() => fake.close())
    const { engine, who, path: main, model } = await openChat(fake, join(temporaryFolder(), 'home'))
    const [item] = value(
      await engine.conversations.insert(who, {
        path: main,
        items: [{ kind: 'message', author: 'analyst', text: 'A' }],
      }),
    )
    const after = item?.id as ItemId
    const { id: path } = value(await engine.conversations.branch(who, { path: main, after, name: 'Old' }))
    value(await engine.conversations.archivePath(who, path))
    const told: string[] = []
    engine.events.listen(event => {
      if (event.type === 'chat' && event.event.kind === 'turn') told.push(event.event.turn.state)
    })
    const asked = await engine.chat.ask(who, { path, text: 'What now?', model, seen: true })
    expect(asked).toMatchObject({ ok: false, problem: { code: 'path.archived' } })
    await engine.chat.idle()
    expect(fake.asked).toEqual([])
    expect(told).toEqual([])
    expect(value(await engine.chat.open(who, path)).turns).toEqual([])
  })

  it('a second question at the same moment is told to wait', async () => {
    const fake = await fakeProvider('compatible', [{ text: 'One.' }])
    onTestFinished(() => fake.close())
    const { engine, who, path, model } = await openChat(fake, join(temporaryFolder(), 'home'))
    const request = { path, text: 'What now?', model, seen: true }
    const first = engine.chat.ask(who, request)
    await new Promise(setImmediate)
    const second = await engine.chat.ask(who, request)
    expect((await first).ok).toBe(true)
    expect(second).toMatchObject({ ok: false, problem: { code: 'chat.busy' } })
    await engine.chat.idle()
  })
})
