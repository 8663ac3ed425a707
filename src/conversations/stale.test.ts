import { afterAll, describe, expect, it } from 'vitest'
import type { ItemId } from '../contract/conversations.ts'
import type { CellId, PathId } from '../contract/ids.ts'
import { createGuard } from '../guard/guard.ts'
import { cell, desk, printed, value } from './testing.ts'

const guard = createGuard({ timeLimitMs: 20_000 })
afterAll(() => guard.close())

/** A path with these cells, each of them run once in order. */
async function ran(...texts: string[]) {
  const at = await desk((code, language) => guard.dependencies(code, language))
  const { conversations, who, clock } = at
  const { main } = value(await conversations.create(who, { title: 'Stale' })).conversation
  const ids = value(await conversations.insert(who, { path: main, items: texts.map(text => cell(text)) })).map(
    item => item.id,
  )
  const shown = async (path: PathId, index: number) => (await at.items(path)).find(item => item.id === ids[index])
  const run = async (path: PathId, ...cells: number[]) => {
    for (const index of cells) {
      clock.advance(1000)
      await at.run(path, ids[index] as CellId, (await shown(path, index))?.text ?? '', [printed(`${index}\n`)])
    }
  }
  const edit = async (path: PathId, index: number, text: string) => {
    const { revision = 0 } = (await shown(path, index)) ?? {}
    value(await conversations.edit(who, { path, item: ids[index] as ItemId, text, expectedRevision: revision }))
  }
  /** By their places, as the path opens; asking for them one by one or as a list says the same. */
  const stale = async (path: PathId) => {
    const items = await at.items(path)
    const found = items.flatMap(item => (item.kind === 'cell' && item.lastRun?.stale ? item.id : []))
    expect(value(await conversations.stale(who, path))).toEqual(found)
    expect(value(await conversations.items(who, path, [...ids])).filter(item => ids.includes(item.id))).toEqual(
      items.filter(item => ids.includes(item.id)),
    )
    return found.map(id => ids.indexOf(id))
  }
  await run(main, ...texts.keys())
  return { ...at, main, ids, run, edit, stale }
}

const sample = ['shock = 0', 'label = "CET1"', 'ratio = 12.91 - shock / 100', 'print(label)', 'print(ratio)'] as const

describe('an output is stale', () => {
  it('when a cell that it depends on was changed, at first or second hand, until both ran again', async () => {
    const { main, edit, run, stale } = await ran(...sample)
    expect(await stale(main)).toEqual([])
    await edit(main, 0, 'shock = 200')
    expect(await stale(main)).toEqual([0, 2, 4])
    await run(main, 0)
    expect(await stale(main)).toEqual([2, 4])
    // Out of order: the ratio that it printed is still the old one.
    await run(main, 4)
    expect(await stale(main)).toEqual([2, 4])
    await run(main, 2)
    expect(await stale(main)).toEqual([4])
    await run(main, 4)
    expect(await stale(main)).toEqual([])
  })

  it('not when the edit is undone, or the same code ran again with the same inputs', async () => {
    const { main, edit, run, stale, conversations, who } = await ran(...sample)
    await edit(main, 0, 'shock = 200')
    value(await conversations.undo(who, main))
    expect(await stale(main)).toEqual([])
    await run(main, 0, 2)
    expect(await stale(main)).toEqual([])
  })

  it('when chance gave another value to what it depends on', async () => {
    const { main, run, stale } = await ran('import random\nx = random.random()', 'print(x)', 'print(1)')
    await run(main, 0)
    expect(await stale(main)).toEqual([1])
  })

  it('when a merge brought another cell above it', async () => {
    const { main, ids, edit, run, stale, conversations, who } = await ran(...sample)
    const branch = value(await conversations.branch(who, { path: main, after: ids[4] as ItemId })).id
    await edit(branch, 0, 'shock = 200')
    await run(branch, 0, 2, 4)
    expect(await stale(branch)).toEqual([])
    value(await conversations.merge(who, { source: branch, target: main, what: { mode: 'whole' } }))
    expect(await stale(main)).toEqual([2, 4])
    const notebook = JSON.parse(
      value(await conversations.export(who, { path: main, format: 'ipynb', branches: false })).text,
    )
    expect(
      notebook.cells.map(
        (each: { metadata: { countersign: { run: { stale: boolean } } } }) => each.metadata.countersign.run.stale,
      ),
    ).toEqual([false, false, true, false, true])
    const marks = async (format: 'markdown' | 'html', mark: RegExp) =>
      value(await conversations.export(who, { path: main, format, branches: false })).text.match(mark)?.length
    expect(await marks('markdown', /that of an earlier version/g)).toBe(2)
    expect(await marks('html', /stale: changed after this run/g)).toBe(2)
    value(await conversations.undo(who, main))
    expect(await stale(main)).toEqual([])
  })

  it('when both came with a merge and ran in the wrong order on the branch', async () => {
    const { main, ids, edit, run, stale, conversations, who } = await ran(...sample)
    const branch = value(await conversations.branch(who, { path: main, after: ids[4] as ItemId })).id
    await edit(branch, 2, 'ratio = 13 - shock / 100')
    await run(branch, 2, 4)
    await edit(branch, 0, 'shock = 200')
    await run(branch, 0)
    expect(await stale(branch)).toEqual([2, 4])
    value(await conversations.merge(who, { source: branch, target: main, what: { mode: 'whole' } }))
    expect(await stale(main)).toEqual([2, 4])
  })

  it('when a cell that it depends on was removed, or one was put before it', async () => {
    const { main, ids, run, stale, conversations, who } = await ran(...sample)
    value(await conversations.removeItems(who, { path: main, items: [ids[0] as ItemId] }))
    expect(await stale(main)).toEqual([2, 4])
    value(await conversations.undo(who, main))
    expect(await stale(main)).toEqual([])
    value(await conversations.insert(who, { path: main, after: ids[0] as ItemId, items: [cell('shock += 50')] }))
    expect(await stale(main)).toEqual([2, 4])
    await run(main, 2, 4)
    expect(await stale(main)).toEqual([])
  })

  it('when a cell no longer sets the variable that it reads', async () => {
    const { main, edit, run, stale } = await ran('a = 1', 'print(a)')
    await edit(main, 0, 'b = 1')
    await run(main, 0)
    expect(await stale(main)).toEqual([1])
  })

  it('when a file that it reads is written anew, or nobody can tell what a cell does', async () => {
    const { main, edit, stale } = await ran(
      'open("rates.csv", "w").write("1")',
      'print(open("rates.csv").read())',
      'print(1)',
      'exec(code)',
    )
    await edit(main, 0, 'open("rates.csv", "w").write("2")')
    expect(await stale(main)).toEqual([0, 1, 3])
    await edit(main, 3, 'exec(other)')
    expect(await stale(main)).toEqual([0, 1, 3])
  })
})
