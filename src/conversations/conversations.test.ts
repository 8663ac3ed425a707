import { describe, expect, it } from 'vitest'
import type { CellId, PathId } from '../contract/ids.ts'
import { passed } from '../privacy/testing.ts'
import { caller, cell, codeOf, desk, printed, said, value } from './testing.ts'

const start = async (...texts: string[]) => {
  const at = await desk()
  const { conversation } = value(await at.conversations.create(at.who, { title: 'Capital review Q3' }))
  const main = conversation.main
  if (texts.length > 0)
    value(await at.conversations.insert(at.who, { path: main, items: texts.map(text => cell(text)) }))
  const [first, second, third] = (await at.items(main)).map(item => item.id as CellId)
  return { ...at, conversation, main, first: first as CellId, second: second as CellId, third: third as CellId }
}

describe('a branch', () => {
  it('sees its parent up to the branch point as it was, whatever the parent does later', async () => {
    const { conversations, who, main, second, third, texts, items, run } = await start('a', 'b', 'c')
    await run(main, second, 'b', [printed('before\n')])
    const branch = value(await conversations.branch(who, { path: main, after: second }))
    expect(await texts(branch.id)).toEqual(['a', 'b'])
    const [, inherited] = await items(main)
    value(
      await conversations.edit(who, {
        path: main,
        item: second,
        text: 'B',
        expectedRevision: inherited?.revision ?? 0,
      }),
    )
    value(await conversations.removeItems(who, { path: main, items: [third] }))
    await run(main, second, 'B', [printed('after\n')])
    expect(await texts(branch.id)).toEqual(['a', 'b'])
    const kept = (await items(branch.id))[1]
    expect(kept).toMatchObject({ inherited: true, lastRun: { path: main, stale: false } })
    expect(JSON.stringify(kept)).toContain('before')
    expect(await texts(main)).toEqual(['a', 'B'])
  })

  it('keeps its own edits, removals and orders to itself', async () => {
    const { conversations, who, main, first, second, third, texts, items } = await start('a', 'b', 'c')
    const branch = value(await conversations.branch(who, { path: main, after: third })).id
    const [shown] = await items(branch)
    value(
      await conversations.edit(who, { path: branch, item: first, text: 'A', expectedRevision: shown?.revision ?? 0 }),
    )
    value(await conversations.removeItems(who, { path: branch, items: [second] }))
    value(await conversations.move(who, { path: branch, items: [third], after: null }))
    expect(await texts(branch)).toEqual(['c', 'A'])
    expect(await texts(main)).toEqual(['a', 'b', 'c'])
    expect((await items(branch)).map(item => item.inherited)).toEqual([false, false])
  })

  it('can grow from an inherited item of another branch, and from before the first', async () => {
    const { conversations, who, main, first, second, texts } = await start('a', 'b')
    const one = value(await conversations.branch(who, { path: main, after: second })).id
    const two = value(await conversations.branch(who, { path: one, after: first })).id
    const none = value(await conversations.branch(who, { path: two, after: null })).id
    value(await conversations.insert(who, { path: two, items: [said('x')] }))
    expect([await texts(one), await texts(two), await texts(none)]).toEqual([['a', 'b'], ['a', 'x'], []])
  })

  it('keeps what it inherited when its parent is deleted while it runs, and the run is there after a restore', async () => {
    const { conversations, who, main, first, conversation, texts, run, items, ended } = await start('a')
    const parent = value(await conversations.branch(who, { path: main, after: first })).id
    const child = value(await conversations.branch(who, { path: parent, after: first })).id
    value(await conversations.deletePath(who, parent))
    await run(parent, first, 'a', [printed('late\n')])
    expect(ended).toEqual([`${parent} deleted`])
    expect(await texts(child)).toEqual(['a'])
    const { paths } = value(await conversations.tree(who, conversation.id))
    expect(paths.find(path => path.id === child)).toMatchObject({ parent, shownUnder: main })
    expect(codeOf(await conversations.insert(who, { path: parent, items: [said('x')] }))).toBe('path.deleted')
    value(await conversations.restorePath(who, parent))
    expect(JSON.stringify(await items(parent))).toContain('late')
  })
})

describe('two windows that edit one cell', () => {
  it('get both texts back, and the one that came late is kept as a draft', async () => {
    const { conversations, who, main, first, items, texts } = await start('x = 1')
    const seen = (await items(main))[0]?.revision ?? 0
    const edit = (text: string, window: string) =>
      conversations.edit(who, { path: main, item: first, text, expectedRevision: seen, window })
    expect(value(await edit('x = 2', 'one'))).toMatchObject({ result: 'saved' })
    expect(value(await edit('x = 3', 'two'))).toMatchObject({
      result: 'conflict',
      base: 'x = 1',
      current: { text: 'x = 2' },
      yours: 'x = 3',
    })
    expect(await texts(main)).toEqual(['x = 2'])
    expect(await conversations.drafts(who)).toMatchObject([{ item: first, window: 'two', text: 'x = 3' }])
  })

  it('do not conflict when the other only moved it or wrote the same', async () => {
    const { conversations, who, main, first, items, texts } = await start('a', 'b')
    const seen = (await items(main))[0]?.revision ?? 0
    value(await conversations.move(who, { path: main, items: [first] }))
    const edit = { path: main, item: first, text: 'A', expectedRevision: seen }
    expect(value(await conversations.edit(who, edit))).toMatchObject({ result: 'saved' })
    expect(value(await conversations.edit(who, edit))).toMatchObject({ result: 'saved' })
    expect(await texts(main)).toEqual(['b', 'A'])
  })
})

describe('a path', () => {
  it('keeps the highest risk that has run on it, and a branch starts anew', async () => {
    const { conversations, who, conversation, main, first, run } = await start('x')
    const risks = async () => value(await conversations.tree(who, conversation.id)).paths.map(path => path.risk)
    expect(await risks()).toEqual([null])
    await run(main, first, 'x', [], 'python', 'high')
    await run(main, first, 'y', [], 'python', 'medium')
    expect(await risks()).toEqual(['high'])
    const branch = value(await conversations.branch(who, { path: main, after: first, name: 'other' }))
    await run(branch.id, first, 'z', [])
    expect(await risks()).toEqual(['high', 'low'])
  })
})

describe('a cell', () => {
  it('is stale while it says something else than what ran', async () => {
    const { conversations, who, main, first, items, run } = await start('x')
    await run(main, first, 'x', [printed('1\n')])
    const stale = async () => {
      const [shown] = await items(main)
      return shown?.kind === 'cell' ? shown.lastRun?.stale : null
    }
    expect(await stale()).toBe(false)
    const revision = (await items(main))[0]?.revision ?? 0
    value(await conversations.edit(who, { path: main, item: first, text: 'y', expectedRevision: revision }))
    expect(await stale()).toBe(true)
    value(await conversations.undo(who, main))
    expect(await stale()).toBe(false)
    value(await conversations.changeLanguage(who, { path: main, item: first, language: 'bash' }))
    expect(await stale()).toBe(true)
  })

  it('sends a large output as a preview and hands out the whole on demand', async () => {
    const { conversations, who, main, first, items, run } = await start('x')
    const text = 'row\n'.repeat(50_000)
    await run(main, first, 'x', [printed('small'), printed(text)])
    const [shown] = await items(main)
    const outputs = shown?.kind === 'cell' ? (shown.lastRun?.outputs ?? []) : []
    expect(outputs.map(output => output.whole)).toEqual([true, false])
    const large = outputs[1]
    if (!large) expect.fail('no output')
    expect(value(await conversations.output(who, large.id))).toEqual(printed(text))
    expect(codeOf(await conversations.output(caller(), large.id))).toBe('not-found')
  })

  it('keeps every text it had, and says when it was removed', async () => {
    const { conversations, who, main, first, items } = await start('one')
    const revision = (await items(main))[0]?.revision ?? 0
    value(await conversations.edit(who, { path: main, item: first, text: 'two', expectedRevision: revision }))
    value(await conversations.removeItems(who, { path: main, items: [first] }))
    const revisions = value(await conversations.revisions(who, main, first))
    expect(revisions.map(({ text, removed }) => [text, removed])).toEqual([
      ['two', true],
      ['two', false],
      ['one', false],
    ])
  })
})

describe('a long path', () => {
  it('comes in pieces that all speak of one version', async () => {
    const { conversations, who, main, texts } = await start()
    const long = Array.from({ length: 12 }, (_, index) => said(`${index} ${'x'.repeat(900_000)}`))
    value(await conversations.insert(who, { path: main, items: long }))
    const opened = value(await conversations.open(who, { path: main }))
    const heads = opened.items.map(item => item.text.slice(0, 2))
    expect(opened.next).not.toBeNull()
    value(await conversations.insert(who, { path: main, after: null, items: [said('new at the top')] }))
    for (let next = opened.next; next; ) {
      const page = value(await conversations.open(who, { path: main, cursor: next }))
      heads.push(...page.items.map(item => item.text.slice(0, 2)))
      next = page.next
    }
    expect(heads).toEqual(long.map(item => item.text.slice(0, 2)))
    expect((await texts(main))[0]).toBe('new at the top')
  })
})

describe('drafts', () => {
  it('survive until they are settled, one for each window and for the message box', async () => {
    const { conversations, who, main, first, items } = await start('x')
    const draft = { path: main, item: first, window: 'w', baseRevision: 1 }
    value(await conversations.saveDraft(who, { ...draft, text: 'x +' }))
    value(await conversations.saveDraft(who, { ...draft, text: 'x + 1' }))
    value(await conversations.saveDraft(who, { ...draft, item: null, baseRevision: null, text: 'What is' }))
    expect((await conversations.drafts(who)).map(each => each.text).sort()).toEqual(['What is', 'x + 1'])
    expect(await conversations.drafts({ ...who, user: caller().user })).toEqual([])
    const expectedRevision = (await items(main))[0]?.revision ?? 0
    value(await conversations.edit(who, { path: main, item: first, text: 'x + 1', expectedRevision, window: 'w' }))
    expect((await conversations.drafts(who)).map(each => each.text)).toEqual(['What is'])
    value(await conversations.dropDraft(who, { path: main, item: null, window: 'w' }))
    expect(await conversations.drafts(who)).toEqual([])
  })
})

describe('the news of new items', () => {
  it('say that they came to the end where nothing else has changed, on a branch and behind what was removed too', async () => {
    const { conversations, who, main, first, second } = await start('a', 'b')
    const told: (boolean | undefined)[] = []
    conversations.subscribe(({ what, appended }) => void (what === 'items' && told.push(appended)))
    const add = async (path: PathId, place: { after?: CellId | null; undoable?: boolean }) =>
      value(await conversations.insert(who, { path, items: [said('x')], undoable: false, ...place }))
    await add(main, {})
    await add(main, { undoable: true })
    await add(main, { after: first })
    await add(main, { after: null })
    const branch = value(await conversations.branch(who, { path: main, after: second })).id
    await add(branch, { after: second })
    value(await conversations.removeItems(who, { path: branch, items: [second] }))
    await add(branch, {})
    expect(told).toEqual([true, undefined, undefined, undefined, true, undefined, true])
  })
})

describe('the record', () => {
  it('gets one entry for each operation and none for what changed nothing', async () => {
    const { conversations, who, main, first, second, conversation, recorded, items } = await start('a', 'b')
    const revision = (await items(main))[0]?.revision ?? 0
    value(await conversations.edit(who, { path: main, item: first, text: 'A', expectedRevision: revision }))
    value(await conversations.edit(who, { path: main, item: first, text: 'A', expectedRevision: revision }))
    const branch = value(await conversations.branch(who, { path: main, after: second, name: 'stress' })).id
    value(await conversations.insert(who, { path: branch, items: [said('x')] }))
    value(await conversations.compare(who, { left: main, right: branch }))
    value(await conversations.merge(who, { source: branch, target: main, what: { mode: 'whole' } }))
    value(await conversations.undo(who, main))
    value(await conversations.archivePath(who, branch))
    value(await conversations.restorePath(who, branch))
    value(await conversations.renamePath(who, { path: branch, name: 'other' }))
    value(await conversations.rename(who, { conversation: conversation.id, title: 'Q4' }))
    value(await conversations.remove(who, conversation.id))
    expect(codeOf(await conversations.undo(who, main))).toBe('not-found')
    value(await conversations.restore(who, conversation.id))
    expect(recorded.map(event => event.action)).toEqual([
      'conversation.created',
      'message.added',
      'message.edited',
      'path.branched',
      'message.added',
      'path.compared',
      'path.merged',
      'path.merge-undone',
      'path.archived',
      'path.restored',
      'path.renamed',
      'conversation.renamed',
      'conversation.deleted',
      'conversation.restored',
    ])
    expect(recorded.every(event => event.tenant === who.tenant && event.actor === who.user)).toBe(true)
  })

  it('takes nothing for granted about who asks: what is another tenant’s is not found', async () => {
    const { conversations, main, first, conversation } = await start('secret')
    const other = caller()
    const outcomes = await Promise.all([
      conversations.open(other, { path: main }),
      conversations.tree(other, conversation.id),
      conversations.branch(other, { path: main, after: first }),
      conversations.edit(other, { path: main, item: first, text: 'x', expectedRevision: 1 }),
      conversations.revisions(other, main, first),
      conversations.remove(other, conversation.id),
      conversations.saveDraft(other, { path: main, item: first, window: 'w', baseRevision: 1, text: 'x' }),
    ])
    expect(outcomes.map(codeOf)).toEqual(outcomes.map(() => 'not-found'))
    expect(await conversations.list(other)).toEqual([])
    expect(await conversations.search(other, { text: 'secret' })).toEqual([])
  })

  it('leaves nothing behind when the entry cannot be written', async () => {
    const at = await start('a')
    const { createConversations } = await import('./conversations.ts')
    const broken = createConversations({
      ...at,
      audit: { append: () => Promise.reject(new Error('the chain is locked')) },
      redact: async (_w, _c, texts) => passed(texts),
      pathEnded: () => expect.fail('nothing ended'),
      templates: '',
    })
    await expect(broken.insert(at.who, { path: at.main, items: [said('x')] })).rejects.toThrow('the chain is locked')
    await expect(broken.branch(at.who, { path: at.main, after: at.first })).rejects.toThrow('the chain is locked')
    expect(await at.texts(at.main)).toEqual(['a'])
    expect(value(await at.conversations.tree(at.who, at.conversation.id)).paths).toHaveLength(1)
  })
})

describe('the first path', () => {
  it('stays, and an archived path is not changed', async () => {
    const { conversations, who, main, first } = await start('a')
    expect(codeOf(await conversations.deletePath(who, main))).toBe('path.main')
    const branch = value(await conversations.branch(who, { path: main, after: first })).id
    value(await conversations.archivePath(who, branch))
    expect(codeOf(await conversations.insert(who, { path: branch, items: [said('x')] }))).toBe('path.archived')
    expect(codeOf(await conversations.restorePath(who, main))).toBe('path.open')
  })
})
