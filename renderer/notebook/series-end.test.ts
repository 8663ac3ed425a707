import { expect, it } from 'vitest'
import type { Series } from '../../src/contract/series.ts'
import { wordOf } from './series-end.ts'

const failed = (kind: string, name: string) => ({ error: { kind, name }, problem: null }) as Series['end']
const refused = (code: string) => ({ error: null, problem: { code, message: '', hint: '' } }) as Series['end']

it.each([
  [failed('runtime', 'ZeroDivisionError'), 'failed'],
  [failed('syntax', 'IndentationError'), 'has a syntax error'],
  [failed('timeout', 'TimeLimit'), 'failed'],
  [failed('killed', 'Interrupted'), 'was stopped'],
  [refused('approval.denied'), 'was denied'],
  [refused('policy.blocked'), 'was denied'],
  [refused('approval.cancelled'), 'was withdrawn'],
  [refused('request.cancelled'), 'was stopped'],
  [refused('run.syntax'), 'has a syntax error'],
  [refused('sandbox.closed'), 'could not be run'],
])('says why a series of cells stopped: %#', (end, word) => {
  expect(end && wordOf(end)).toBe(word)
})
