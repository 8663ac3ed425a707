import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { providerKinds } from '../contract/chat.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import { fakeProvider, type Reply, type Script } from './fake-provider.testing.ts'
import { chatIn, value } from './testing.ts'

/** One engine for all of these: each has a provider and a conversation of its own. */
let engine: Engine
const home = mkdtempSync(join(tmpdir(), 'countersign-'))
beforeAll(async () => {
  engine = await openEngine({ home, env: { COUNTERSIGN_CHAT_WAIT_SECONDS: '5' }, pool: 0 })
})
afterAll(async () => {
  expect((await engine.audit.verify()).findings).toEqual([])
  await engine.close()
  rmSync(home, { recursive: true, force: true })
})

async function chat(script: Script, kind: (typeof providerKinds)[number] = 'compatible') {
  const fake = await fakeProvider(kind, script)
  onTestFinished(() => fake.close())
  return { fake, ...(await chatIn(engine, fake)) }
}
const code = (text: string) => ({ name: 'run_code', input: { language: 'python', code: text } })

const cuts: [string, Pick<Reply, 'politely'>][] = [
  ['with its connection', {}],
  ['and its connection is closed in good order', { politely: true }],
]

describe.each(providerKinds)('over the %s protocol', kind => {
  it.each(cuts)('keeps what came when the stream is cut in the text %s, and goes on from it', async (_, how) => {
    const {
      ask,
      said,
      engine: of,
      who,
      settled,
      fake,
    } = await chat(
      [{ text: 'The first part and the second part', fault: 'cut-text', ...how }, { text: 'and the rest.' }],
      kind,
    )
    const cut = await ask('Tell me')
    expect(cut).toMatchObject({ state: 'failed', problem: { code: 'chat.cut' } })
    expect((await said())[1]).toMatch(/^assistant says: The fir/)
    value(await of.chat.goOn(who, cut.id))
    expect(await settled()).toMatchObject({ state: 'done', problem: null })
    expect((await said())[2]).toBe('assistant says: and the rest.')
    // The model sees its own words, and a request never ends with them.
    expect(JSON.stringify(fake.asked[1]?.body)).toContain('Go on from where you stopped.')
  })

  it.each(cuts)('runs nothing of a call that was cut in its arguments %s, and shows what had come', async (_, how) => {
    const {
      ask,
      items,
      engine: of,
      who,
      path,
    } = await chat(
      [{ text: 'Now.', calls: [code('print("must not run at all")')], fault: 'cut-arguments', ...how }],
      kind,
    )
    expect(await ask('Run it')).toMatchObject({ state: 'failed', problem: { code: 'chat.cut' } })
    expect((await items()).map(item => item.kind)).toEqual(['message', 'message'])
    const { parts } = value(await of.chat.open(who, path))
    expect(parts.flatMap(each => each.parts).find(part => part.kind === 'unfinished')).toMatchObject({
      tool: 'run_code',
    })
  })

  it.each(cuts)('runs none of two calls when the stream is cut between them %s', async (_, how) => {
    const { ask, items } = await chat(
      [{ calls: [code('print(1)'), code('print(2)')], fault: 'cut-between', ...how }],
      kind,
    )
    expect(await ask('Run both')).toMatchObject({ state: 'failed', problem: { code: 'chat.cut' } })
    expect((await items()).every(item => item.kind === 'message')).toBe(true)
  })

  it('says what an error in the middle of a stream is, and what garbage is', async () => {
    const error = await chat([{ text: 'Some words before', fault: 'error-event' }], kind)
    expect(await error.ask('?')).toMatchObject({ state: 'failed', problem: { message: expect.any(String) } })
    expect((await error.said())[1]).toMatch(/Some wo/)
    const garbage = await chat([{ fault: 'garbage' }], kind)
    expect((await garbage.ask('?')).state).toBe('failed')
  })
})

describe.each(providerKinds)('a provider that cannot answer, over the %s protocol', kind => {
  it('is waited for as long as it asks, and asked again', async () => {
    const {
      ask,
      fake,
      engine: of,
      who,
      conversation,
    } = await chat(
      [
        { status: 429, headers: { 'retry-after-ms': '20' } },
        { status: 529, headers: { 'retry-after-ms': '20' } },
        { text: 'Here.' },
      ],
      kind,
    )
    const states: string[] = []
    const stop = of.events.listen(event => {
      if (event.type === 'chat' && event.event.kind === 'turn') states.push(event.event.turn.state)
    })
    expect(await ask('?')).toMatchObject({ state: 'done', problem: null })
    stop()
    expect(states.filter(state => state === 'pausing')).toHaveLength(2)
    expect(fake.asked).toHaveLength(3)
    const ledger = await of.chat.ledger(who, { conversation, limit: 10 })
    expect(ledger.map(({ result }) => result).reverse()).toEqual(['chat.rate-limit', 'chat.overloaded', 'ok'])
  })

  it.each([
    [401, '', 'chat.key'],
    [402, '', 'chat.credit'],
    [429, '{"error":{"code":"insufficient_quota","message":"You exceeded your quota"}}', 'chat.credit'],
    [404, '{"error":{"message":"model fake-1 not found"}}', 'chat.unknown-model'],
    [400, '{"error":{"message":"maximum context length is 4096 tokens"}}', 'chat.too-long'],
  ])('is told by its status %i', async (status, body, expected) => {
    const { ask, fake } = await chat([{ status, ...(body ? { body } : {}) }], kind)
    expect(await ask('?')).toMatchObject({ state: 'failed', problem: { code: expected } })
    expect(fake.asked).toHaveLength(1)
  })

  it('is given up after three attempts, and its wish to wait for an hour is told and not obeyed', async () => {
    const broken = await chat([{ status: 500, headers: { 'retry-after-ms': '5' } }], kind)
    expect(await broken.ask('?')).toMatchObject({ state: 'failed', problem: { code: 'chat.provider' } })
    expect(broken.fake.asked).toHaveLength(3)
    const patient = await chat([{ status: 429, headers: { 'retry-after': '3600' } }], kind)
    expect((await patient.ask('?')).problem?.hint).toContain('3600 s')
    expect(patient.fake.asked).toHaveLength(1)
  })

  it('gets neither key nor question when it sends the request elsewhere', async () => {
    const other = await fakeProvider(kind, [{ text: 'stolen' }])
    onTestFinished(() => other.close())
    const { ask } = await chat([{ status: 307, headers: { location: `${other.baseUrl}/messages` } }], kind)
    expect(await ask('?')).toMatchObject({ state: 'failed' })
    expect(other.received()).toBe('')
  })

  it('is given up when it falls silent, and what it had said is kept', async () => {
    const { ask, said } = await chat([{ text: 'The first words and then nothing', fault: 'silent' }], kind)
    expect(await ask('?')).toMatchObject({ state: 'failed', problem: { code: 'chat.slow' } })
    expect((await said())[1]).toMatch(/^assistant says: The fir/)
  })

  it('cannot be reached', async () => {
    const { ask, fake } = await chat([{}], kind)
    await fake.close()
    expect(await ask('?')).toMatchObject({ state: 'failed', problem: { code: 'chat.no-network' } })
  })

  it('hears at once that the person stopped it, and what it said is kept', async () => {
    const gate = new Promise(() => {})
    const {
      engine: of,
      who,
      path,
      model,
      said,
      settled,
      fake,
    } = await chat([{ text: 'One two three four', gate }], kind)
    const first = new Promise<void>(resolve => {
      const stop = of.events.listen(event => {
        if (event.type !== 'chat' || event.event.kind !== 'delta') return
        stop()
        resolve()
      })
    })
    const turn = value(await of.chat.ask(who, { path, text: '?', model, seen: true }))
    await first
    value(await of.chat.stop(who, turn.id))
    expect(await settled()).toMatchObject({ state: 'stopped', problem: null })
    expect((await said())[1]).toContain('One two')
    await expect.poll(() => fake.hungUp).toHaveLength(1)
    // After a stop the next question is answered: no call is left without its result.
    expect((await of.chat.ask(who, { path, text: 'Again', model, seen: true })).ok).toBe(true)
    value(await of.chat.stop(who, (await of.chat.open(who, path).then(value)).turns.at(-1)?.id as never))
    await of.chat.idle()
  })
})

describe.each(providerKinds)('a model that errs, over the %s protocol', kind => {
  it('is told of an unknown tool and of wrong arguments, and goes on', async () => {
    const { ask, fake, said } = await chat(
      [
        {
          calls: [
            { name: 'launch_rocket', input: { to: 'moon' } },
            { name: 'run_code', input: { language: 'cobol', code: 1 } },
            { name: 'run_code', input: '{"language": "pyth' },
          ],
        },
        { text: 'Sorry.' },
      ],
      kind,
    )
    expect((await ask('?')).state).toBe('done')
    const second = JSON.stringify(fake.asked[1]?.body)
    expect(second).toContain('There is no tool named')
    expect(second).toContain('The arguments do not fit the tool')
    expect(second).toContain('The arguments are not JSON')
    expect((await said()).at(-1)).toBe('assistant says: Sorry.')
  })

  it('is ended when it calls tools for ever, and can be let go on', async () => {
    const { ask, engine: of, fake } = await chat(() => ({ calls: [{ name: 'list_files', input: {} }] }), kind)
    value(await of.changeSettings(of.caller, { chat: { stepsPerTurn: 3 } }))
    onTestFinished(async () => void (await of.changeSettings(of.caller, { chat: { stepsPerTurn: null } })))
    expect(await ask('?')).toMatchObject({ state: 'limited', step: 3, problem: { code: 'chat.limit' } })
    expect(fake.asked).toHaveLength(3)
  })

  it('is cut off at the length of an answer without running what it asked for', async () => {
    const { ask, items } = await chat([{ text: 'Long', calls: [code('print(1)')], fault: 'length' }], kind)
    expect(await ask('?')).toMatchObject({ state: 'limited', problem: { code: 'chat.limit' } })
    expect((await items()).some(item => item.kind === 'cell')).toBe(false)
  })

  it('stops where money or tokens run out, after a warning at four fifths', async () => {
    const {
      ask,
      engine: of,
      who,
      conversation,
    } = await chat([{ text: 'x', usage: { input: 900_000, output: 0 } }], kind)
    value(await of.changeSettings(who, { chat: { costPerConversation: 3, costPerDay: 1000 } }))
    onTestFinished(
      async () => void (await of.changeSettings(who, { chat: { costPerConversation: null, costPerDay: null } })),
    )
    expect((await ask('?')).state).toBe('done')
    expect((await of.chat.spending(who, conversation)).warnings[0]).toContain('$2.70 of $3.00')
    expect((await ask('?')).notices[0]).toContain('$2.70')
    expect(await ask('?')).toMatchObject({ state: 'limited', problem: { message: expect.stringContaining('$5.40') } })
  })

  it('is not asked about the same refused code twice', async () => {
    const { policy, version } = await engine.approval.policy.current()
    value(
      (await engine.approval.policy.save(
        { ...policy, blocked: { violations: [], imports: ['socket'] } },
        engine.caller.user,
        version,
      )) as never,
    )
    onTestFinished(async () => {
      const now = await engine.approval.policy.current()
      await engine.approval.policy.save(policy, engine.caller.user, now.version)
    })
    const { ask, fake, said } = await chat(
      [{ calls: [code('import socket')] }, { calls: [code('import socket')] }, { text: 'I cannot do that here.' }],
      kind,
    )
    expect((await ask('?')).state).toBe('done')
    expect(JSON.stringify(fake.asked[1]?.body)).toContain('does not let code import socket')
    expect(JSON.stringify(fake.asked[2]?.body)).toContain('nobody was asked again')
    expect((await said()).at(-1)).toContain('I cannot')
  })
})
