import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Cell, ConversationChange, LastRun } from '../../src/contract/conversations.ts'
import { CellId, ConversationId, PathId } from '../../src/contract/ids.ts'
import { queryClient } from '../state/queries.ts'
import {
  currentPath,
  fetchPath,
  findItem,
  patchItems,
  pathQuery,
  placeItems,
  refreshPath,
  reloadPath,
} from './path-data.ts'

/** The engine's answers: made when it is asked, handed over when the test says so, in any order. */
const engine = vi.hoisted(() => ({ cells: [] as Cell[], answers: [] as (() => void)[] }))
vi.mock('../state/connection.ts', () => {
  const later = <T>(value: T) => new Promise<T>(resolve => engine.answers.push(() => resolve(value)))
  return {
    client: {
      runs: { live: async () => [] },
      paths: {
        open: () => later({ items: [...engine.cells], next: null }),
        items: ({ items }: { items: string[] }) => later(engine.cells.filter(cell => items.includes(cell.id))),
        stale: async () => [],
      },
    },
    useConnection: { subscribe: () => () => {}, getState: () => ({ state: 'open' }) },
  }
})

const path = PathId.parse(crypto.randomUUID())
const cell = (text: string, revision: number, rest: Partial<Cell> = {}): Cell => ({
  kind: 'cell',
  id: first,
  revision,
  author: 'analyst',
  text,
  inherited: false,
  changedAt: 0,
  language: 'python',
  lastRun: null,
  ...rest,
})
const first = CellId.parse(crypto.randomUUID())
const second = CellId.parse(crypto.randomUUID())
const changed = (items: Cell['id'][]): ConversationChange => ({
  what: 'items',
  version: 1,
  conversation: ConversationId.parse(crypto.randomUUID()),
  path,
  items,
})
const asked = (count: number) => expect.poll(() => engine.answers.length).toBe(count)
const answer = (index = 0) => engine.answers.splice(index, 1)[0]?.()
const ran = (run: string) => ({ run, stale: false }) as unknown as LastRun

let close = () => {}
beforeEach(async () => {
  engine.cells = [cell('a = 1', 1)]
  engine.answers.length = 0
  const opened = fetchPath(path)
  await asked(1)
  answer()
  await opened
  close = new QueryObserver(queryClient, { ...pathQuery(path), staleTime: Number.POSITIVE_INFINITY }).subscribe(
    () => {},
  )
})
afterEach(() => {
  close()
  queryClient.clear()
})

it('a cell that was inserted while the path was being fetched stays', async () => {
  const reloading = reloadPath(path)
  await asked(1)
  engine.cells = [cell('a = 1', 1), cell('', 2, { id: second })]
  placeItems(path, [cell('', 2, { id: second })], first)
  await asked(2)
  answer()
  answer()
  await reloading
  await expect.poll(() => queryClient.isFetching()).toBe(0)
  expect(findItem(path, second)).toBeDefined()
})

it('a change that is told while the path is opened is asked for', async () => {
  queryClient.removeQueries(pathQuery(path))
  const opening = fetchPath(path)
  await asked(1)
  engine.cells = [cell('a = 2', 2)]
  const refreshing = refreshPath(path, changed([first]))
  answer()
  await opening
  await asked(1)
  answer()
  await refreshing
  expect(findItem(path, first)?.text).toBe('a = 2')
})

it('what came to the end is fetched alone, and stands there once however often it is told', async () => {
  engine.cells = [cell('a = 1', 1), cell('b = 2', 2, { id: second })]
  for (const _ of [1, 2]) {
    const refreshing = refreshPath(path, { ...changed([second]), appended: true })
    await asked(1)
    answer()
    await refreshing
  }
  expect(currentPath(path)?.items.map(({ id }) => id)).toEqual([first, second])
})

it('an answer from before an edit does not bring the old text back', async () => {
  const refreshing = refreshPath(path, changed([first]))
  await asked(1)
  engine.cells = [cell('a = 2', 2)]
  patchItems(path, engine.cells)
  answer()
  await refreshing
  expect(findItem(path, first)?.text).toBe('a = 2')
})

it('the end of a run is not overwritten by the late answer about its beginning', async () => {
  const began = refreshPath(path, changed([first]))
  await asked(1)
  engine.cells = [cell('a = 1', 1, { lastRun: ran('over') })]
  const ended = refreshPath(path, changed([first]))
  // Were both asked at once, the newer answer could come first.
  answer(engine.answers.length - 1)
  await asked(1)
  answer()
  await Promise.all([began, ended])
  expect(findItem(path, first)).toMatchObject({ lastRun: { run: 'over' } })
})
