import { afterEach, expect, it } from 'vitest'
import type { PathId } from '../../src/contract/ids.ts'
import type { RunView } from '../../src/contract/runs.ts'
import { noteLive, noteRun, noteStarted, underWay, useRuns } from './runs.ts'

const view = (run: string, state: string) => ({ run, state, path: 'p', cell: 'c' }) as unknown as RunView
const states = () => [...useRuns.getState().runs.values()].map(live => [live.view.run, live.view.state])
afterEach(() => useRuns.setState({ runs: new Map() }))

it('a run that was just started takes the place of the one before it at its cell', () => {
  noteRun(view('1', 'finished'))
  noteStarted(view('2', 'inspecting'))
  expect(states()).toEqual([['2', 'inspecting']])
})

it.each([
  ['of the same run', '2', 'finished'],
  ['of a later one', '3', 'running'],
])('the answer to a start does not replace news %s', (_, run, state) => {
  noteRun(view(run, state))
  noteStarted(view('2', 'inspecting'))
  expect(states()).toEqual([[run, state]])
})

it('a list of what is under way brings back no run that is over, and drops none that began after it was asked for', () => {
  noteRun(view('1', 'running'))
  const before = underWay('p' as PathId)
  const live = [{ view: view('1', 'running'), outputs: [] }]
  noteRun({ ...view('1', 'finished') })
  noteRun({ ...view('2', 'running'), cell: 'd' } as RunView)
  noteLive(live, before)
  expect(states()).toEqual([
    ['1', 'finished'],
    ['2', 'running'],
  ])
})

it('a run that is no longer under way is forgotten when its end was not heard', () => {
  noteRun(view('1', 'running'))
  noteLive([], underWay('p' as PathId))
  expect(states()).toEqual([])
})
