import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { providerKinds } from '../contract/chat.ts'
import { type Engine, openEngine } from '../engine.ts'
import { chatIn } from './testing.ts'

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
  peer.on({ userMessage: 'Wrong key' }, { error: { message: 'invalid x-api-key', type: 'auth' }, status: 401 })
  peer.on(
    { userMessage: 'Cut' },
    { content: 'The first words of a long answer that never ends.' },
    { truncateAfterChunks: 9, chunkSize: 4 },
  )
  await peer.start()
  engine = await openEngine({ home, env: {}, pool: 0 })
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
})
