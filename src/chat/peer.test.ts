import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { providerKinds } from '../contract/chat.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import { chatIn, value } from './testing.ts'

/** A server of the three protocols that somebody else wrote. It is a fake too, but not one of ours. */
const peer = new LLMock({ port: 0, logLevel: 'silent' })
let engine: Engine
const home = mkdtempSync(join(tmpdir(), 'countersign-'))

beforeAll(async () => {
  const run = (code: string) => ({ name: 'run_code', arguments: JSON.stringify({ language: 'python', code }) })
  peer.on({ userMessage: 'two figures', hasToolResult: true }, { content: 'They are 11.84 and 23.68.' })
  peer.on(
    { userMessage: 'two figures' },
    { content: 'Two runs.', toolCalls: [run('print(1184 / 100)'), run('print(2368 / 100)')] },
  )
  peer.on({ userMessage: 'Err', hasToolResult: true }, { content: 'I erred.' })
  peer.on(
    { userMessage: 'Err' },
    {
      toolCalls: [
        { name: 'launch_rocket', arguments: '{"to":"moon"}' },
        { name: 'run_code', arguments: '{"language":"cobol","code":1}' },
      ],
    },
  )
  peer.on({ userMessage: 'For ever' }, { toolCalls: [{ name: 'list_files', arguments: '{}' }] })
  for (const status of [429, 529, 500])
    peer.on(
      { userMessage: `Status ${status}` },
      { error: { message: 'not now', type: 'busy' }, status, retryAfter: 3600 },
    )
  peer.on({ userMessage: 'Garbage' }, { content: 'Never read.' }, { chaos: { malformedRate: 1 } })
  peer.on({ userMessage: 'Hang up' }, { content: 'Never read.' }, { chaos: { disconnectRate: 1 } })
  peer.on({ userMessage: 'Wrong key' }, { error: { message: 'invalid x-api-key', type: 'auth' }, status: 401 })
  peer.on(
    { userMessage: 'Cut' },
    { content: 'The first words of a long answer that never ends.' },
    { truncateAfterChunks: 9, chunkSize: 4 },
  )
  await peer.start()
  engine = await openEngine({ home, env: {}, pool: 0 })
  value(await engine.changeSettings(engine.caller, { chat: { stepsPerTurn: 3 } }))
})
afterAll(async () => {
  await engine.close()
  await peer.stop()
  rmSync(home, { recursive: true, force: true })
})

describe.each(providerKinds)('a peer that is not ours, over the %s protocol', kind => {
  it('is understood: words, two calls at once that run in order, and the answer to their results', async () => {
    const chat = await chatIn(engine, { kind, baseUrl: `${peer.url}/v1` })
    expect(await chat.ask('Compute two figures')).toMatchObject({ state: 'done', step: 2, problem: null })
    expect(await chat.said()).toEqual([
      'analyst says: Compute two figures',
      'assistant says: Two runs.',
      'assistant python: print(1184 / 100)',
      'assistant python: print(2368 / 100)',
      'assistant says: They are 11.84 and 23.68.',
    ])
    const asked = JSON.stringify(peer.getRequests().at(-1)?.body)
    expect(asked).toContain('11.84')
    expect(asked).toContain('23.68')
  })

  it('is understood when it fails: a wrong key is one, and a stream that breaks off is no answer', async () => {
    const from = { kind, baseUrl: `${peer.url}/v1` }
    const wrong = await chatIn(engine, from)
    expect(await wrong.ask('Wrong key')).toMatchObject({ state: 'failed', problem: { code: 'chat.key' } })
    const cut = await chatIn(engine, from)
    expect(await cut.ask('Cut it')).toMatchObject({
      state: 'failed',
      problem: { code: expect.stringMatching(/^chat/) },
    })
  })

  it('is told of a tool that there is not and of wrong arguments, and is ended when it calls tools for ever', async () => {
    const from = { kind, baseUrl: `${peer.url}/v1` }
    const errs = await chatIn(engine, from)
    expect(await errs.ask('Err, please')).toMatchObject({ state: 'done', step: 2 })
    const told = JSON.stringify(peer.getRequests().at(-1)?.body)
    expect(told).toContain('There is no tool named')
    expect(told).toContain('The arguments do not fit the tool')
    expect((await errs.said()).at(-1)).toBe('assistant says: I erred.')
    const loops = await chatIn(engine, from)
    expect(await loops.ask('For ever')).toMatchObject({ state: 'limited', problem: { code: 'chat.limit' } })
  })

  it('is explained where it cannot answer', async () => {
    const expected: Record<string, RegExp> = {
      'Status 429': /^chat\.rate-limit$/,
      'Status 529': /^chat\.overloaded$/,
      'Status 500': /^chat\.provider$/,
      Garbage: /^chat\.(?:cut|garbled)$/,
      'Hang up': /^chat\.cut$/,
    }
    // Side by side: the provider does not say how long to wait after some of them, so each attempt waits for seconds.
    await Promise.all(
      Object.entries(expected).map(async ([question, code]) => {
        const chat = await chatIn(engine, { kind, baseUrl: `${peer.url}/v1` })
        value(await engine.chat.ask(chat.who, { path: chat.path, text: question, model: chat.model, seen: true }))
        const over = await chat.until('failed', 'done')
        expect(over, question).toMatchObject({ state: 'failed', problem: { code: expect.stringMatching(code) } })
        expect(await chat.said()).toEqual([`analyst says: ${question}`])
      }),
    )
  })
})
