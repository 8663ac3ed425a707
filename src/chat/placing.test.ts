import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../storage/testing.ts'
import { fakeProvider, type Reply } from './fake-provider.testing.ts'
import { openChat, value } from './testing.ts'

const gated = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { gate: promise, open: resolve }
}

async function chat(replies: readonly Reply[]) {
  const fake = await fakeProvider('compatible', replies)
  onTestFinished(() => fake.close())
  return { fake, ...(await openChat(fake, join(temporaryFolder(), 'home'))) }
}

describe('what a model has said', () => {
  it('is on the path and no longer kept for a crash in one and the same moment', async () => {
    const { gate, open } = gated()
    const { engine, who, path, model, home, settled } = await chat([{ text: 'All of it is here.', gate }])
    const read = <T>(source: string): T[] => {
      const db = new Sqlite(join(home, 'countersign.db'), { readonly: true })
      onTestFinished(() => void db.close())
      return db.prepare(source).all() as T[]
    }
    value(await engine.chat.ask(who, { path, text: 'What is there?', model, seen: true }))
    const kept = () => read<{ partial: string | null }>('select partial from chat_turns')[0]?.partial ?? ''
    await expect.poll(kept).toContain('All of')
    // News of the path come as soon as it is written, and before anything else can be.
    const told = new Promise<{ kept: string; parts: unknown[] }>(resolve => {
      const stop = engine.events.listen(event => {
        if (event.type !== 'conversation' || event.change.what !== 'items') return
        stop()
        resolve({ kept: kept(), parts: read('select item from chat_parts') })
      })
    })
    open()
    expect(await told).toEqual({ kept: '', parts: [{ item: expect.any(String) }] })
    expect(await settled()).toMatchObject({ state: 'done', inputTokens: 100, outputTokens: 20 })
  })

  it('has its place also when what it would stand behind was removed while it was written', async () => {
    const { gate, open } = gated()
    const { engine, who, path, model, said, items, fake, settled } = await chat([
      { text: 'First this.', calls: [{ name: 'run_code', input: { language: 'python', code: 'print(1)' } }] },
      { text: 'It printed one.', gate },
    ])
    value(await engine.chat.ask(who, { path, text: 'What comes of it?', model, seen: true }))
    await expect.poll(() => fake.asked.length).toBe(2)
    const cell = (await items()).find(item => item.kind === 'cell')
    if (!cell) throw new Error('no cell')
    value(await engine.conversations.removeItems(who, { path, items: [cell.id] }))
    open()
    expect((await settled()).state).toBe('done')
    expect(await said()).toEqual([
      'analyst says: What comes of it?',
      'assistant says: First this.',
      'assistant says: It printed one.',
    ])
  })
})
