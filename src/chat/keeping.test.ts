import { expect, it } from 'vitest'
import type { Active } from './active.ts'
import type { Desk } from './desk.ts'
import { Kept, keeping } from './keeping.ts'

it('keeps all that a model has said so far, with calls that were complete before the rest of its answer', async () => {
  const written: { partial?: string }[] = []
  const desk = {
    store: { change: async (_: unknown, to: { partial?: string }) => void written.push(to) },
    clock: {
      after(_: number, then: () => void) {
        then()
        return () => {}
      },
    },
  } as unknown as Desk
  const kept = keeping(desk, { row: { id: 't' }, unsaved: {} } as unknown as Active)
  const calls = [{ tool: 'run_code', input: '{"code":"1"}' }]
  const unfinished = [{ tool: 'read_file', input: '{"pa' }]
  kept.keep(() => ({ text: 'Now.', reasoning: 'It is asked for.', calls, unfinished }))
  await kept.end()
  expect(Kept.parse(JSON.parse(written[0]?.partial ?? ''))).toEqual({
    ...{ text: 'Now.', reasoning: 'It is asked for.' },
    unfinished: [...calls, ...unfinished],
  })
})
