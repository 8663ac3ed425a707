import { describe, expect, it } from 'vitest'
import { providerKinds } from '../contract/chat.ts'
import { chatWith, value } from './testing.ts'

describe.each(providerKinds)('an answer over the %s protocol', kind => {
  it('runs the code that the model asks for, as a cell, and quotes what it computed', async () => {
    const { ask, said, fake, items, engine, who, path, conversation } = await chatWith(kind, [
      {
        text: 'Let me compute.',
        calls: [{ name: 'run_code', input: { language: 'python', code: 'print(f"CET1 {1184/100} %")' } }],
      },
      { text: 'The ratio is 11.84 %, not 12.91 %.' },
    ])
    const turn = await ask('What is CET1?')
    expect(turn).toMatchObject({
      state: 'done',
      step: 2,
      modelVersion: expect.stringContaining('fake-1'),
      inputTokens: 200,
      outputTokens: 40,
    })
    expect(turn.cost).toBeCloseTo((200 * 3 + 40 * 15) / 1e6)
    expect(await said()).toEqual([
      'analyst says: What is CET1?',
      'assistant says: Let me compute.',
      'assistant python: print(f"CET1 {1184/100} %")',
      'assistant says: The ratio is 11.84 %, not 12.91 %.',
    ])
    const cell = (await items())[2]
    expect(cell).toMatchObject({ lastRun: { success: true } })
    // The second request has the call and its result, under the same id.
    const second = JSON.stringify(fake.asked[1]?.body)
    expect(second).toContain('CET1 11.84 %')
    expect(second.match(/"call_1"/g)).toHaveLength(2)
    const view = value(await engine.chat.open(who, path))
    const answer = (await items())[3]
    const figures = view.parts.find(each => each.item === answer?.id)?.parts.findLast(part => part.kind === 'figures')
    expect(figures).toMatchObject({ figures: [{ cell: cell?.id }, { cell: null }] })
    const ledger = await engine.chat.ledger(who, { conversation, limit: 10 })
    expect(ledger).toHaveLength(2)
    expect(ledger[0]).toMatchObject({ result: 'ok', purpose: 'answer', model: 'fake-1' })
    expect(ledger[0]?.bytes).toBeGreaterThan(500)
    expect((await engine.audit.verify()).findings).toEqual([])
  })
})
