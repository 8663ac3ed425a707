import { expect, it } from 'vitest'
import type { Item, ItemId } from '../../src/contract/conversations.ts'
import { likelyIn } from './likely-language.ts'

const cell = (id: string, language: string, success: boolean | null = null, finishedAt = 0) =>
  ({ kind: 'cell', id, language, lastRun: success === null ? null : { success, finishedAt } }) as unknown as Item
const near = (id: string) => id as ItemId

it('a new cell takes the language of the cell that ran well last, wherever it stands', () => {
  const items = [cell('a', 'bash', true, 3), cell('b', 'javascript', true, 2), cell('c', 'python', false, 4)]
  expect(likelyIn(items, near('c'))).toBe('bash')
})

it('before any ran well it takes that of the nearest code above, else below, else Python', () => {
  const items = [cell('a', 'markdown'), cell('b', 'javascript'), cell('c', 'markdown'), cell('d', 'bash', false, 1)]
  expect(likelyIn(items, near('c'))).toBe('javascript')
  expect(likelyIn(items, near('a'))).toBe('javascript')
  expect(likelyIn(items, near('d'))).toBe('bash')
  expect(likelyIn([], null)).toBe('python')
})
