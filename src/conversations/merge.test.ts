import { describe, expect, it } from 'vitest'
import type { ItemId, MergePath } from '../contract/conversations.ts'
import type { CellId, PathId } from '../contract/ids.ts'
import { cell, codeOf, desk, printed, said, value } from './testing.ts'

const start = async (...texts: string[]) => {
  const at = await desk()
  const { conversations, who } = at
  const { conversation } = value(await conversations.create(who, { title: 'Merging' }))
  const main = conversation.main
  const ids = value(await conversations.insert(who, { path: main, items: texts.map(text => cell(text)) })).map(
    item => item.id,
  )
  const id = (index: number) => ids[index] as ItemId
  const branch = value(await conversations.branch(who, { path: main, after: id(texts.length - 1) })).id
  const edit = async (path: PathId, item: ItemId, text: string) => {
    const shown = value(await conversations.items(who, path, [item]))[0]
    value(await conversations.edit(who, { path, item, text, expectedRevision: shown?.revision ?? 0 }))
  }
  const add = async (path: PathId, text: string, after?: ItemId | null) =>
    value(await conversations.insert(who, { path, items: [cell(text)], ...(after === undefined ? {} : { after }) }))[0]
      ?.id as ItemId
  const merge = async (source: PathId, target: PathId, items?: ItemId[]) =>
    value(
      await conversations.merge(who, { source, target, what: items ? { mode: 'selected', items } : { mode: 'whole' } }),
    )
  return { ...at, main, branch, id, edit, add, merge }
}

describe('merging a whole path', () => {
  it('brings over what it added, changed and removed, with the outputs', async () => {
    const { main, branch, id, edit, add, merge, conversations, who, texts, items, run, ended } = await start(
      'a',
      'b',
      'c',
    )
    await edit(branch, id(0), 'A')
    await add(branch, 'between', id(0))
    const last = await add(branch, 'last')
    await run(branch, last as CellId, 'last', [printed('42\n')])
    value(await conversations.removeItems(who, { path: branch, items: [id(1)] }))
    await add(main, 'main goes on')
    const result = await merge(branch, main)
    expect(await texts(main)).toEqual(['A', 'between', 'c', 'main goes on', 'last'])
    expect(result).toMatchObject({ changed: [id(0)], removed: [id(1)], conflicts: [] })
    expect((await items(main)).at(-1)).toMatchObject({ lastRun: { path: branch, stale: false } })
    expect(await texts(branch)).toEqual(['A', 'between', 'c', 'last'])
    expect(ended).toEqual([`${branch} merged`])
  })

  it('keeps both texts where both paths changed an item', async () => {
    const { main, branch, id, edit, merge, texts } = await start('a', 'b')
    await edit(branch, id(0), 'branch')
    await edit(main, id(0), 'main')
    const { conflicts } = await merge(branch, main)
    expect(conflicts).toMatchObject([{ item: id(0) }])
    expect(await texts(main)).toEqual(['main', 'branch', 'b'])
  })

  it('does nothing twice, and brings only what is new the second time', async () => {
    const { main, branch, merge, add, edit, texts } = await start('a')
    const x = await add(branch, 'x')
    await merge(branch, main)
    expect(await merge(branch, main)).toMatchObject({ added: [], changed: [], removed: [], conflicts: [] })
    await edit(branch, x, 'X')
    await add(branch, 'y')
    expect(await merge(branch, main)).toMatchObject({ changed: [x], conflicts: [] })
    expect(await texts(main)).toEqual(['a', 'X', 'y'])
  })

  it('can be undone and then done again', async () => {
    const { main, branch, merge, add, conversations, who, texts } = await start('a')
    await add(branch, 'x')
    await merge(branch, main)
    value(await conversations.undo(who, main))
    expect(await texts(main)).toEqual(['a'])
    await merge(branch, main)
    expect(await texts(main)).toEqual(['a', 'x'])
  })

  it('takes the outputs that it brought along back with it', async () => {
    const { main, branch, id, edit, merge, conversations, who, items, run } = await start('a')
    await run(main, id(0) as CellId, 'a', [printed('old')])
    await edit(branch, id(0), 'A')
    await run(branch, id(0) as CellId, 'A', [printed('new')])
    const shown = async () => (await items(main)).map(item => item.kind === 'cell' && item.lastRun?.outputs)
    await merge(branch, main)
    expect(await shown()).toMatchObject([[{ output: { text: 'new' } }]])
    value(await conversations.undo(who, main))
    expect(await shown()).toMatchObject([[{ output: { text: 'old' } }]])
    value(await conversations.redo(who, main))
    expect(await shown()).toMatchObject([[{ output: { text: 'new' } }]])
  })

  it('goes the other way too: a branch catches up with its parent', async () => {
    const { main, branch, merge, add, edit, id, texts } = await start('a', 'b')
    await edit(branch, id(0), 'mine')
    await add(main, 'news')
    await edit(main, id(1), 'B')
    await merge(main, branch)
    expect(await texts(branch)).toEqual(['mine', 'B', 'news'])
  })
})

describe('undoing a merge', () => {
  it('is one operation that gives the target its cells and the source its state back', async () => {
    const { main, branch, id, edit, add, conversations, who, texts, recorded, ended } = await start('a', 'b', 'c')
    const other = value(await conversations.branch(who, { path: main, after: id(0) })).id
    const source = async () =>
      value(await conversations.tree(who, value(await conversations.locate(who, main)))).paths.find(
        path => path.id === branch,
      )
    await edit(branch, id(0), 'A')
    value(await conversations.removeItems(who, { path: branch, items: [id(1)] }))
    await add(branch, 'x')
    value(await conversations.merge(who, { source: branch, target: other, what: { mode: 'summary' } }))
    const earlier = (await source())?.mergedInto
    const ways: MergePath['what'][] = [{ mode: 'whole' }, { mode: 'selected', items: [id(0)] }, { mode: 'summary' }]
    for (const what of ways) {
      const { version } = value(await conversations.merge(who, { source: branch, target: main, what }))
      expect((await source())?.mergedInto?.path).toBe(main)
      const before = recorded.length
      value(await conversations.undoMerge(who, { target: main, version }))
      expect(await texts(main)).toEqual(['a', 'b', 'c'])
      expect((await source())?.mergedInto).toEqual(earlier)
      expect(recorded.slice(before)).toMatchObject([
        { action: 'path.merge-undone', path: main, details: { source: branch, mode: what.mode, of: version } },
      ])
    }
    ended.length = 0
    value(await conversations.redo(who, main))
    expect((await source())?.mergedInto?.path).toBe(main)
    expect(recorded.at(-1)).toMatchObject({ action: 'path.merged', details: { source: branch, change: 'redo' } })
    expect(ended).toEqual([`${branch} merged`])
    value(await conversations.undo(who, main))
    value(await conversations.undo(who, other))
    expect((await source())?.mergedInto).toBeNull()
  })

  it('never takes back what was changed after it', async () => {
    const { main, branch, add, merge, conversations, who, texts } = await start('a')
    await add(branch, 'x')
    const { version } = await merge(branch, main)
    await add(main, 'later')
    expect(codeOf(await conversations.undoMerge(who, { target: main, version }))).toBe('undo.changed')
    expect(await texts(main)).toEqual(['a', 'x', 'later'])
    value(await conversations.undo(who, main))
    value(await conversations.undoMerge(who, { target: main, version }))
    expect(await texts(main)).toEqual(['a'])
    expect(codeOf(await conversations.undoMerge(who, { target: main, version }))).toBe('undo.changed')
  })
})

describe('merging a part', () => {
  it('leaves the rest to a later merge', async () => {
    const { main, branch, merge, add, texts } = await start('a')
    const x = await add(branch, 'x')
    await add(branch, 'y')
    await merge(branch, main, [x])
    await merge(branch, main)
    expect(await texts(main)).toEqual(['a', 'x', 'y'])
  })

  it('brings the selected items and nothing else', async () => {
    const { main, branch, merge, add, edit, id, texts } = await start('a')
    await edit(branch, id(0), 'A')
    const x = await add(branch, 'x')
    await add(branch, 'y')
    await merge(branch, main, [x])
    expect(await texts(main)).toEqual(['a', 'x'])
  })

  it('brings a summary: the one given, or one of what was asked and found', async () => {
    const { main, branch, conversations, who, texts, add, run } = await start('a')
    value(await conversations.insert(who, { path: branch, items: [said('What if rates rise?\nThink hard.')] }))
    const x = await add(branch, 'x')
    await run(branch, x as CellId, 'x', [printed('working\nCET1 11.84 %\n')])
    value(
      await conversations.merge(who, { source: branch, target: main, what: { mode: 'summary', text: 'It falls.' } }),
    )
    value(await conversations.merge(who, { source: branch, target: main, what: { mode: 'summary' } }))
    expect(await texts(main)).toEqual([
      'a',
      'It falls.',
      '**Summary of the path “branch 1”**: 1 message, 1 cell.\n\nAsked:\n\n- What if rates rise?\n\nFound:\n\n- `CET1 11.84 %`',
    ])
  })

  it('refuses what makes no sense', async () => {
    const { main, branch, conversations, who, add, id } = await start('a')
    const other = value(await conversations.create(who, { title: 'Other' })).conversation.main
    const merge = (source: PathId, target: PathId, items?: ItemId[]) =>
      conversations.merge(who, { source, target, what: items ? { mode: 'selected', items } : { mode: 'whole' } })
    expect(codeOf(await merge(main, main))).toBe('merge.impossible')
    expect(codeOf(await merge(branch, other))).toBe('merge.impossible')
    const onMain = await add(main, 'x')
    expect(codeOf(await merge(branch, main, [id(0), onMain]))).toBe('not-found')
    value(await conversations.deletePath(who, branch))
    expect(codeOf(await merge(branch, main))).toBe('path.deleted')
  })
})
