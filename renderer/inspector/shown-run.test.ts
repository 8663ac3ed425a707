import { describe, expect, it } from 'vitest'
import type { Cell, Item } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import type { LiveRun } from '../../src/contract/runs.ts'
import { shownRun } from './shown-run.ts'

const path = 'path' as PathId
const cell = (id: string, finishedAt: number | null, run: string | null = `run of ${id}`): Item =>
  ({ kind: 'cell', id, lastRun: finishedAt === null ? null : { run, finishedAt } }) as unknown as Item
const live = (of: string, finishedAt: number | null): LiveRun =>
  ({
    view: { run: `new run of ${of}`, path, cell: of, state: finishedAt ? 'finished' : 'running', finishedAt },
  }) as unknown as LiveRun
const idOf = (item: Item | undefined) => (item as Cell).id

describe('the run that is told of', () => {
  const items = [cell('a', 10), cell('b', 20), cell('c', null), cell('imported', 99, null)]

  it('is that of the selected cell, by the record where this window did not see it', () => {
    expect(shownRun(items, [], path, idOf(items[0]))).toMatchObject({ cell: { id: 'a' }, place: 1, live: null })
    expect(shownRun(items, [live('a', 30)], path, idOf(items[0]))?.live?.view.finishedAt).toBe(30)
    expect(shownRun(items, [live('a', 5)], path, idOf(items[0]))?.live).toBeNull()
  })

  it('is the last one of the path where the selected cell has none', () => {
    for (const none of [items[2], items[3]])
      expect(shownRun(items, [], path, idOf(none))).toMatchObject({ cell: { id: 'b' }, place: 2 })
    expect(shownRun(items, [live('a', null)], path, null)?.cell.id).toBe('a')
    expect(shownRun(items, [live('a', null)], 'other' as PathId, null)?.cell.id).toBe('b')
  })

  it('is none where nothing ran', () => {
    expect(shownRun([cell('c', null)], [], path, null)).toBeNull()
  })
})
