import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import type { Cell } from '../contract/conversations.ts'
import { isAtRest, type RunView } from '../contract/runs.ts'
import { value } from '../conversations/testing.ts'
import { call } from '../doors/cli/commands/call.testing.ts'
import { command } from '../doors/cli/commands/figures.ts'
import { command as reportCommand } from '../doors/cli/commands/report.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import { temporaryFolder } from '../storage/testing.ts'

const atRest = (engine: Engine, run: string) =>
  new Promise<RunView>(resolve => {
    const stop = engine.events.listen(event => {
      if (event.type !== 'run' || event.run.run !== run || !isAtRest(event.run.state)) return
      stop()
      resolve(event.run)
    })
  })

it('a figure says what it rests on, in the engine and in the terminal, and when its output was changed', async () => {
  const home = join(temporaryFolder(), 'home')
  const engine = await openEngine({ home, env: {}, pool: 0 })
  const close = once(() => engine.close())
  onTestFinished(close)
  const { caller, conversations, figures, runs } = engine
  const { conversation } = value(await conversations.create(caller, { title: 'Review' }))
  const path = conversation.main
  const folder = value(await engine.files(caller, path))
  value(await folder.write('book.csv', Buffer.from('1291\n')))
  const texts = ['funds = int(open("book.csv").read())', 'print(f"CET1: {funds / 100:.2f}%")']
  const cells = value(
    await conversations.insert(caller, {
      path,
      items: texts.map(text => ({ kind: 'cell', author: 'analyst', language: 'python', text })),
    }),
  ) as Cell[]
  const finished: RunView[] = []
  for (const { id, revision } of cells) {
    const started = value(await runs.start(caller, { path, cell: id, revision }))
    finished.push(isAtRest(started.view.state) ? started.view : await atRest(engine, started.view.run))
  }
  const [, ratio] = cells as [Cell, Cell]
  const [spot] = value(await figures.candidates(caller, { path, cell: ratio.id }))
  if (!spot) throw new Error(`nothing to pin: ${JSON.stringify(finished.at(-1))}`)
  const figure = value(await figures.pin(caller, { path, cell: ratio.id, place: spot.place, name: 'CET1' }))

  const lineage = value(await figures.lineage(caller, { path, figure }))
  expect(lineage.figure.state).toMatchObject({ kind: 'shown', stale: false, value: { value: 12.91, unit: '%' } })
  expect(lineage.cell).toMatchObject({ id: ratio.id, ranRevision: ratio.revision, language: 'python' })
  expect(lineage.cell.codeHash).toMatch(/^[0-9a-f]{64}$/)
  expect(lineage.run).toMatchObject({ id: finished[1]?.run, success: true, sandbox: 'local', outputsMatch: true })
  expect(lineage.decision).toMatchObject({ by: 'policy' })
  expect(lineage.inputs.files.map(file => file.path)).toEqual(['book.csv'])
  expect(lineage.upstream.map(({ firstLine }) => firstLine)).toEqual([texts[0]])
  expect(lineage.entries.map(({ what }) => what)).toEqual(['run.intended', 'run.finished'])
  await close()

  const terminal = (...positionals: string[]) => call(command, { json: true }, positionals, '', home)
  const listed = await terminal('list', 'Review')
  expect([listed.code, JSON.parse(listed.out).figures[0].name]).toEqual([0, 'CET1'])
  const compared = await terminal('compare', 'Review/main')
  expect(JSON.parse(compared.out).rows[0].states[0].state.value.shown).toBe('12.91%')

  const report = (values = {}) => call(reportCommand, { path: 'Review', ...values }, [], '', home)
  const made = await report()
  expect(made.code).toBe(0)
  for (const words of ['12.91%', 'book.csv', 'The record is intact.']) expect(made.out).toContain(words)
  expect(made.out).not.toContain('not on the record')

  const db = new Sqlite(join(home, 'countersign.db'))
  db.exec(`update outputs set body = replace(body, '12.91', '13.91')`)
  db.close()
  expect(await report({ 'allow-stale': true })).toMatchObject({
    code: 3,
    out: '',
    err: expect.stringContaining('not the one'),
  })
  const told = await terminal('lineage', path, 'CET1')
  expect(JSON.parse(told.out)).toMatchObject({
    run: { outputsMatch: false },
    figure: { state: { value: { value: 13.91 } } },
  })

  // Cut off from its run it cannot be compared any more, and the report says so beside it.
  const again = new Sqlite(join(home, 'countersign.db'))
  again.exec('update executions set run = null')
  again.close()
  expect((await report({ 'allow-stale': true })).out).toMatch(/13\.91%<\/b>CET1[^\n]*not on the record/)
})

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => (done ??= work())
}
