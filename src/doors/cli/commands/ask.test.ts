import { describe, expect, it, onTestFinished } from 'vitest'
import { fakeProvider } from '../../../chat/fake-provider.testing.ts'
import { openEngine } from '../../../engine.ts'
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
  })
})
