import { describe, expect, it } from 'vitest'
import { chatsInOneEngine, chatWith, value } from './testing.ts'

const chat = chatsInOneEngine()

interface Sent {
  readonly messages: { readonly role: string; readonly content: string }[]
  readonly tools?: unknown[]
}
const sentIn = (body: unknown) => body as Sent
/** The results that the model was given, in order. */
const resultsIn = (body: unknown) =>
  sentIn(body)
    .messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => content)
const call = (name: string, input: object) => ({ name, input })

describe('what a model may look at', () => {
  it('is files and variables of the path: bounded, with tokens, and with what is there where it asks for what is not', async () => {
    const code = `who = "ja" + "ne.d" + "oe" + "@" + "bank.ie"
long = "x" * 100_000
open("clients.csv", "w").write("name,mail\\nJane," + who + "\\n")
open("long.txt", "w").write("a line of it\\n" * 20_000)
open("row.json", "w").write((who + ",") * 4000)
open("rows.json", "w").write((who + ",") * 70_000)
print("a, b " + (who + ",") * 5000)
open("raw.bin", "wb").write(b"\\0\\1")`
    const { ask, fake, engine, who, conversation } = await chat([
      { calls: [call('run_code', { language: 'python', code })] },
      {
        calls: [
          call('list_files', {}),
          call('read_file', { path: 'clients.csv' }),
          call('read_file', { path: 'long.txt', offset: 100, length: 16_000 }),
          call('read_file', { path: 'row.json', length: 16_000 }),
          call('read_file', { path: 'rows.json', length: 16_000 }),
          call('read_file', { path: 'raw.bin' }),
          call('read_file', { path: 'none.csv' }),
          call('read_file', { path: '../../etc/passwd' }),
          call('inspect_variable', { name: 'who' }),
          call('inspect_variable', { name: 'long' }),
          call('inspect_variable', { name: 'lost' }),
        ],
      },
      { text: 'I have looked.' },
    ])
    expect(await ask('What is there?')).toMatchObject({ state: 'done', step: 3 })
    const [ran, listed, clients, long, row, rows, raw, none, outside, whose, letters, lost] = resultsIn(
      fake.asked[2]?.body,
    )
    expect(JSON.parse(ran ?? '')).toMatchObject({ success: true, stdout: expect.stringContaining('[EMAIL_1],') })
    expect(listed).toMatch(/^clients\.csv\t\d+ bytes\nlong\.txt\t260000 bytes\nraw\.bin\t2 bytes\nrow/)
    expect(clients).toBe('name,mail\nJane,[EMAIL_1]\n')
    expect(long?.length).toBeGreaterThan(1000)
    expect(long?.length).toBeLessThan(16_200)
    expect(long?.startsWith('a line of it\n')).toBe(true)
    // One line each, longer than what is read at once or shown: no half of a value stands where it was cut.
    for (const each of [row, rows]) expect(each?.replaceAll(/\[EMAIL_1\],/g, '').length).toBeLessThan(200)
    expect(raw).toContain('not a text file')
    expect(none).not.toContain('root:')
    expect(outside).not.toContain('root:')
    expect(whose).toContain('[EMAIL_1]')
    expect(letters?.length).toBeLessThan(2000)
    expect(lost).toMatch(/^There is no variable lost\. There are: .*long/)
    expect(fake.received()).not.toContain('jane')
    const ledger = await engine.chat.ledger(who, { conversation, limit: 10 })
    expect(ledger.map(({ replaced }) => replaced)).toEqual([
      { EMAIL: expect.any(Number) },
      { EMAIL: expect.any(Number) },
      {},
    ])
  })
})

describe('run_code', () => {
  it('gives back what a run has to say of itself, ends at the time that was asked for, and takes sh for a shell', async () => {
    const { ask, fake, items } = await chat([
      { calls: [call('run_code', { language: 'sh', code: 'echo from the shell' })] },
      { calls: [call('run_code', { language: 'python', code: 'import time; time.sleep(100)', timeout_seconds: 1 })] },
      { calls: [call('run_code', { language: 'python', code: '1', timeout_seconds: 601 })] },
      { text: 'Done.' },
    ])
    expect((await ask('Try it')).state).toBe('done')
    const [shell = '', slow = '', tooLong = ''] = resultsIn(fake.asked[3]?.body)
    expect(JSON.parse(shell)).toEqual({
      ...{ success: true, stdout: 'from the shell\n', stderr: '', exitCode: 0, outputs: [] },
      ...{ executionTimeMs: expect.any(Number), sandboxId: expect.stringMatching(/./) },
    })
    expect(JSON.parse(slow)).toMatchObject({ success: false, error: expect.stringMatching(/^TimeLimit/) })
    expect(tooLong).toContain('The arguments do not fit the tool: timeout_seconds')
    const cells = (await items()).filter(item => item.kind === 'cell')
    expect(cells.map(({ language }) => language)).toEqual(['bash', 'python'])
  })

  it('makes cells that the model wrote on behalf of who asked it', async () => {
    const { engine, ask, items, who, path, conversation, model } = await chat([
      { calls: [call('run_code', { language: 'python', code: 'print(1)' })] },
      { text: 'Done.' },
    ])
    await ask('Print one')
    const cell = (await items()).find(item => item.kind === 'cell')
    if (!cell) throw new Error('no cell')
    const [first] = value(await engine.conversations.revisions(who, path, cell.id))
    expect(first?.by).toEqual({ user: who.user, assistant: model.model })
    // Nor does the record take what was asked and what was written on the person's behalf for one.
    const { items: added } = await engine.audit.query({
      filter: { conversation, actions: ['message.added'] },
      limit: 10,
    })
    const facts = added.map(({ entry }) => entry.details as { assistant?: string })
    expect(facts.map(({ assistant }) => assistant)).toEqual([model.model, model.model, undefined])
  })
})

describe('without a sandbox', () => {
  it('a model is offered no tools and told so; it answers, and the person is told too', async () => {
    const {
      ask,
      fake,
      said,
      engine: own,
    } = await chatWith(
      'compatible',
      [
        { text: 'I cannot run it, but I can say this.', calls: [call('run_code', { language: 'python', code: '1' })] },
        { text: 'So.' },
      ],
      { env: { PATH: '/nonexistent' } },
    )
    const { policy, version } = await own.approval.policy.current()
    const minimumIsolation = { ...policy.minimumIsolation, low: 'microvm' as const }
    value((await own.approval.policy.save({ ...policy, minimumIsolation }, own.caller.user, version)) as never)
    const turn = await ask('What is 2 + 2?')
    expect(turn).toMatchObject({
      state: 'done',
      notices: [expect.stringMatching(/^Code cannot be run in this answer\. /)],
    })
    expect(fake.asked.map(({ body }) => sentIn(body).tools ?? [])).toEqual([[], []])
    expect(JSON.stringify(fake.asked[0]?.body)).toContain('there are no tools')
    // A model that calls one all the same makes no cell.
    expect(JSON.stringify(fake.asked[1]?.body)).toContain('No tool can be used at the moment.')
    expect(await said()).toEqual([
      'analyst says: What is 2 + 2?',
      'assistant says: I cannot run it, but I can say this.',
      'assistant says: So.',
    ])
  })
})

describe('an answer', () => {
  it('keeps what the model thought beside what it said, and does not send it back', async () => {
    const { engine, ask, fake, said, who, path } = await chat([
      { reasoning: 'First I weigh PONDER.', text: 'Four.' },
      { text: 'Still four.' },
    ])
    await ask('Two and two?')
    expect((await said())[1]).toBe('assistant says: Four.')
    const { parts } = value(await engine.chat.open(who, path))
    expect(parts.flatMap(each => each.parts)).toContainEqual({ kind: 'reasoning', text: 'First I weigh PONDER.' })
    await ask('Sure?')
    expect(JSON.stringify(fake.asked[1]?.body)).toContain('Four.')
    expect(fake.received()).not.toContain('PONDER')
  })

  it('has its figures looked for in all that a table holds, not in what is printed of it', async () => {
    const code = `class Table:
    def _repr_json_(self):
        return {"rows": [n * 1.25 for n in range(40_000)]}
    def __repr__(self):
        return "a table"
Table()`
    const { engine, ask, items, who, path } = await chat([
      { calls: [call('run_code', { language: 'python', code })] },
      { text: 'It comes to 37,501.25 there, and to 99.99 nowhere.' },
    ])
    await ask('What does it come to?')
    const cell = (await items()).find(item => item.kind === 'cell')
    expect(cell).toMatchObject({ lastRun: { outputs: [{ whole: false }] } })
    const { parts } = value(await engine.chat.open(who, path))
    const figures = parts.flatMap(each => each.parts).flatMap(part => (part.kind === 'figures' ? part.figures : []))
    expect(figures.map(each => each.cell)).toEqual([cell?.id, null])
  })

  it('comes from the model that its question was sent to', async () => {
    const { engine, ask, fake, who, path, provider, settled } = await chat([{ text: 'One.' }, { text: 'Two.' }])
    await ask('First?')
    const model = { provider: provider.id, model: 'fake-2' }
    value(await engine.chat.ask(who, { path, text: 'Second?', model, seen: true }))
    await settled()
    expect(fake.asked.map(({ body }) => body.model)).toEqual(['fake-1', 'fake-2'])
    const { turns } = value(await engine.chat.open(who, path))
    expect(turns.map(turn => turn.model.model)).toEqual(['fake-1', 'fake-2'])
  })
})
