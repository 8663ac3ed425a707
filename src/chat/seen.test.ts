import { describe, expect, it } from 'vitest'
import type { MessageId } from '../contract/ids.ts'
import { decideOn } from './deciding.testing.ts'
import type { Script } from './fake-provider.testing.ts'
import { chatIn, chatsInOneEngine, value } from './testing.ts'

const open = chatsInOneEngine()

async function chat(script: Script) {
  const opened = await open(script)
  const question = async () => (await opened.items()).findLast(({ author }) => author === 'analyst')?.id as MessageId
  return { question, ...opened }
}

/** A request's messages as a preview has them. */
const messagesIn = (body: unknown) =>
  (body as { messages: { role: string; content: string | { text: string }[] }[] }).messages.map(
    ({ role, content }) => ({
      role,
      text: typeof content === 'string' ? content : content.map(({ text }) => text).join('\n'),
    }),
  )

describe('what is shown before it leaves', () => {
  it('is every text of the request, with names and beginnings of files, whether it is asked or asked again', async () => {
    const { engine, who, path, model, fake, ask, settled, question } = await chat([
      { text: 'Before.' },
      { text: 'Whose mail.' },
      { text: 'Once more.' },
    ])
    await ask('Who is jane.doe@bank.ie?')
    await engine.conversations.insert(who, {
      path,
      items: [{ kind: 'cell', author: 'analyst', language: 'python', text: 'client = "sean.doe@bank.ie"' }],
    })
    value(await value(await engine.files(who, path)).write('clients.csv', Buffer.from('mail\njane.doe@bank.ie\n')))
    const asked = { path, text: 'And sean.doe@bank.ie?', model, attachments: ['clients.csv'] }
    const shown = value(await engine.chat.preview(who, asked))
    value(await engine.chat.ask(who, { ...asked, seen: true }))
    await settled()
    expect(shown.messages).toEqual(messagesIn(fake.asked[1]?.body))
    expect(JSON.stringify(shown)).toContain('Attached: clients.csv')
    expect(shown.counts).toMatchObject({ EMAIL: expect.any(Number) })

    // Asked again, the answer before is not part of it.
    const again = { path, question: await question(), model }
    const next = value(await engine.chat.preview(who, again))
    value(await engine.chat.retry(who, { ...again, seen: true }))
    await settled()
    expect(next.messages).toEqual(messagesIn(fake.asked[2]?.body))
    expect(JSON.stringify(next)).not.toContain('Whose mail.')
    expect(await engine.chat.preview(who, { ...again, question: crypto.randomUUID() as MessageId })).toMatchObject({
      ok: false,
    })
  })

  it('is shown too when an old question goes to a new provider, or on to a new address', async () => {
    const { engine, who, path, provider, model, fake, ask, said, question } = await chat([
      { text: 'Near.' },
      { status: 401 },
    ])
    const far = await chatIn(engine, { kind: 'anthropic', baseUrl: 'https://models.invalid/v1' })
    const unseen = { ok: false, problem: { code: 'chat.unseen' } }
    await ask('Where am I?')
    const again = { path, question: await question() }
    expect(await engine.chat.retry(who, { ...again, model: far.model })).toMatchObject(unseen)
    // Nothing was taken off the path for it.
    expect(await said()).toEqual(['analyst says: Where am I?', 'assistant says: Near.'])

    const failed = await ask('And now?')
    expect(failed.state).toBe('failed')
    const { id, kind, name, models } = provider
    value(await engine.chat.providers.save(who, { id, kind, name, models, baseUrl: 'https://models.invalid/v1' }))
    expect(await engine.chat.goOn(who, failed.id)).toMatchObject(unseen)
    expect(await engine.chat.retry(who, { path, question: await question(), model })).toMatchObject(unseen)
    expect(fake.asked).toHaveLength(2)
  })

  it('is asked for anew where an answer that rested would go on to another address', async () => {
    const { engine, who, path, provider, model, fake, settled, until } = await chat([
      { calls: [{ name: 'run_code', input: { language: 'bash', code: 'rm -rf /work/data' } }] },
      { text: 'Never asked.' },
    ])
    value(await engine.chat.ask(who, { path, text: 'Clean up', model, seen: true }))
    const resting = await until('resting')
    const { id, kind, name, models } = provider
    value(await engine.chat.providers.save(who, { id, kind, name, models, baseUrl: 'https://models.invalid/v1' }))
    await decideOn(engine, resting.waiting?.request as never, 'deny', 'not now')
    await until('failed')
    expect(await settled()).toMatchObject({ state: 'failed', problem: { code: 'chat.unseen' } })
    expect(fake.asked).toHaveLength(1)
  })
})
