import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { providerKinds } from '../contract/chat.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
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
  it('holds no original value, over any protocol, chunking, arguments, errors and retries', async () => {
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

  it('names files by tokens, and finds them again by those', async () => {
    const fake = await fakeProvider('compatible', [
      { calls: [{ name: 'list_files', input: {} }] },
      { calls: [{ name: 'read_file', input: { path: '[EMAIL_1] balance.csv' } }] },
      { calls: [{ name: 'read_file', input: { path: '../[EMAIL_1]' } }] },
      { text: 'Read.' },
    ])
    onTestFinished(() => fake.close())
    const chat = await chatIn(engine, fake)
    const files = value(await engine.files(chat.who, chat.path))
    value(await files.write('jane.doe@bank.ie balance.csv', Buffer.from('balance\n1250\n')))
    expect((await chat.ask('What does the file hold?')).state).toBe('done')
    expect(JSON.stringify(fake.asked[2]?.body)).toContain('1250')
    expect(JSON.stringify(fake.asked[1]?.body)).toContain('[EMAIL_1] balance.csv')
    expect(fake.received()).not.toContain('jane.doe')
  })

  it('means the same in a copy of the conversation, which is as confidential as that', async () => {
    const fake = await fakeProvider('compatible', [{ text: 'It is [EMAIL_1].' }])
    onTestFinished(() => fake.close())
    const chat = await chatIn(engine, fake)
    const far = await chatIn(engine, { kind: 'anthropic', baseUrl: 'https://models.invalid/v1' })
    await chat.ask('Who is jane.doe@bank.ie?')
    value(await engine.chat.setConfidential(chat.who, chat.conversation, true))
    const copy = value(await engine.conversations.duplicate(chat.who, chat.conversation)).conversation
    const view = value(await engine.chat.open(chat.who, copy.main))
    expect(view).toMatchObject({ values: { '[EMAIL_1]': 'jane.doe@bank.ie' }, confidential: true })
    const asked = { path: copy.main, text: 'And sean.doe@bank.ie?', seen: true }
    expect(await engine.chat.ask(chat.who, { ...asked, model: far.model })).toMatchObject({
      problem: { code: 'chat.policy' },
    })
    value(await engine.chat.ask(chat.who, { ...asked, model: chat.model }))
    await engine.chat.idle()
    const { values } = value(await engine.chat.open(chat.who, copy.main))
    expect(values).toMatchObject({ '[EMAIL_1]': 'jane.doe@bank.ie', '[EMAIL_2]': 'sean.doe@bank.ie' })
    // The one that was copied knows nothing of what is said in the copy.
    expect(value(await engine.chat.open(chat.who, chat.path)).values['[EMAIL_2]']).toBeUndefined()
  })

  it('is not half of a value either, wherever a long cell, a file or an attachment is cut', async () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\n'.repeat(60)}-----END PRIVATE KEY-----`
    const table = `surname,phone\n${Array.from({ length: 300 }, (_, at) => `Zyzzogeton${at},0${at}`).join('\n')}\n`
    const iban = 'IE29AIBK93115212345678'
    const fake = await fakeProvider('compatible', [
      { calls: [{ name: 'read_file', input: { path: 'key.txt', offset: 500, length: 300 } }] },
      { calls: [{ name: 'read_file', input: { path: 'people.csv', offset: 900, length: 300 } }] },
      { text: 'Read.' },
    ])
    onTestFinished(() => fake.close())
    const chat = await chatIn(engine, fake)
    const files = value(await engine.files(chat.who, chat.path))
    value(await files.write('key.txt', Buffer.from(`${key}\n`)))
    value(await files.write('people.csv', Buffer.from(table)))
    for (const before of [4192, 4195, 4198, 4190]) {
      const text = `x = "${'a'.repeat(before - 40)} ${'b'.repeat(24)} ${iban} ${'c '.repeat(2000)}"`
      const cell = { kind: 'cell', author: 'analyst', language: 'python', text } as const
      await engine.conversations.insert(chat.who, { path: chat.path, items: [cell] })
    }
    const asked = { path: chat.path, text: 'Read all', model: chat.model, attachments: ['key.txt'], seen: true }
    value(await engine.chat.ask(chat.who, asked))
    expect((await chat.settled()).state).toBe('done')
    const sent = fake.received()
    expect(sent).toContain('[IBAN_1]')
    for (let at = 0; at + 8 <= iban.length; at++) expect(sent).not.toContain(iban.slice(at, at + 8))
    expect(sent).not.toContain('MIIEvQIBADANBgkqhkiG9w0')
    expect(sent).not.toContain('Zyzzogeton')
  })

  it('is found in the forms that a program prints it in for a model that wants it', async () => {
    const code = `import base64, urllib.parse, json
v = "[EMAIL_1]"
print("b64", base64.b64encode(v.encode()).decode())
print("hex", v.encode().hex())
print("rev", v[::-1])
print("big", v.upper())
print("gap", " ".join(v))
print("dash", "-".join(v))
print("lines")
print("\\n".join(v))
print("esc", "".join(f"\\\\u{ord(c):04x}" for c in v))
print("html", "".join(f"&#{ord(c)};" for c in v))
print("pct", "".join(f"%{ord(c):02x}" for c in v))
print(json.dumps({"in": base64.b64encode(json.dumps({"who": v}).encode()).decode()}))`
    const fake = await fakeProvider('anthropic', [
      { calls: [{ name: 'run_code', input: { language: 'python', code } }] },
      { text: 'Thank you.' },
    ])
    onTestFinished(() => fake.close())
    const chat = await chatIn(engine, fake)
    expect(await chat.ask('Who is jane.doe@bank.ie?')).toMatchObject({ state: 'done', problem: null })
    const result = JSON.stringify(fake.asked[1]?.body)
    for (const label of ['b64', 'hex', 'rev', 'big', 'gap', 'dash', 'esc', 'html', 'pct'])
      expect(result, label).toMatch(new RegExp(`${label} \\[[A-Z]+_\\d+\\]`))
    expect(result).not.toMatch(/j\W*a\W*n\W*e\W*d\W*o\W*e|e\W*i\W*\.\W*k\W*n\W*a\W*b/i)
    expect(result).not.toContain(Buffer.from('jane.doe').toString('base64').slice(0, 9))
  })

  it('leaves code that indexes by a name as it is, through the model and back', async () => {
    const fake = await fakeProvider('compatible', [
      { calls: [{ name: 'run_code', input: { language: 'python', code: 'N_1 = 1\nprint([10, 20][LITERAL_1] * 2)' } }] },
      { text: 'Done.' },
    ])
    onTestFinished(() => fake.close())
    const chat = await chatIn(engine, fake)
    await engine.conversations.insert(chat.who, {
      path: chat.path,
      items: [{ kind: 'cell', author: 'analyst', language: 'python', text: 'N_1 = 1\nprint(rows[N_1])' }],
    })
    expect((await chat.ask('Double it')).state).toBe('done')
    expect(JSON.stringify(fake.asked[0]?.body)).toContain('rows[LITERAL_1]')
    const cell = (await chat.items()).findLast(item => item.kind === 'cell')
    expect(cell).toMatchObject({ text: 'N_1 = 1\nprint([10, 20][N_1] * 2)', lastRun: { success: true } })
  })

  it('is never meant by a token that came with a text from elsewhere', async () => {
    const fake = await fakeProvider('compatible', [{ text: 'Noted.' }, { text: 'For [EMAIL_2].' }])
    onTestFinished(() => fake.close())
    const chat = await chatIn(engine, fake)
    await engine.conversations.insert(chat.who, {
      path: chat.path,
      items: [{ kind: 'message', author: 'assistant', text: 'From a template: [EMAIL_1] owes 100.' }],
    })
    await chat.ask('I am jane.doe@bank.ie')
    const { values } = value(await engine.chat.open(chat.who, chat.path))
    expect(values['[EMAIL_1]']).toBeUndefined()
    expect(values['[EMAIL_2]']).toBe('jane.doe@bank.ie')
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
