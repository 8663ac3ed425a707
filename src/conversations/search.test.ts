import { describe, expect, it } from 'vitest'
import type { CellId } from '../contract/ids.ts'
import { cell, desk, printed, said, value } from './testing.ts'

const start = async () => {
  const at = await desk()
  const { conversation } = value(await at.conversations.create(at.who, { title: 'Capital review Q3' }))
  const main = conversation.main
  const find = async (text: string) =>
    (await at.conversations.search(at.who, { text })).map(hit => [hit.where, hit.pathName, hit.snippet])
  const insert = async (...items: Parameters<typeof at.conversations.insert>[1]['items']) =>
    value(await at.conversations.insert(at.who, { path: main, items }))
  return { ...at, main, conversation, find, insert }
}

describe('search', () => {
  it('finds words and their beginnings in titles, path names, messages, code and output', async () => {
    const { find, insert, run, main, conversations, who } = await start()
    const [question, code] = await insert(
      said('What is the Überschuldung?'),
      cell('exposures.assign(interest_rate=0.05)'),
    )
    if (!question || !code) expect.fail('nothing inserted')
    await run(main, code.id as CellId, code.text, [printed('CET1 11.84 %')])
    value(await conversations.branch(who, { path: main, after: question.id, name: 'stress +200bp' }))
    expect(await find('capital')).toEqual([['title', 'main', 'Capital review Q3']])
    expect(await find('stress')).toEqual([['path', 'stress +200bp', 'stress +200bp']])
    expect(await find('uberschuld')).toEqual([['message', 'main', 'What is the Überschuldung?']])
    expect(await find('assign rate')).toEqual([['code', 'main', code.text]])
    expect(await find('11.84')).toEqual([['output', 'main', 'CET1 11.84 %']])
    expect(await find('nowhere')).toEqual([])
  })

  it('finds what a path shows now, and old text only where a branch still shows it', async () => {
    const { find, insert, main, conversations, who, items } = await start()
    const [first] = await insert(cell('alpha'))
    if (!first) expect.fail('nothing inserted')
    const edit = async (text: string) => {
      const revision = (await items(main))[0]?.revision ?? 0
      value(await conversations.edit(who, { path: main, item: first.id, text, expectedRevision: revision }))
    }
    await edit('beta')
    expect(await find('alpha')).toEqual([])
    value(await conversations.branch(who, { path: main, after: first.id, name: 'kept' }))
    await edit('gamma')
    expect(await find('beta')).toEqual([['code', 'kept', 'beta']])
    value(await conversations.removeItems(who, { path: main, items: [first.id] }))
    expect(await find('gamma')).toEqual([])
  })

  it('takes operators, quotes and symbols for plain text', async () => {
    const { find, insert } = await start()
    await insert(said('profit AND loss "near" NOT*'))
    for (const text of ['AND loss', '"near"', 'NOT*', 'profit -loss', 'near) OR (1', "'; drop table texts; --"]) {
      const hits = await find(text)
      expect(hits.length, text).toBe(text.includes('OR') || text.includes('drop') ? 0 : 1)
    }
    expect(await find('*** ---')).toEqual([])
  })

  it('marks what matched and shows the text around it', async () => {
    const { conversations, who, insert } = await start()
    await insert(said(`${'before '.repeat(100)}the needle${' after'.repeat(100)}`))
    const [hit] = await conversations.search(who, { text: 'NEEDLE' })
    expect(hit?.snippet.length).toBeLessThanOrEqual(160)
    expect(hit?.marks.map(([from, to]) => hit.snippet.slice(from, to))).toEqual(['needle'])
  })

  it('forgets a deleted conversation until it is restored', async () => {
    const { find, insert, conversations, who, conversation } = await start()
    await insert(said('needle'))
    value(await conversations.remove(who, conversation.id))
    expect(await find('needle')).toEqual([])
    value(await conversations.restore(who, conversation.id))
    expect(await find('needle')).toHaveLength(1)
  })
})
