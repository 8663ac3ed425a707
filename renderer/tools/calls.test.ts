import { expect, it } from 'vitest'
import type { ToolCall } from '../../src/contract/tools.ts'
import { linesOf, stayed } from './calls.tsx'

const call = (changes: Partial<ToolCall> = {}): ToolCall => ({
  ...{ server: 'ledger', tool: 'list', end: 'answered', startedAt: 0, durationMs: 5, bytes: 1000 },
  ...{ argumentsHash: 'a'.repeat(64), resultHash: null },
  ...changes,
})

it('calls of one tool stand on one line, those that were refused on another', () => {
  const refused = call({ end: 'refused', code: 'mcp.arguments', message: 'n is missing', bytes: 0 })
  expect(linesOf([call(), call(), refused])).toMatchObject([
    { name: 'ledger.list', count: 2, bytes: 2000, durationMs: 10, why: null },
    { end: 'refused', count: 1, why: 'n is missing' },
  ])
})

it('what the cell shows has not stayed', () => {
  expect(stayed([call(), call()], [{ type: 'stream', name: 'stdout', text: 'ü' }])).toEqual({ here: 1998, shown: 2 })
  expect(stayed([call({ bytes: 1 })], [{ type: 'stream', name: 'stdout', text: 'longer' }]).here).toBe(0)
})
