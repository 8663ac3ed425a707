import { describe, expect, it } from 'vitest'
import { chatWith, value } from './testing.ts'

const untitled = 'Untitled, today'
const isTitle = ({ body }: { body: unknown }) => JSON.stringify(body).includes('a title of two to six words')

describe('the title of a conversation', () => {
  it('is asked for with the beginning of the question, which ends in no half of a value', async () => {
    const { engine, who, conversation, ask, fake } = await chatWith('compatible', [{ text: 'Four.' }, { text: 'Sums' }])
    value(await engine.conversations.rename(who, { conversation, title: untitled }))
    await ask(`${'x '.repeat(996)}jane.doe@bank.ie`)
    await engine.chat.idle()
    expect(fake.asked.map(isTitle)).toEqual([false, true])
    expect(fake.received()).not.toContain('jane')
    expect(value(await engine.conversations.tree(who, conversation)).conversation.title).toBe('Sums')
  })

  it('is not asked for where the conversation has become confidential meanwhile', async () => {
    const gate = Promise.withResolvers<void>()
    const { engine, who, conversation, path, model, fake, until } = await chatWith('compatible', [
      { text: 'It is four.', chunk: 3, gate: gate.promise },
      { text: 'Sums' },
    ])
    const { policy, version } = await engine.approval.policy.current()
    const models = { ...policy.models, confidential: 'none' as const }
    await engine.approval.policy.save({ ...policy, models }, who.user, version)
    value(await engine.conversations.rename(who, { conversation, title: untitled }))
    value(await engine.chat.ask(who, { path, text: 'Two times two?', model, seen: true }))
    const done = until('done')
    value(await engine.chat.setConfidential(who, conversation, true))
    gate.resolve()
    await done
    await engine.chat.idle()
    expect(fake.asked.filter(isTitle)).toEqual([])
    expect(value(await engine.conversations.tree(who, conversation)).conversation.title).toBe(untitled)
  })
})
