import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ApprovalRequest } from '../contract/approval.ts'
import type { CellId, PathId } from '../contract/ids.ts'
import type { Outcome } from '../contract/problem.ts'
import type { RunView } from '../contract/runs.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { departed } from './following.ts'

const code = 'import shutil\nshutil.rmtree("out")'

function take<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.problem.code}: ${outcome.problem.message}`)
  return outcome.value
}

/** A notebook in the whole engine, with one cell that deletes and whose run waits for a reviewer. */
async function waiting() {
  const engine = await openEngine({ home: join(temporaryFolder(), 'home'), env: {}, pool: 0 })
  onTestFinished(() => engine.close())
  const { conversations, caller } = engine
  const { conversation } = take(await conversations.create(caller, { title: 'Test' }))
  const { main } = conversation
  const items = [{ kind: 'cell', author: 'analyst', language: 'python', text: 'x = 1' }] as const
  const [cell] = take(await conversations.insert(caller, { path: main, items: [...items] }))
  if (cell?.kind !== 'cell') throw new Error('no cell')
  const change = { path: main, item: cell.id, text: code, expectedRevision: cell.revision }
  take(await conversations.edit(caller, change))
  const { id: branch } = take(await conversations.branch(caller, { path: main, after: cell.id, name: 'b' }))
  const ask = async (path: PathId) => {
    const [now] = take(await conversations.items(caller, path, [cell.id]))
    const revision = now?.revision ?? -1
    const started = take(await engine.runs.start(caller, { path, cell: cell.id, revision }))
    const { request } = await started.rest
    if (!request) throw new Error('it did not wait')
    return async () => take(await engine.approval.requests.get(caller.tenant, request))
  }
  return { engine, cell: cell.id, conversation: conversation.id, main, branch, ask }
}

type Place = { engine: Engine; cell: CellId; conversation: never; main: PathId; branch: PathId }

describe('an approval that is asked for', () => {
  it.each<[string, 'main' | 'branch', (place: Place) => Promise<Outcome<unknown>>]>([
    ['an undo', 'main', ({ engine, main }) => engine.conversations.undo(engine.caller, main)],
    [
      'another language',
      'main',
      ({ engine, main: path, cell: item }) =>
        engine.conversations.changeLanguage(engine.caller, { path, item, language: 'bash' }),
    ],
    [
      'removing the cell',
      'main',
      ({ engine, main: path, cell }) => engine.conversations.removeItems(engine.caller, { path, items: [cell] }),
    ],
    ['deleting the path', 'branch', ({ engine, branch }) => engine.conversations.deletePath(engine.caller, branch)],
    ['archiving the path', 'branch', ({ engine, branch }) => engine.conversations.archivePath(engine.caller, branch)],
    [
      'merging the path',
      'branch',
      ({ engine, branch: source, main: target }) =>
        engine.conversations.merge(engine.caller, { source, target, what: { mode: 'whole' } }),
    ],
    [
      'deleting the conversation',
      'main',
      ({ engine, conversation }) => engine.conversations.remove(engine.caller, conversation),
    ],
  ])('is voided by %s', async (_how, where, change) => {
    const place = await waiting()
    const request = await place.ask(place[where])
    expect((await request()).state).toBe('waiting')
    take(await change(place as unknown as Place))
    expect(await request()).toMatchObject({ state: 'voided', note: expect.stringMatching(/^The (cell|language|path)/) })
  })

  it('is voided by a redo, and outlives what changes neither code nor language', async () => {
    const { engine, main, branch, cell, ask } = await waiting()
    const { conversations, caller } = engine
    const onBranch = await ask(branch)
    const first = await ask(main)
    take(
      await conversations.insert(caller, { path: main, items: [{ kind: 'message', author: 'analyst', text: 'hm' }] }),
    )
    take(await conversations.undo(caller, main))
    take(await conversations.move(caller, { path: main, items: [cell], after: null }))
    expect((await first()).state).toBe('waiting')
    const expectedRevision = take(await conversations.items(caller, main, [cell]))[0]?.revision ?? 0
    take(await conversations.edit(caller, { path: main, item: cell, text: `${code}\n`, expectedRevision }))
    expect((await first()).state).toBe('voided')
    take(await conversations.undo(caller, main))
    const second = await ask(main)
    take(await conversations.redo(caller, main))
    expect((await second()).state).toBe('voided')
    expect((await onBranch()).state).toBe('waiting')
  })
})

describe('going on after an approval', () => {
  it('compares what was approved with the cell as it is now, refuses what changed, and records why', async () => {
    const { engine, main, cell, ask } = await waiting()
    const request = await ask(main)
    const { approval, caller, conversations } = engine
    // Somebody holds an approval that was not voided, because the machine went down between the two.
    const approved: ApprovalRequest = { ...(await request()), state: 'approved' }
    take(await conversations.removeItems(caller, { path: main, items: [cell] }))
    const view: RunView = await take(await engine.runs.resume(approved)).rest
    expect(view).toMatchObject({ state: 'refused', problem: { code: 'approval.voided' } })
    expect(view.problem?.message).toContain('The cell of this code is gone')
    const { items } = await engine.audit.query({ filter: { run: view.run } })
    expect(items.map(item => item.entry)).toContainEqual(
      expect.objectContaining({
        action: 'run.refused',
        request: approved.id,
        details: expect.objectContaining({ code: 'approval.voided', reason: view.problem?.message }),
      }),
    )
    expect(take(await approval.requests.get(caller.tenant, approved.id)).state).toBe('voided')
  })

  it('tells apart other bytes, another language and what is gone', () => {
    const asked = { code, language: 'python' } as ApprovalRequest
    const now = { kind: 'cell', revision: 1, authors: [] } as const
    expect(departed(asked, { ...now, text: code, language: 'python' })).toBeNull()
    expect(departed(asked, { kind: 'beside' })).toBeNull()
    expect(departed(asked, { ...now, text: `${code} `, language: 'python' })?.message).toContain('something else')
    expect(departed(asked, { ...now, text: code, language: 'bash' })?.message).toContain('in bash now')
    expect(departed(asked, { kind: 'gone', what: 'path' })?.message).toContain('The path')
  })
})
