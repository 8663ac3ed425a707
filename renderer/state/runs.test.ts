import { afterEach, expect, it } from 'vitest'
import type { RunView } from '../../src/contract/runs.ts'
import { noteRun, noteStarted, useRuns } from './runs.ts'

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
