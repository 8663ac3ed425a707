import { describe, expect, it } from 'vitest'
import type { ContextStatus } from '../../src/contract/contexts.ts'
import type { Cell, Item } from '../../src/contract/conversations.ts'
import { rotationOf } from '../sandbox/rotation.ts'
import { cellsBefore, upToHere } from './restoring.ts'
import { staleToRun } from './run-stale.ts'

const cell = (id: string, finishedAt: number | null, more: Partial<Cell> = {}) =>
  ({
    kind: 'cell',
    id,
    language: 'python',
    inherited: false,
    lastRun: finishedAt === null ? null : { run: `run ${id}`, path: 'here', finishedAt },
    ...more,
  }) as unknown as Item
const status = (more: Partial<ContextStatus>) =>
  ({
    context: 'c',
    path: 'here',
    state: 'ready',
    createdAt: 100,
    freshSince: 100,
    forkedFrom: null,
    ...more,
  }) as ContextStatus
const ids = (cells: readonly Cell[]) => cells.map(({ id }) => id)

const items = [cell('a', 50), cell('text', 60, { language: 'markdown' }), cell('b', 150), cell('new', null)]

describe('which cells have lost their variables', () => {
  it('those that ran before the sandbox was opened or restarted', () => {
    expect(ids(cellsBefore(status({}), items))).toEqual(['a'])
    expect(ids(cellsBefore(status({ freshSince: 200 }), items))).toEqual(['a', 'b'])
  })

  it('all that ran, where the sandbox has expired or ended', () => {
    for (const state of ['expired', 'error', 'none'] as const)
      expect(ids(cellsBefore(status({ state, freshSince: null }), items))).toEqual(['a', 'b'])
  })

  it('none where the path never had one, while one starts, and where another process holds it', () => {
    expect(cellsBefore(status({ context: null, state: 'none' }), items)).toEqual([])
    expect(cellsBefore(status({ state: 'warming' }), items)).toEqual([])
    expect(cellsBefore(status({ freshSince: null }), items)).toEqual([])
  })

  it('none that came with a fork, until it is restarted', () => {
    const inherited = [cell('a', 50, { inherited: true })]
    const forked = { forkedFrom: 'other' as never }
    expect(cellsBefore(status(forked), inherited)).toEqual([])
    expect(ids(cellsBefore(status({ ...forked, freshSince: 300 }), inherited))).toEqual(['a'])
  })

  it('are run up to where the person is', () => {
    const all = cellsBefore(status({ state: 'expired' }), items)
    expect(ids(upToHere(all, items, 'a' as never))).toEqual(['a'])
    expect(ids(upToHere(all, items, 'b' as never))).toEqual(['a', 'b'])
    expect(ids(upToHere(all, items, null))).toEqual(['a', 'b'])
  })
})

describe('running what is stale', () => {
  const stale = (id: string, finishedAt: number) => {
    const made = cell(id, finishedAt) as Cell
    return { ...made, lastRun: { ...made.lastRun, stale: true } } as Item
  }
  const path = [cell('a', 150), stale('b', 160), cell('c', 170), stale('d', 180), cell('e', 190)]

  it('runs exactly those, in order, after an edit or a merge', () => {
    expect(staleToRun(status({}), path).map(({ id }) => id)).toEqual(['b', 'd'])
  })

  it('runs what they cannot do without first, after a restart or an expiry', () => {
    expect(staleToRun(status({ freshSince: 200 }), path).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
    const expired = status({ state: 'expired', freshSince: null })
    expect(staleToRun(expired, path).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('runs what ran elsewhere first: on a new branch, after a merge, in an imported notebook', () => {
    const from = (id: string, run: string | null, path: string) =>
      cell(id, 170, { lastRun: { run, path, finishedAt: 170 } as never })
    const branch = status({ context: null, state: 'none', freshSince: null, createdAt: null })
    expect(staleToRun(branch, path).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
    expect(staleToRun(status({}), [from('merged', 'run', 'branch'), ...path]).map(({ id }) => id)).toEqual([
      ...['merged', 'b', 'd'],
    ])
    expect(staleToRun(status({}), [from('imported', null, 'here'), ...path])[0]?.id).toBe('imported')
    expect(cellsBefore(status({}), [from('merged', 'run', 'branch'), from('imported', null, 'here')])).toEqual([])
  })

  it('runs nothing where nothing is stale', () => {
    expect(staleToRun(status({ freshSince: 200 }), items)).toEqual([])
  })
})

it('says before the hundredth run that a sandbox is to be replaced, and goes on saying so', () => {
  const at = (runs: number, state: ContextStatus['state'] = 'ready') => rotationOf({ state, runs, maxRuns: 100 })
  expect(at(89)).toEqual({ kind: 'no', words: null })
  expect(at(90)).toEqual({ kind: 'soon', words: '10 runs left' })
  expect(at(99)).toEqual({ kind: 'soon', words: '1 run left' })
  expect(at(130).kind).toBe('due')
  expect(at(130, 'expired').kind).toBe('no')
})
