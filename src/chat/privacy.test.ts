import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { providerKinds } from '../contract/chat.ts'
import { type Engine, openEngine } from '../engine.ts'
import { type Asked, fakeProvider, type Reply } from './fake-provider.testing.ts'
import { chatIn, value } from './testing.ts'
import { textsOf } from './wire.ts'

let engine: Engine
const home = mkdtempSync(join(tmpdir(), 'countersign-'))
beforeAll(async () => {
  engine = await openEngine({ home, env: {}, pool: 0 })
})
afterAll(async () => {
  await engine.close()
  rmSync(home, { recursive: true, force: true })
})

const secrets = [
  'jane.doe@bank.ie',
  'IE29AIBK93115212345678',
  '4111 1111 1111 1111',
  `sean.o'neill@bank.ie`,
  '1234567FA',
]

/** Whatever tokens it has seen, the model uses them in words, in code, in arguments of any tool. */
function parrot(asked: Asked, number: number, plan: readonly string[], chunk: number): Reply {
  const seen = [...new Set(JSON.stringify(asked.body).match(/\[[A-Z][A-Z0-9_]*_\d+\]/g) ?? [])]
  const all = seen.join(' and ')
  switch (plan[number - 1]) {
    case 'code':
      return {
        chunk,
        text: `About ${all}`,
        calls: [{ name: 'run_code', input: { language: 'python', code: `print("seen: ${all}")` } }],
      }
    case 'fails':
      return {
        chunk,
        calls: [{ name: 'run_code', input: { language: 'python', code: `raise ValueError("wrong: ${all}")` } }],
      }
    case 'analysis':
      return {
        chunk,
        calls: [
          {
            name: 'run_analysis',
            input: { type: 'custom', parameters: { who: all }, code: 'print(parameters["who"])' },
          },
        ],
      }
    case 'wrong':
      return { chunk, calls: [{ name: 'read_file', input: { path: `${all}.csv`.slice(0, 200), offset: -1 } }] }
    case 'retry':
      return { status: 429, headers: { 'retry-after-ms': '1' } }
    case 'cut':
      return { chunk, text: `Half an answer about ${all}`, fault: 'cut-text' }
    default:
      return { chunk, text: `Done with ${all}.` }
  }
}

describe('what leaves for a model', () => {
  it('holds no original value, over any protocol, chunking, arguments, errors and retries', {
    timeout: 120_000,
  }, async () => {
    const step = fc.constantFrom('code', 'fails', 'analysis', 'wrong', 'retry', 'cut', 'text')
    const plans = fc.tuple(
      fc.constantFrom(...providerKinds),
      fc.array(step, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 40 }),
      fc.subarray(secrets, { minLength: 1 }),
    )
    await fc.assert(
      fc.asyncProperty(plans, async ([kind, plan, chunk, chosen]) => {
        const fake = await fakeProvider(kind, (asked, number) => parrot(asked, number, plan, chunk))
        try {
          const chat = await chatIn(engine, fake)
          await engine.conversations.insert(chat.who, {
            path: chat.path,
            items: [{ kind: 'cell', author: 'analyst', language: 'python', text: `client = "${chosen[0]}"` }],
          })
          const turn = await chat.ask(`My PPS number is 1234567FA. Check ${chosen.join(', ')} please.`)
          if (turn.state === 'failed') {
            value(await engine.chat.goOn(chat.who, turn.id))
            await chat.settled()
          }
          await chat.ask('And once more, for the same people.')
          const sent = fake.received()
          for (const secret of [...chosen, '1234567FA']) {
            expect(sent).not.toContain(secret)
            expect(sent).not.toContain(JSON.stringify(secret).slice(1, -1))
            expect(fake.asked.flatMap(({ body }) => textsOf(JSON.stringify(body))).join('\n')).not.toContain(secret)
          }
          expect(sent).toMatch(/\[[A-Z_]+_1\]/)
          // Ten sandboxes are the most at one time.
          const { path, conversation, who } = chat
          await engine.contexts.end({ tenant: who.tenant, conversation, path }, 'manual', who.user)
        } finally {
          await fake.close()
        }
      }),
      { numRuns: 12 },
    )
  })

  it('is put back on the screen and in the sandbox, and stays a token in what is stored and recorded', async () => {
    const fake = await fakeProvider('anthropic', [
      {
        chunk: 3,
        text: 'For [EMAIL_1]:',
        calls: [
          { name: 'run_code', input: { language: 'python', code: `print(len("[EMAIL_1]"), "[EMAIL_1]".upper())` } },
        ],
      },
      { chunk: 1, text: 'It belongs to [EMAIL_1].' },
    ])
    onTestFinished(() => fake.close())
    const chat = await chatIn(engine, fake)
    const shown: string[] = []
    const stop = engine.events.listen(event => {
      if (event.type === 'chat' && event.event.kind === 'delta' && event.event.part.kind === 'text')
        shown.push(event.event.part.text)
    })
    await chat.ask(`Who is sean.o'neill@bank.ie?`)
    stop()
    expect(shown.join('')).toBe(`For sean.o'neill@bank.ie:It belongs to sean.o'neill@bank.ie.`)
    const items = await chat.items()
    expect(items.map(item => item.text).slice(1)).toEqual([
      'For [EMAIL_1]:',
      `print(len("[EMAIL_1]"), "[EMAIL_1]".upper())`,
      'It belongs to [EMAIL_1].',
    ])
    // The program had the value, quote and all; its output is the user's own.
    expect(JSON.stringify(items[2]?.kind === 'cell' && items[2].lastRun?.outputs)).toContain(`20 SEAN.O'NEILL@BANK.IE`)
    const { values } = value(await engine.chat.open(chat.who, chat.path))
    expect(values).toMatchObject({ '[EMAIL_1]': `sean.o'neill@bank.ie` })
    expect(JSON.stringify(values)).not.toContain('LITERAL')
    const page = await engine.audit.query({ filter: { conversation: chat.conversation } })
    expect(JSON.stringify(page)).not.toContain('neill@bank')
  })

  it('is shown first: a provider elsewhere gets nothing before the person has seen it', async () => {
    const chat = await chatIn(engine, { kind: 'anthropic', baseUrl: 'https://models.invalid/v1' })
    const request = { path: chat.path, text: 'I am jane.doe@bank.ie', model: chat.model }
    expect(await engine.chat.ask(chat.who, request)).toMatchObject({ ok: false, problem: { code: 'chat.unseen' } })
    expect(await chat.items()).toEqual([])
    const preview = value(await engine.chat.preview(chat.who, request))
    expect(preview.messages.at(-1)).toEqual({ role: 'user', text: 'I am [EMAIL_1]' })
    expect(preview).toMatchObject({ counts: { EMAIL: 1 }, local: false })
  })

  it('is decided by the policy: which providers, and which may see a confidential conversation', async () => {
    const fake = await fakeProvider('compatible', [{ text: 'Hello' }])
    onTestFinished(() => fake.close())
    const near = await chatIn(engine, fake)
    const far = await chatIn(engine, { kind: 'anthropic', baseUrl: 'https://models.invalid/v1' })
    value(await engine.chat.setConfidential(far.who, far.conversation, true))
    value(await engine.chat.setConfidential(near.who, near.conversation, true))
    const ask = { text: '?', seen: true }
    expect(await engine.chat.ask(far.who, { ...ask, path: far.path, model: far.model })).toMatchObject({
      problem: { code: 'chat.policy' },
    })
    expect((await near.ask('?')).state).toBe('done')
    const { policy, version } = await engine.approval.policy.current()
    await engine.approval.policy.save(
      { ...policy, models: { providers: ['openai'], confidential: 'any' } },
      engine.caller.user,
      version,
    )
    expect(await engine.chat.ask(near.who, { ...ask, path: near.path, model: near.model })).toMatchObject({
      problem: { code: 'chat.policy' },
    })
    const now = await engine.approval.policy.current()
    await engine.approval.policy.save(policy, engine.caller.user, now.version)
  })
})
