import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RequestId } from '../contract/ids.ts'
import { openEngine } from '../engine/engine.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { decideOn } from './deciding.testing.ts'
import { fakeProvider } from './fake-provider.testing.ts'
import { asking, chatIn, openChat, value } from './testing.ts'

const risky = { calls: [{ name: 'run_code', input: { language: 'bash', code: 'rm -rf out; echo tidy 4321.5' } }] }

describe('an answer that waits for a reviewer', () => {
  it('rests over a restart and goes on after the approval, with the result', async () => {
    const fake = await fakeProvider('anthropic', [risky, { text: 'It printed 4,321.5.' }])
    onTestFinished(() => fake.close())
    const first = await openChat(fake, join(temporaryFolder(), 'home'))
    const resting = await first.ask('Tidy up')
    expect(resting).toMatchObject({ state: 'resting', waiting: { request: expect.any(String) } })
    expect(fake.asked).toHaveLength(1)
    await first.close()

    const engine = await openEngine({ home: first.home, env: {}, pool: 0 })
    onTestFinished(() => engine.close())
    await engine.chat.recover(engine.caller)
    const { turn, until, said } = asking(engine, first.provider, first.path)
    expect((await turn()).state).toBe('resting')
    const over = until('done', 'failed')
    await decideOn(engine, resting.waiting?.request as RequestId, 'approve')
    expect(await over).toMatchObject({ state: 'done', step: 2 })
    expect(JSON.stringify(fake.asked[1]?.body)).toContain('tidy 4321.5')
    expect((await said()).at(-1)).toBe('assistant says: It printed 4,321.5.')
    expect((await engine.audit.verify()).findings).toEqual([])
  })

  it('tells the model why it was refused', async () => {
    const fake = await fakeProvider('openai', [risky, { text: 'Then I leave it.' }])
    onTestFinished(() => fake.close())
    const { ask, engine, until } = await openChat(fake, join(temporaryFolder(), 'home'))
    const resting = await ask('Tidy up')
    const over = until('done', 'failed')
    await decideOn(engine, resting.waiting?.request as RequestId, 'deny', 'Reports are kept for ten years.')
    expect(await over).toMatchObject({ state: 'done' })
    expect(JSON.stringify(fake.asked[1]?.body)).toContain('Reports are kept for ten years.')
  })

  it('gives way when the person asks something else, and its cell stays', async () => {
    const fake = await fakeProvider('compatible', [risky, { text: 'Something else.' }])
    onTestFinished(() => fake.close())
    const { ask, engine, who, path, said } = await openChat(fake, join(temporaryFolder(), 'home'))
    await ask('Tidy up')
    expect((await ask('Never mind')).state).toBe('done')
    expect(value(await engine.chat.open(who, path)).turns.map(turn => turn.state)).toEqual(['superseded', 'done'])
    expect(JSON.stringify(fake.asked[1]?.body)).toContain('waits for a reviewer')
    expect((await said())[1]).toContain('rm -rf out')
  })
})

describe('an application that was killed', () => {
  it('finds what the model had said, marks it, and can go on', async () => {
    const fake = await fakeProvider('anthropic', [
      { text: 'The first words and then nothing', fault: 'silent' },
      { text: 'the end.' },
    ])
    onTestFinished(() => fake.close())
    const first = await openChat(fake, join(temporaryFolder(), 'home'))
    value(await first.engine.chat.ask(first.who, { path: first.path, text: '?', model: first.model, seen: true }))
    // What a crash leaves: the row as it was last kept, carried by a process that is gone.
    await expect.poll(() => fake.asked.length).toBe(1)
    await first.engine.chat.stop(first.who, (await first.turn()).id)
    await first.settled()
    await first.close()

    const { openStorage } = await import('../storage/storage.ts')
    const { systemClock } = await import('../clock.ts')
    const storage = await openStorage({ file: join(first.home, 'countersign.db'), clock: systemClock })
    await storage.write(t =>
      t
        .updateTable('chat_turns')
        .set({
          state: 'asking',
          partial: JSON.stringify({
            ...{ text: 'The first words', reasoning: 'What was thought' },
            unfinished: [{ tool: 'run_code', input: '{"co' }],
          }),
        })
        .execute(),
    )
    await storage.close()
    const engine = await openEngine({ home: first.home, env: {}, pool: 0 })
    onTestFinished(() => engine.close())
    await engine.chat.recover(engine.caller)
    const { turn, said, settled } = asking(engine, first.provider, first.path)
    const left = await turn()
    expect(left).toMatchObject({ state: 'interrupted', problem: { code: 'chat.interrupted' } })
    expect((await said()).at(-1)).toBe('assistant says: The first words')
    const last = value(await engine.conversations.allItems(engine.caller, first.path)).at(-1)
    const written = value(await engine.conversations.revisions(engine.caller, first.path, last?.id as never))
    expect(written[0]?.by).toEqual({ user: engine.caller.user, assistant: 'fake-1' })
    const { parts } = value(await engine.chat.open(engine.caller, first.path))
    expect(parts.flatMap(each => each.parts)).toEqual(
      expect.arrayContaining([
        { kind: 'reasoning', text: 'What was thought' },
        { kind: 'unfinished', tool: 'run_code', text: '{"co' },
      ]),
    )
    value(await engine.chat.goOn(engine.caller, left.id))
    expect(await settled()).toMatchObject({ state: 'done' })
  })

  it('takes up the other answers where the conversation of one is gone', async () => {
    const fake = await fakeProvider('compatible', [{ text: 'Whole.' }])
    onTestFinished(() => fake.close())
    const { engine, who, home, ...first } = await openChat(fake, join(temporaryFolder(), 'home'))
    const second = await chatIn(engine, fake)
    await first.ask('One?')
    await second.ask('Two?')
    const db = new Sqlite(join(home, 'countersign.db'))
    onTestFinished(() => void db.close())
    const partial = JSON.stringify({ text: 'And more', unfinished: [] })
    db.prepare("update chat_turns set state = 'asking', partial = ?").run(partial)
    value(await engine.conversations.remove(who, first.conversation))
    await engine.chat.recover(who)
    expect(await second.turn()).toMatchObject({ state: 'interrupted' })
    expect((await second.said()).at(-1)).toBe('assistant says: And more')
    const states = db.prepare('select state from chat_turns').all()
    expect(states).toEqual([{ state: 'interrupted' }, { state: 'interrupted' }])
  })
})
