import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { providerKinds } from '../contract/chat.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import { fakeProvider, type Script } from './fake-provider.testing.ts'
import { refusedByRules } from './provider-rules.testing.ts'
import { chatIn, value } from './testing.ts'

let engine: Engine
const home = mkdtempSync(join(tmpdir(), 'countersign-'))
beforeAll(async () => {
  engine = await openEngine({ home, env: {}, pool: 0 })
})
afterAll(async () => {
  await engine.close()
  rmSync(home, { recursive: true, force: true })
})

const call = (code: string) => ({ name: 'run_code', input: { language: 'python', code } })
const look = { name: 'list_files', input: {} }

// The fake refuses what real providers refuse: an answer that is done was asked for in a form that they take.
describe.each(providerKinds)('a request over the %s protocol is one that a real provider takes', kind => {
  const chat = async (script: Script) => {
    const fake = await fakeProvider(kind, script)
    onTestFinished(() => fake.close())
    const inChat = await chatIn(engine, fake)
    const { path, conversation, who } = inChat
    onTestFinished(() => engine.contexts.end({ tenant: who.tenant, conversation, path }, 'manual', who.user) as never)
    return { fake, ...inChat }
  }

  it('after answers that each called tools', async () => {
    const { ask, fake } = await chat([
      { text: 'Looking.', calls: [look, call('print(1)'), look] },
      { text: 'One.' },
      { calls: [call('print(2)'), look] },
      { text: 'Two.' },
    ])
    expect(await ask('First')).toMatchObject({ state: 'done', problem: null })
    expect(await ask('Second')).toMatchObject({ state: 'done', problem: null })
    expect(fake.asked).toHaveLength(4)
  })

  it('where the question was removed that the path begins with, and notes are empty', async () => {
    const { ask, items, who, path } = await chat([{ text: 'An answer.' }])
    await ask('The question')
    const [question] = await items()
    value(await engine.conversations.removeItems(who, { path, items: [question?.id as never] }))
    value(await engine.conversations.insert(who, { path, items: [{ kind: 'message', author: 'analyst', text: '  ' }] }))
    expect(await ask('And now?')).toMatchObject({ state: 'done', problem: null })
  })

  it('where an output is cut in the middle of a character, and code has half of one', async () => {
    const { ask, fake } = await chat([
      { calls: [call('print("a" + "\\U0001F600" * 9000)'), call('x = "\\ud83d"  # \ud83d')] },
      { text: 'Done.' },
    ])
    expect(await ask('Print')).toMatchObject({ state: 'done', problem: null })
    expect(fake.received()).toContain('characters left out')
  })

  it('after an answer that was cut, stopped or denied, and gone on from', async () => {
    const { ask, fake, who, settled } = await chat([
      { text: 'Half of it comes', fault: 'cut-text' },
      { calls: [look], fault: 'length' },
      { text: 'Now.', calls: [{ name: 'launch', input: [1] }] },
      { text: 'The end.' },
    ])
    let turn = await ask('Begin')
    while (turn.state !== 'done') {
      expect(turn.problem?.code).not.toBe('chat.provider')
      value(await engine.chat.goOn(who, turn.id))
      turn = await settled()
    }
    expect(fake.asked).toHaveLength(4)
  })
})

describe('the rules of the fake', () => {
  it.each([
    ['anthropic', { messages: [{ role: 'assistant', content: 'a' }] }, 'first message'],
    ['anthropic', { messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }, 'non-whitespace'],
    [
      'anthropic',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: {} }] },
          { role: 'user', content: 'b' },
        ],
      },
      'without `tool_result`',
    ],
    [
      'compatible',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'user', content: 'b' },
        ],
      },
      'alternate',
    ],
    ['compatible', { messages: [{ role: 'tool', tool_call_id: 'a', content: 'b' }] }, 'must follow'],
    ['openai', { input: [{ type: 'function_call', call_id: 'a' }] }, 'No tool output'],
  ] as const)('refuse over %s what a real one refuses', (kind, body, why) => {
    expect(refusedByRules(kind, JSON.stringify(body))).toContain(why)
  })

  it('refuse half of a character, and take a whole one', () => {
    expect(refusedByRules('openai', '{"input": ["\\ud83d"]}')).toContain('surrogate')
    expect(refusedByRules('openai', '{"input": ["\\ud83d\\ude00"]}')).toBeNull()
  })
})
