import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Cell, EditItem, EditResult } from '../../src/contract/conversations.ts'
import { CellId, PathId } from '../../src/contract/ids.ts'
import { queryClient } from '../state/queries.ts'
import { findItem, pathKey } from './path-data.ts'
import { changeLanguage, settle, typed, typedText, useConflict } from './typing.ts'

/** The engine's side of an edit, answered when the test says so. */
const engine = vi.hoisted(() => ({
  edits: [] as { request: EditItem; answer(): void }[],
  changes: [] as (() => void)[],
  text: '',
  revision: 1,
}))
vi.mock('../state/connection.ts', () => ({
  client: {
    paths: {
      saveDraft: async () => {},
      dropDraft: async () => {},
      changeLanguage: ({ language }: { language: string }) =>
        new Promise<Cell>(resolve =>
          engine.changes.push(() => resolve({ ...cell, text: engine.text, language, revision: ++engine.revision })),
        ),
      edit: (request: EditItem) =>
        new Promise<EditResult>(resolve =>
          engine.edits.push({
            request,
            answer() {
              const current = { ...cell, text: engine.text, revision: engine.revision }
              if (request.expectedRevision !== engine.revision) {
                return resolve({ result: 'conflict', current, base: '', yours: request.text })
              }
              engine.text = request.text
              engine.revision++
              resolve({ result: 'saved', item: { ...cell, text: engine.text, revision: engine.revision } })
            },
          }),
        ),
    },
  },
  useConnection: { subscribe: () => () => {}, getState: () => ({ state: 'open' }) },
}))

const path = PathId.parse(crypto.randomUUID())
const cell: Cell = {
  kind: 'cell',
  id: CellId.parse(crypto.randomUUID()),
  revision: 1,
  author: 'analyst',
  text: '',
  inherited: false,
  changedAt: 0,
  language: 'python',
  lastRun: null,
}
const shown = () => findItem(path, cell.id) as Cell
/** Moves the clock on as well, which `expect.poll` would not. */
const until = (check: () => void) => vi.waitFor(check, { timeout: 120_000 })
const answer = () =>
  until(() => expect(engine.edits.length).toBeGreaterThan(0)).then(() => engine.edits.shift()?.answer())

beforeEach(() => {
  vi.useFakeTimers()
  engine.edits.length = 0
  engine.text = ''
  engine.revision = 1
  useConflict.setState({ conflict: null })
  queryClient.setQueryData(pathKey(path), { items: [cell] })
})

describe('what is typed', () => {
  it('is waited for by a run also when its timer is already saving it', async () => {
    typed(path, shown(), 'rate = 0.21')
    await vi.advanceTimersByTimeAsync(1000)
    expect(engine.edits).toHaveLength(1)
    let settled = false
    const settling = settle(path).then(() => {
      settled = true
    })
    await vi.advanceTimersByTimeAsync(10)
    expect(settled).toBe(false)
    expect(typedText(shown())).toBe('rate = 0.21')
    await answer()
    await settling
    expect(shown().text).toBe('rate = 0.21')
  })

  it('is not in conflict with what this window is saving', async () => {
    typed(path, shown(), 'a')
    await vi.advanceTimersByTimeAsync(1000)
    // Typed before the answer: the record still shows the text from before both.
    typed(path, cell, 'ab')
    const settling = settle(path)
    await answer()
    await answer()
    await settling
    expect(useConflict.getState().conflict).toBeNull()
    expect(shown().text).toBe('ab')
  })

  it('is in conflict with what another window saved meanwhile', async () => {
    typed(path, shown(), 'mine')
    engine.text = 'theirs'
    engine.revision = 2
    const settling = settle(path)
    await answer()
    await settling
    expect(useConflict.getState().conflict).toMatchObject({ yours: 'mine', current: { text: 'theirs' } })
  })
})

it('a run waits for the language that was chosen a moment ago', async () => {
  typed(path, shown(), 'echo done')
  const changed = changeLanguage(path, cell.id, 'bash')
  let language = ''
  const running = settle(path).then(() => {
    language = shown().language
  })
  await answer()
  await until(() => expect(engine.changes).toHaveLength(1))
  engine.changes.shift()?.()
  await Promise.all([changed, running])
  expect(language).toBe('bash')
})
