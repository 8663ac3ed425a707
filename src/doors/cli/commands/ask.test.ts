import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fakeProvider } from '../../../chat/fake-provider.testing.ts'
import { openEngine } from '../../../engine/engine.ts'
import { command } from './ask.ts'
import { call, folder } from './call.testing.ts'

describe('countersign ask', () => {
  it('says how to set up a model where there is none', async () => {
    const { code, err } = await call(command, {}, ['What is 6 times 7?'])
    expect(code).toBe(4)
    expect(err).toContain('Settings, Models')
    await expect(call(command, {}, [])).rejects.toThrow('give one question')
    await expect(call(command, { path: 'nonsense' }, ['?'])).rejects.toThrow('--path')
  })

  it('answers with text, code, cost and the path, as JSON and as words', async () => {
    const fake = await fakeProvider('openai', [
      { calls: [{ name: 'run_code', input: { language: 'python', code: 'print(6 * 7)' } }] },
      { text: 'It is 42.' },
    ])
    onTestFinished(() => fake.close())
    const home = folder()
    const engine = await openEngine({ home, env: {}, pool: 0 })
    await engine.chat.providers.save(engine.caller, {
      kind: 'openai',
      name: 'Fake',
      baseUrl: fake.baseUrl,
      models: [{ id: 'fake-1', windowTokens: 32_000, price: { input: 1, output: 1 } }],
    })
    await engine.close()
    const { code, out } = await call(command, { json: true, model: 'fake-1' }, ['What is 6 times 7?'], '', home)
    const answer = JSON.parse(out)
    expect(code).toBe(0)
    expect(answer).toMatchObject({
      state: 'done',
      text: 'It is 42.',
      cells: [{ language: 'python', code: 'print(6 * 7)', success: true }],
      steps: 2,
    })
    const again = await call(command, { path: answer.path }, ['And again?'], '', home)
    expect(again).toMatchObject({ code: 0, out: 'It is 42.\n' })
    expect(JSON.stringify(fake.asked.at(-1)?.body)).toContain('What is 6 times 7?')
    expect((await call(command, { model: 'gone' }, ['?'], '', home)).code).toBe(4)

    // Also at the end of a path that is longer than a window opens at once.
    const later = await openEngine({ home, env: {}, pool: 0 })
    const notes = Array.from(
      { length: 400 },
      (_, at) => ({ kind: 'message', author: 'analyst', text: `${at}` }) as const,
    )
    await later.conversations.insert(later.caller, { path: answer.path, items: notes })
    await later.close()
    const last = await call(command, { path: answer.path, json: true }, ['And at the end?'], '', home)
    expect(JSON.parse(last.out)).toMatchObject({ state: 'done', text: 'It is 42.' })
  })

  it('waits for a provider that asks for it, though nothing else keeps the program going', async () => {
    const fake = await fakeProvider('compatible', [
      { status: 429, headers: { 'retry-after-ms': '700' } },
      { text: 'Here it is.' },
    ])
    onTestFinished(() => fake.close())
    const home = folder()
    const engine = await openEngine({ home, env: {}, pool: 0 })
    await engine.chat.providers.save(engine.caller, {
      ...{ kind: 'compatible', name: 'Fake', baseUrl: fake.baseUrl },
      models: [{ id: 'fake-1', windowTokens: 32_000, price: null }],
    })
    await engine.close()
    const entry = join(import.meta.dirname, '..', 'entry.ts')
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [entry, 'ask', 'Anybody there?'], {
      env: { ...process.env, COUNTERSIGN_HOME: home },
    })
    expect(stdout).toBe('Here it is.\n')
    expect(stderr).toMatch(/lets no more requests through for now\..* Asked again in 1 s\./)
  })

  it('shows what would leave before anything is sent to a provider for the first time', async () => {
    const home = folder()
    const engine = await openEngine({ home, env: {}, pool: 0 })
    await engine.chat.providers.save(engine.caller, {
      kind: 'anthropic',
      name: 'Elsewhere',
      baseUrl: 'https://models.invalid/v1',
      models: [{ id: 'far-1', windowTokens: 32_000, price: null }],
    })
    await engine.close()
    const question = 'Whose is jane.doe@bank.ie?'
    const { code, err, out } = await call(command, {}, [question], '', home)
    expect([code, out]).toEqual([3, ''])
    expect(err).toContain('This would leave, to Elsewhere (models.invalid), far-1:')
    expect(err).toContain('[user]\nWhose is [EMAIL_1]?\n')
    expect(err).toContain('--yes')
    const told = JSON.parse((await call(command, { json: true }, [question], '', home)).out)
    expect(told).toMatchObject({ state: 'refused', problem: { code: 'chat.unseen' } })
    expect(told.messages.at(-1)).toEqual({ role: 'user', text: 'Whose is [EMAIL_1]?' })
    expect(JSON.stringify(told)).not.toContain('jane.doe')
  })
})
