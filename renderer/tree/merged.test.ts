import { describe, expect, it } from 'vitest'
import type { ItemId, MergeResult } from '../../src/contract/conversations.ts'
import { firstChanged, mergedWords } from './merged.ts'

const [a, b, c] = ['a', 'b', 'c'] as unknown as [ItemId, ItemId, ItemId]
const result = (part: Partial<MergeResult>): MergeResult => ({
  version: 7,
  added: [],
  changed: [],
  removed: [],
  conflicts: [],
  ...part,
})

describe('after a merge', () => {
  it('the view goes to what stands first in the path, whether it was added or changed', () => {
    expect(firstChanged([{ id: a }, { id: b }, { id: c }], result({ added: [c], changed: [b] }))).toBe(b)
    expect(firstChanged([{ id: a }], result({ removed: [b] }))).toBeNull()
  })

  it('says what was added, changed and removed, and when there was nothing to bring', () => {
    expect(mergedWords(result({ changed: [a], removed: [b, c] }))).toBe('Merged: 1 changed, 2 removed.')
    expect(mergedWords(result({}))).toBe('Merged: everything was here already.')
  })
})
