import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { MessageId } from '../contract/ids.ts'
import { asking, chatWith, value } from './testing.ts'

describe('a question', () => {
  it('takes files along: their beginning, with tokens, through the egress guard', async () => {
    const { engine, who, path, model, fake, settled } = await chatWith('anthropic', [{ text: 'Read.' }])
    const folder = value(await engine.files(who, path))
    value(await folder.write('clients.csv', Buffer.from('name,mail\nJane,jane.doe@bank.ie\n')))
    value(await folder.write('row.json', Buffer.from('jane.doe@bank.ie,'.repeat(5000))))
    value(await folder.write('picture.bin', Buffer.from([0, 1, 2, 0])))
    const attachments = ['clients.csv', 'row.json', 'picture.bin']
    value(await engine.chat.ask(who, { path, text: 'Whose mail is it?', model, seen: true, attachments }))
    expect((await settled()).state).toBe('done')
    const sent = fake.received()
    expect(sent).toContain('clients.csv')
    expect(sent).toContain('[EMAIL_1]')
    expect(sent).toContain('(not text)')
    // Nor half of it, where a long line was cut.
    expect(sent).not.toContain('jane')
    const { parts } = value(await engine.chat.open(who, path))
    expect(JSON.stringify(parts)).not.toContain('jane.doe')
    expect(await engine.chat.ask(who, { path, text: '?', model, seen: true, attachments: ['gone.csv'] })).toMatchObject(
      { ok: false },
    )
  })

  it('is edited and sent again on the same path: the old text is kept, the old answer can be undone back', async () => {
    const { engine, who, path, model, ask, items, said, settled, fake } = await chatWith('compatible', [
      { text: 'Four.' },
      { text: 'Nine.' },
    ])
    await ask('Two times two?')
    const [question] = await items()
    if (question?.kind !== 'message') throw new Error('no question')
    const id = question.id as MessageId
    const edit = { path, question: id, model, seen: true, text: 'Three times three?' }
    value(await engine.chat.resend(who, { ...edit, expectedRevision: question.revision }))
    await settled()
    expect(await said()).toEqual(['analyst says: Three times three?', 'assistant says: Nine.'])
    expect(JSON.stringify(fake.asked[1]?.body)).not.toContain('Four.')
    const revisions = value(await engine.conversations.revisions(who, path, id))
    expect(JSON.stringify(revisions)).toContain('Two times two?')
    // Changed by somebody else meanwhile: nothing is sent.
    const stale = await engine.chat.resend(who, { ...edit, text: 'Five?', expectedRevision: question.revision })
    expect(stale).toMatchObject({ ok: false, problem: { code: 'conflict' } })
    expect(fake.asked).toHaveLength(2)
  })

  it('can branch from any message: the branch is told what was before it and nothing of what came after', async () => {
    const { engine, who, path, provider, ask, items, fake } = await chatWith('openai', [
      { text: 'First answer.' },
      { text: 'Second answer.' },
      { text: 'Another second.' },
    ])
    await ask('First?')
    const after = (await items()).at(-1)?.id
    await ask('Second?')
    const branched = value(await engine.branch(who, { path, after: after ?? null, name: 'otherwise' }))
    const branch = asking(engine, provider, branched.id)
    expect((await branch.ask('Second, otherwise?')).state).toBe('done')
    expect(await branch.said()).toEqual([
      'analyst says: First?',
      'assistant says: First answer.',
      'analyst says: Second, otherwise?',
      'assistant says: Another second.',
    ])
    const told = JSON.stringify(fake.asked[2]?.body)
    expect(told).toContain('First answer.')
    expect(told).not.toContain('Second answer.')
  })
})

describe('what is measured of an answer', () => {
  it('are spans and figures under the known names, inside each other, with ids and kinds and no content', async () => {
    const bodies: string[] = []
    const collector = createServer(async (request, response) => {
      let body = ''
      for await (const piece of request) body += piece
      bodies.push(body)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
    await new Promise<void>(resolve => collector.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void collector.close())
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
    const { engine, who, path, conversation, ask, close } = await chatWith(
      'compatible',
      [
        {
          text: 'QUOKKA says',
          calls: [
            { name: 'run_code', input: { language: 'python', code: 'print("QUOKKA")' } },
            { name: 'run_analysis', input: { type: 'data_analysis', analysis: 'hhi', parameters: { amounts: ['1'] } } },
            { name: 'QUOKKA', input: {} },
          ],
        },
        { text: 'QUOKKA' },
      ],
      { env: { COUNTERSIGN_TELEMETRY_ENDPOINT: endpoint } },
    )
    expect((await ask('QUOKKA?')).state).toBe('done')
    value(await engine.chat.forceTool(who, { tool: 'run_code', path, language: 'python', code: 'print("QUOKKA")' }))
    await engine.runs.idle()
    await close()

    const whole = bodies.join('\n')
    expect(whole).not.toContain('QUOKKA')
    const spans = bodies
      .flatMap(body => (JSON.parse(body) as Traces).resourceSpans ?? [])
      .flatMap(each => each.scopeSpans.flatMap(scope => scope.spans))
    const of = (name: string) => spans.filter(span => span.name === name)
    const attributes = (span: Span | undefined) =>
      Object.fromEntries((span?.attributes ?? []).map(({ key, value: v }) => [key, v.stringValue ?? v.boolValue]))
    const place = { 'app.tenant.id': who.tenant, 'app.conversation.id': conversation, 'app.path.id': path }
    const [answer] = of('compliance.chat.answer')
    const [code, forced] = of('compliance.tool.run_code')
    const [analysis] = of('compliance.tool.run_analysis')
    expect(attributes(answer)).toMatchObject(place)
    expect(attributes(code)).toMatchObject({
      ...place,
      'tool.name': 'run_code',
      'tool.forced': false,
      'sandbox.id': expect.stringMatching(/./),
    })
    expect(attributes(analysis)).toMatchObject({ ...place, 'tool.name': 'run_analysis', 'tool.forced': false })
    expect(attributes(forced)).toMatchObject({ ...place, 'tool.forced': true })
    expect([code?.parentSpanId, analysis?.parentSpanId]).toEqual([answer?.spanId, answer?.spanId])
    const names = new Set(spans.flatMap(span => span.attributes.map(({ key }) => key)))
    const known = /^(app|sandbox|tool|code|risk|error)\.[a-z.]+$|^success$|^reason$/
    expect([...names].filter(name => !known.test(name))).toEqual([])
    for (const metric of [
      'code_execution_tokens_used',
      'chat_cost_usd',
      'chat_first_token_ms',
      'chat_tool_errors_total',
    ])
      expect(whole).toContain(`"${metric}"`)
  })
})

interface Span {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: readonly { key: string; value: { stringValue?: string; boolValue?: boolean } }[]
}
interface Traces {
  readonly resourceSpans?: readonly { scopeSpans: readonly { spans: readonly Span[] }[] }[]
}
