import { expect, it } from 'vitest'
import type { RunView } from '../../src/contract/runs.ts'
import { wordOf } from './series.ts'

const finished = (success: boolean, error: object | null = null) =>
  ({ state: 'finished', outcome: { success, error }, problem: null }) as unknown as RunView
const refused = (code: string) => ({ state: 'refused', outcome: null, problem: { code } }) as unknown as RunView

it.each([
  [finished(true), 'succeeded'],
  [finished(false, { kind: 'runtime', name: 'ZeroDivisionError' }), 'failed'],
  [finished(false, { kind: 'syntax', name: 'IndentationError' }), 'has a syntax error'],
  [finished(false, { kind: 'timeout', name: 'TimeLimit' }), 'failed'],
  [finished(false, { kind: 'killed', name: 'Interrupted' }), 'was stopped'],
  [refused('approval.denied'), 'was denied'],
  [refused('policy.blocked'), 'was denied'],
  [refused('approval.cancelled'), 'was withdrawn'],
  [refused('request.cancelled'), 'was stopped'],
  [refused('run.syntax'), 'has a syntax error'],
  [refused('sandbox.closed'), 'could not be run'],
])('a series of cells goes on only after one that succeeded: %#', (view, word) => {
  expect(wordOf(view)).toBe(word)
})
