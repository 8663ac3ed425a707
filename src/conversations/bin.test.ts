import { describe, expect, it } from 'vitest'
import { binDays } from '../contract/bin.ts'
import type { CellId } from '../contract/ids.ts'
import { caller, cell, codeOf, desk, printed, said, value } from './testing.ts'

const day = 86_400_000

async function start() {
  const d = await desk()
  const { conversation } = value(await d.conversations.create(d.who, { title: 'Review' }))
  const [made] = value(
    await d.conversations.insert(d.who, {
      path: conversation.main,
      items: [cell('print("quokka")'), said('hello quokka')],
    }),
  )
  const id = made?.id as CellId
  await d.run(conversation.main, id, 'print("quokka")', [printed('quokka: 1\n')])
  return { ...d, conversation, main: conversation.main, id }
}

const tables = ['paths', 'items', 'texts', 'revisions', 'executions', 'outputs', 'edits', 'figures', 'drafts'] as const

describe('the bin', () => {
  it('has what was deleted, gives it back as it was, and is empty then', async () => {
    const { conversations, who, conversation, texts, main } = await start()
    value(await conversations.remove(who, conversation.id))
    const [entry] = await conversations.bin(who)
    expect(entry).toMatchObject({ kind: 'conversation', title: 'Review', path: null })
    expect(entry?.goesAt).toBe((entry?.deletedAt ?? 0) + binDays * day)
    value(await conversations.restore(who, conversation.id))
    expect(await conversations.bin(who)).toEqual([])
    expect(await texts(main)).toEqual(['print("quokka")', 'hello quokka'])
  })

  it('deletes a conversation for good: no row and no word of it is left, but the record says so', async () => {
    const { conversations, who, conversation, storage, recorded } = await start()
    expect(codeOf(await conversations.erase(who, { conversation: conversation.id, path: null }))).toBe('not-found')
    value(await conversations.remove(who, conversation.id))
    expect(codeOf(await conversations.erase(caller(), { conversation: conversation.id, path: null }))).toBe('not-found')
    value(await conversations.erase(who, { conversation: conversation.id, path: null }))
    for (const table of tables) expect(await storage.read.selectFrom(table).selectAll().execute(), table).toEqual([])
    expect(await conversations.search(who, { text: 'quokka' })).toEqual([])
    expect(recorded.at(-1)).toMatchObject({
      action: 'conversation.erased',
      actor: who.user,
      details: { title: 'Review' },
    })
  })

  it('deletes a path for good and keeps what other paths show', async () => {
    const { conversations, who, conversation, main, id, run, items, recorded } = await start()
    const branch = value(await conversations.branch(who, { path: main, after: id })).id
    value(await conversations.insert(who, { path: branch, items: [said('only here: wombat')] }))
    await run(branch, id, 'print("quokka")', [printed('on the branch\n')])
    value(await conversations.deletePath(who, branch))
    expect(await conversations.bin(who)).toMatchObject([{ kind: 'path', needed: false }])
    value(await conversations.erase(who, { conversation: conversation.id, path: branch }))
    expect((await items(main)).map(item => item.text)).toEqual(['print("quokka")', 'hello quokka'])
    const [first] = await items(main)
    expect(first?.kind === 'cell' && first.lastRun?.outputs).toHaveLength(1)
    expect(await conversations.search(who, { text: 'wombat' })).toEqual([])
    expect(recorded.at(-1)).toMatchObject({ action: 'path.erased' })
  })

  it('keeps a path that others grow from', async () => {
    const { conversations, who, conversation, main, id } = await start()
    const parent = value(await conversations.branch(who, { path: main, after: id })).id
    const child = value(await conversations.branch(who, { path: parent, after: id })).id
    value(await conversations.deletePath(who, parent))
    expect(await conversations.bin(who)).toMatchObject([{ needed: true }])
    expect(codeOf(await conversations.erase(who, { conversation: conversation.id, path: parent }))).toBe('path.needed')
    expect(value(await conversations.open(who, { path: child })).items).toHaveLength(1)
  })

  it(`lets go of things after ${binDays} days and not before`, async () => {
    const { conversations, who, conversation, clock, recorded } = await start()
    value(await conversations.remove(who, conversation.id))
    clock.advance(binDays * day - 1)
    expect(await conversations.emptyBin(who)).toBe(0)
    clock.advance(1)
    expect(await conversations.emptyBin(who)).toBe(1)
    expect(await conversations.bin(who)).toEqual([])
    expect(recorded.at(-1)).toMatchObject({ action: 'conversation.erased', actor: null, details: { why: 'time' } })
  })
})

describe('a copy', () => {
  it('has all paths, texts and outputs of the first, and claims no run', async () => {
    const { conversations, who, conversation, main, id, items } = await start()
    value(await conversations.branch(who, { path: main, after: id, name: 'stress' }))
    const copy = value(await conversations.duplicate(who, conversation.id))
    expect(copy.conversation.title).toBe('Review (copy)')
    expect(copy.paths.map(path => path.name)).toEqual(['main', 'stress'])
    const made = await items(copy.conversation.main)
    expect(made.map(item => item.text)).toEqual(['print("quokka")', 'hello quokka'])
    expect(made[0]).toMatchObject({ lastRun: { run: null, outputs: [expect.anything()] } })
    expect(codeOf(await conversations.duplicate(caller(), conversation.id))).toBe('not-found')
  })
})

describe('templates', () => {
  it('ship with the application and open as conversations', async () => {
    const { conversations, who, items } = await start()
    const all = await conversations.templates(who)
    expect(all.length).toBeGreaterThanOrEqual(3)
    for (const { id, name } of all) {
      const { conversation } = value(await conversations.fromTemplate(who, id))
      expect(conversation.title).toBe(name)
      expect((await items(conversation.main)).length).toBeGreaterThan(2)
    }
  })

  it('are saved without outputs, belong to their tenant, and can be removed', async () => {
    const { conversations, who, main, items } = await start()
    const saved = value(await conversations.saveTemplate(who, { path: main, name: 'My review' }))
    expect((await conversations.templates(caller())).some(each => each.own)).toBe(false)
    const { conversation } = value(await conversations.fromTemplate(who, saved.id))
    const made = await items(conversation.main)
    expect(made.map(item => item.text)).toEqual(['print("quokka")', 'hello quokka'])
    expect(made[0]).toMatchObject({ lastRun: null })
    expect(codeOf(await conversations.removeTemplate(caller(), saved.id))).toBe('not-found')
    value(await conversations.removeTemplate(who, saved.id))
    expect(codeOf(await conversations.fromTemplate(who, saved.id))).toBe('not-found')
    expect(codeOf(await conversations.fromTemplate(who, 'own/../../secret.ipynb'))).toBe('not-found')
  })
})
