import { expect, it } from 'vitest'
import { ok } from '../../contract/problem.ts'
import { searchTools } from './tools.ts'

it.each([
  ['when the meaning was not searched', 'The sentence model was not ready: found by words alone.'],
  ['nothing when it was', null],
])('a client is told, %s', async (_when, note) => {
  const engine = {
    caller: {},
    mcp: { search: async () => ok({ found: [], note }), accepted: async () => [] },
    privacy: { egress: { pass: async (_to: string, value: unknown) => ok({ value }) } },
  }
  expect(await searchTools(engine as never, { name: 'a client', session: '' }, 'post an entry')).toEqual(
    ok({ tools: [], ...(note ? { note } : {}) }),
  )
})
