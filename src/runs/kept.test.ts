import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Cell } from '../contract/conversations.ts'
import type { RunView } from '../contract/runs.ts'
import { type Engine, openEngine } from '../engine/engine.ts'

/** The whole engine, since what is kept depends on guard, sandbox, files and record together. */
let engine: Engine
let home: string
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'countersign-'))
  engine = await openEngine({ home: join(home, 'data'), env: {}, pool: 0 })
})
afterAll(async () => {
  await engine.close()
  rmSync(home, { recursive: true, force: true })
})

/** A path with these cells, all of whose results are kept; runs one of them by its place. */
async function notebook(...texts: string[]) {
  const { caller, conversations } = engine
  const made = await conversations.create(caller, { title: 'Kept' })
  if (!made.ok) throw new Error(made.problem.message)
  const path = made.value.conversation.main
  const items = texts.map(text => ({ kind: 'cell' as const, author: 'analyst' as const, language: 'python', text }))
  const inserted = await conversations.insert(caller, { path, items })
  if (!inserted.ok) throw new Error(inserted.problem.message)
  const cells = inserted.value.filter((item): item is Cell => item.kind === 'cell')
  for (const cell of cells) await engine.kept.keep(caller, path, cell.id, true)
  const run = async (at: number, anew = false): Promise<RunView> => {
    const cell = cells[at] as Cell
    const started = await engine.runs.start(caller, { path, cell: cell.id, revision: cell.revision, anew })
    if (!started.ok) throw new Error(started.problem.message)
    return started.value.rest
  }
  return { path, conversation: made.value.conversation.id, cells, run }
}
const isKept = (view: RunView): boolean => view.outcome?.kept !== undefined

describe('a kept result', () => {
  it('is shown at once while nothing has changed, with its date, and stands on the record as such', async () => {
    const { run, path } = await notebook('rates = [1.5, 2.5]', 'total = sum(rates)\nprint(total)')
    await run(0)
    const first = await run(1)
    expect(isKept(first)).toBe(false)
    const again = await run(1)
    expect(again.outcome).toMatchObject({ success: true, stdout: '4.0\n', kept: { run: first.run } })
    const opened = await engine.conversations.open(engine.caller, { path })
    const last = opened.ok && opened.value.items[1]?.kind === 'cell' ? opened.value.items[1].lastRun : null
    expect(last?.keptFrom).toBe(again.outcome?.kept?.at)
    const { items } = await engine.audit.query({ filter: { run: again.run } })
    expect(items.find(({ entry }) => entry.action === 'run.finished')?.entry.details).toMatchObject({
      kept: { run: first.run },
    })
    expect(isKept(await run(1, true)), 'one click runs it anew').toBe(false)
  })

  it('is not shown when somebody changed it in the database', async () => {
    const { run } = await notebook('print(12.91)')
    await run(0)
    expect(isKept(await run(0))).toBe(true)
    const db = new Sqlite(join(engine.home, 'countersign.db'))
    db.exec(`update kept_results set outcome = replace(outcome, '12.91', '99.99')`)
    db.close()
    const after = await run(0)
    expect(isKept(after)).toBe(false)
    expect(after.outcome).toMatchObject({ stdout: '12.91\n' })
  })

  it('is not shown when a variable that it read, one that it left, or the sandbox has changed', async () => {
    const { run, path, conversation } = await notebook(
      'x = {"a": [1, 2]}',
      'y = x["a"][0] + 1\ny',
      'x["a"][0] = 5',
      'y = 0',
    )
    await run(0)
    await run(1)
    expect(isKept(await run(1))).toBe(true)
    await run(2)
    expect(isKept(await run(1)), 'it reads another value, deep inside').toBe(false)
    await run(3)
    expect(isKept(await run(1)), 'what it left is gone').toBe(false)
    await engine.contexts.end({ tenant: engine.caller.tenant, conversation, path }, 'manual', engine.caller.user)
    await run(0)
    expect(isKept(await run(1)), 'a new sandbox does not have what it left').toBe(false)
  })

  it('is not shown when a file that it reads is another, and is shown when it is the same again', async () => {
    const { run, path } = await notebook('text = open("in.csv").read()\nprint(text)')
    const folder = await engine.files(engine.caller, path)
    if (!folder.ok) throw new Error(folder.problem.message)
    const write = (text: string) => folder.value.write('in.csv', Buffer.from(text))
    await write('one')
    await run(0)
    expect(isKept(await run(0))).toBe(true)
    await write('two')
    expect((await run(0)).outcome).toMatchObject({ stdout: 'two\n' })
    await write('one')
    expect((await run(0)).outcome).toMatchObject({ stdout: 'one\n' })
  })

  it('is never one of the clock, of chance without a seed, of functions that changed, or of what cannot be told', async () => {
    const { run } = await notebook(
      'import time\nprint(time.time())',
      'import random\nprint(random.random())',
      'import random\nrandom.seed(7)\nprint(random.random())',
      'rate = 2\ndef f(v):\n    return v * rate',
      'print(f(3))',
      'rate = 3',
      'class Thing: pass\nthing = Thing()',
      'print(thing)',
      'open("own.py", "w").write("def g(): return 1\\nclass Own: pass\\n")\nfrom own import g, Own',
      'print(g())',
      'print(Own.__name__)',
    )
    await run(8)
    for (const at of [0, 1, 6, 7, 9, 10]) {
      await run(at)
      expect(isKept(await run(at)), `cell ${at}`).toBe(false)
    }
    await run(3)
    await run(4)
    expect(isKept(await run(4))).toBe(true)
    await run(5)
    expect((await run(4)).outcome, 'the function finds another value by name').toMatchObject({ stdout: '9\n' })
  })

  it('is kept only of cells of which somebody wants it, and forgotten when they do not', async () => {
    const { run, path, cells } = await notebook('a = 1\na')
    await run(0)
    expect(isKept(await run(0))).toBe(true)
    const id = (cells[0] as Cell).id
    await engine.kept.keep(engine.caller, path, id, false)
    expect(isKept(await run(0))).toBe(false)
    expect(await engine.kept.cells(engine.caller)).not.toContain(id)
    const stranger = { ...engine.caller, tenant: 'other' as typeof engine.caller.tenant }
    expect((await engine.kept.keep(stranger, path, id, true)).ok).toBe(false)
  })
})
