import { describe, expect, it } from 'vitest'
import type { ChatView, ItemParts, Turn } from '../../src/contract/chat.ts'
import { indexed, unanswered, withAnswers } from './view.ts'

const turn = (id: string, state: Turn['state'] = 'done') => ({ id, state }) as Turn
const parts = (item: string, of: string, said: string) =>
  ({ item, turn: of, parts: [{ kind: 'reasoning', text: said }] }) as unknown as ItemParts
const view = (turns: Turn[], own: ItemParts[]): ChatView => ({
  ...{ turns, parts: own, live: null, values: {}, confidential: false, older: null },
})

describe('the answers of a chat', () => {
  const known = view([turn('b', 'asking')], [parts('i', 'b', 'before')])

  it('are replaced by what was told of them last, in their order', () => {
    const next = withAnswers(known, { turns: [turn('b'), turn('a')], parts: [parts('i', 'b', 'after')] })
    expect(next.turns.map(({ id, state }) => `${id} ${state}`)).toEqual(['a done', 'b done'])
    expect(next.parts).toEqual([parts('i', 'b', 'after')])
  })

  it('keep their parts when only their state is told', () => {
    expect(withAnswers(known, { turns: [turn('b')], parts: [] }).parts).toBe(known.parts)
  })

  it('are found by item and by id, made once for each view', () => {
    const chat = indexed(known)
    expect(chat.partsOf.get('i' as never)).toEqual(parts('i', 'b', 'before'))
    expect(chat.turnOf.get('b' as never)).toEqual(turn('b', 'asking'))
    expect(indexed(known)).toBe(chat)
  })

  it('say what they took below what they said last, and not below a cell', () => {
    const said = (item: string) =>
      ({ item, turn: 'b', parts: [{ kind: 'figures', length: 0, figures: [] }] }) as unknown as ItemParts
    const call = { item: 'cell', turn: 'b', parts: [{ kind: 'call' }] } as unknown as ItemParts
    expect(indexed(view([turn('b')], [said('first'), said('last'), call])).lastOf).toEqual(new Map([['b', 'last']]))
  })
})

describe('a question of before', () => {
  it('says why it has no whole answer', () => {
    const problem = { code: 'chat.key', message: 'The provider refused the key.', hint: 'Enter it again.' } as const
    expect(unanswered({ state: 'failed', problem })).toBe('The provider refused the key.')
    expect(unanswered({ state: 'stopped', problem: null })).toBe('The answer was stopped.')
    expect(unanswered({ state: 'superseded', problem: null })).toContain('before a reviewer had decided')
    for (const state of ['done', 'asking', 'pausing', 'running', 'resting'] as const)
      expect(unanswered({ state, problem })).toBeNull()
  })
})
