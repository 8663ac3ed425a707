import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type CellId, RunId } from '../contract/ids.ts'
import { cell, desk, printed, value } from '../conversations/testing.ts'
import { keptDays, pruneOutputs } from './outputs.ts'

const dayMs = 24 * 60 * 60_000

async function outputs() {
  const at = await desk()
  const { conversations, storage, clock, ids, who } = at
  const folder = await mkdtemp(join(tmpdir(), 'countersign-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const { conversation, paths } = value(await conversations.create(who, { title: 'Capital review' }))
  const path = paths[0]?.id ?? expect.fail('no path')
  const [added] = value(await conversations.insert(who, { path, after: null, items: [cell('print("long")')] }))
  await at.run(path, added?.id as CellId, 'print("long")', [printed('long')])
  const { run } = await storage.read.selectFrom('executions').select('run').executeTakeFirstOrThrow()
  const keep = async (name: string) => {
    const file = join(folder, name)
    await writeFile(file, 'everything')
    await utimes(file, clock.now() / 1000, clock.now() / 1000)
    return name
  }
  const tidy = () => pruneOutputs({ folder, clock, shown: conversations.shownRuns })
  return { conversations, clock, ids, who, conversation: conversation.id, run, keep, tidy, left: () => readdir(folder) }
}

it('keeps the whole output of a run as long as its conversation is there', async () => {
  const { clock, run, keep, tidy, left } = await outputs()
  const file = await keep(`${run}.txt`)
  clock.advance(400 * dayMs)
  expect(await tidy()).toBe(0)
  expect(await left()).toEqual([file])
})

it('removes it when its conversation was deleted so long ago that nobody will take that back', async () => {
  const { conversations, clock, who, conversation, run, keep, tidy, left } = await outputs()
  const file = await keep(`${run}.txt`)
  clock.advance(400 * dayMs)
  value(await conversations.remove(who, conversation))
  clock.advance((keptDays - 1) * dayMs)
  expect(await tidy()).toBe(0)
  expect(await left()).toEqual([file])
  clock.advance(2 * dayMs)
  expect(await tidy()).toBe(1)
  expect(await left()).toEqual([])
})

it('removes what no conversation shows after a while, and nothing that is no output of a run', async () => {
  const { clock, ids, keep, tidy, left } = await outputs()
  await keep(`${ids.make(RunId)}.txt`)
  const other = await keep('notes.md')
  expect(await tidy()).toBe(0)
  clock.advance((keptDays + 1) * dayMs)
  const young = await keep(`${ids.make(RunId)}.txt`)
  expect(await tidy()).toBe(1)
  expect((await left()).sort()).toEqual([young, other].sort())
})

it('has nothing to do where no output was ever too long', async () => {
  const { clock, conversations } = await desk()
  expect(await pruneOutputs({ folder: '/nowhere', clock, shown: conversations.shownRuns })).toBe(0)
})
