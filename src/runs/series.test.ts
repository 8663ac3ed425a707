import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Cell } from '../contract/conversations.ts'
import type { CellId, PathId, RequestId } from '../contract/ids.ts'
import type { Series } from '../contract/series.ts'
import { value } from '../conversations/testing.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import { temporaryFolder } from '../storage/testing.ts'

async function opened(home = join(temporaryFolder(), 'home')): Promise<Engine> {
  const engine = await openEngine({ home, env: {}, pool: 0 })
  const close = engine.close
  let closing: Promise<void> | null = null
  engine.close = () => {
    closing ??= close()
    return closing
  }
  onTestFinished(() => engine.close())
  return engine
}

async function notebook({ conversations, caller }: Engine, ...texts: string[]) {
  const { main: path } = value(await conversations.create(caller, { title: 'In order' })).conversation
  const items = texts.map(text => ({ kind: 'cell', author: 'analyst', language: 'bash', text }) as const)
  const cells = (value(await conversations.insert(caller, { path, items })) as Cell[]).map(({ id }) => id)
  return { path, cells }
}

/** The first state of a path's series that is as asked for, now or later. */
function until(engine: Engine, path: PathId, is: (series: Series | null) => boolean): Promise<Series | null> {
  return new Promise((resolve, reject) => {
    const look = (series: Series | null) => {
      if (!is(series)) return
      stop()
      resolve(series)
    }
    const stop = engine.events.listen(event => {
      if (event.type === 'series' && event.path === path) look(event.series)
    })
    engine.series.of(engine.caller, path).then(now => look(value(now)), reject)
  })
}

const printed = async ({ conversations, caller }: Engine, path: PathId) =>
  value(await conversations.open(caller, { path })).items.flatMap(item =>
    item.kind === 'cell' && item.lastRun
      ? item.lastRun.outputs.map(each => (each.whole && each.output.type === 'stream' ? each.output.text : ''))
      : [],
  )

/** A cell that runs until a file is there. */
const held = 'echo begun; until [ -e go ]; do sleep 0.05; done'

async function letGo(engine: Engine, path: PathId): Promise<void> {
  const folder = value(await engine.files(engine.caller, path))
  value(await folder.write('go', Buffer.from('')))
}

const isAt = (cell?: CellId) => (series: Series | null) => series?.cell === cell && series?.run !== null

it('cells run in order, and at the first that fails the rest is not run', async () => {
  const engine = await opened()
  const { path, cells } = await notebook(engine, 'echo one', '', 'false', 'echo four', 'echo five')
  value(await engine.series.start(engine.caller, { path, cells }))
  const series = await until(engine, path, now => now?.state === 'stopped')
  expect(series).toMatchObject({ cell: cells[2], done: 2, waiting: cells.slice(3), end: { problem: null } })
  expect(await printed(engine, path)).toContain('one\n')
  expect(await printed(engine, path)).not.toContain('four\n')
  value(await engine.series.end(engine.caller, path))
  expect(value(await engine.series.of(engine.caller, path))).toBeNull()
})

it('what is asked for meanwhile comes after it, and whoever ends it leaves the cell under way alone', async () => {
  const engine = await opened()
  const { path, cells } = await notebook(engine, held, 'echo two', 'echo three')
  const [first, second, third] = cells as [CellId, CellId, CellId]
  value(await engine.series.start(engine.caller, { path, cells: [first] }))
  await until(engine, path, isAt(first))
  value(await engine.series.start(engine.caller, { path, cells: [second] }))
  expect(value(await engine.series.of(engine.caller, path))).toMatchObject({ cell: first, waiting: [second] })
  await letGo(engine, path)
  await until(engine, path, now => now === null)
  expect(await printed(engine, path)).toEqual(['begun\n', 'two\n'])

  const folder = value(await engine.files(engine.caller, path))
  value(await folder.remove('go'))
  value(await engine.series.start(engine.caller, { path, cells: [first, third] }))
  await until(engine, path, isAt(first))
  value(await engine.series.end(engine.caller, path))
  await letGo(engine, path)
  await engine.runs.idle()
  expect(await printed(engine, path)).toEqual(['begun\n', 'two\n'])
})

it('one that waits for a reviewer holds up the rest, which is not run when it is withdrawn', async () => {
  const engine = await opened()
  const { path, cells } = await notebook(engine, 'rm -r out', 'echo after')
  value(await engine.series.start(engine.caller, { path, cells }))
  const request = await new Promise<RequestId>(resolve => {
    const stop = engine.events.listen(event => {
      if (event.type !== 'run' || event.run.state !== 'waiting') return
      stop()
      resolve(event.run.request)
    })
  })
  expect(value(await engine.series.of(engine.caller, path))).toMatchObject({ cell: cells[0], waiting: [cells[1]] })
  value(await engine.approval.requests.cancel(engine.caller.tenant, request, engine.caller.user))
  const series = await until(engine, path, now => now?.state === 'stopped')
  expect(series?.end).toMatchObject({ error: null, problem: { code: 'approval.cancelled' } })
  expect(await printed(engine, path)).toEqual([])
})

it('the next start of the application says how far it was, and runs the rest when asked', async () => {
  const home = join(temporaryFolder(), 'home')
  const before = await opened(home)
  const { path, cells } = await notebook(before, 'echo one', held, 'echo three')
  value(await before.series.start(before.caller, { path, cells }))
  await until(before, path, isAt(cells[1]))
  await before.close()

  const engine = await opened(home)
  const left = value(await engine.series.of(engine.caller, path))
  expect(left).toMatchObject({ state: 'left', cell: cells[1], done: 1, waiting: [cells[2]] })
  await letGo(engine, path)
  value(await engine.series.resume(engine.caller, path))
  await until(engine, path, now => now === null)
  expect((await printed(engine, path)).slice(-2)).toEqual(['begun\n', 'three\n'])
  expect(value(await engine.series.of(engine.caller, path))).toBeNull()
})

it('is not there for another tenant', async () => {
  const engine = await opened()
  const { path, cells } = await notebook(engine, 'echo one')
  const stranger = { tenant: crypto.randomUUID(), user: crypto.randomUUID() } as never
  for (const ask of [
    engine.series.start(stranger, { path, cells }),
    engine.series.of(stranger, path),
    engine.series.end(stranger, path),
    engine.series.resume(stranger, path),
  ])
    expect(await ask).toMatchObject({ ok: false, problem: { code: 'not-found' } })
})
