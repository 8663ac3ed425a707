import { describe, expect, it } from 'vitest'
import type { Part } from '../contract/chat.ts'
import type { Item } from '../contract/conversations.ts'
import { ok } from '../contract/problem.ts'
import type { Active } from './active.ts'
import type { Desk } from './desk.ts'
import { noteFigures } from './noting.ts'

const stream = (text: string) => ({ type: 'stream', name: 'stdout', text })
const question = { kind: 'message', id: 'q', author: 'analyst', text: 'What is it?' }
const answer = { kind: 'message', id: 'a', author: 'assistant', text: 'It is 11.84 % and 12.5 %.' }
/** A large output: its beginning stands on the path, the rest is read when it is wanted. */
const cell = (id: string, bytes: number) => ({
  ...{ kind: 'cell', id, author: 'assistant', text: '' },
  lastRun: { outputs: [{ id, whole: false, bytes, preview: '12.5\n…' }] },
})

/** Matches the figures of the answer against outputs of these sizes. */
async function noted(...sizes: number[]) {
  const cells = sizes.map((bytes, at) => cell(`c${at}`, bytes))
  const items = [question, ...cells, answer] as unknown as Item[]
  const parts: Part[] = []
  const desk = {
    conversations: {
      allItems: async () => ok(items),
      // A long line of digits is cut nowhere but between two numbers.
      output: async () => ok(stream(`12.5\n${'7,'.repeat(200_000)}\n11.84`)),
    },
    store: {
      partsOf: async () => [{ item: 'a' }],
      addParts: async (_row: unknown, _step: number, added: { part: Part }[]) =>
        void parts.push(...added.map(({ part }) => part)),
    },
  } as unknown as Desk
  const notice = await noteFigures(desk, {
    ref: { path: 'p' },
    row: { id: 't', question: 'q', step: 1 },
  } as unknown as Active)
  const [part] = parts
  return { notice, cells: part?.kind === 'figures' ? part.figures.map(figure => figure.cell) : [] }
}

describe('the figures of an answer', () => {
  it('are looked for in large outputs to their end', async () => {
    expect(await noted(20_000_000)).toEqual({ notice: null, cells: ['c0', 'c0'] })
  })

  it('are looked for at the beginning of what is too large, and the person is told', async () => {
    const { notice, cells } = await noted(70_000_000)
    expect(notice).toContain('larger than 64 MB')
    expect(cells).toEqual([null, 'c0'])
  })

  it('are looked for in the newest outputs first; what is not needed any more is not read', async () => {
    expect(await noted(70_000_000, 60_000_000)).toEqual({ notice: null, cells: ['c1', 'c1'] })
  })
})
