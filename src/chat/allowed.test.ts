import { describe, expect, it } from 'vitest'
import { limitMet, spendingOf } from './allowed.ts'

const limits = { costPerConversation: 1, costPerDay: 50, tokensPerConversation: 10_000 }
const sum = (times: number, cost: number): number => Array.from({ length: times }).reduce<number>(all => all + cost, 0)
const spending = (cost: number, its = limits) =>
  spendingOf({ conversationCost: cost, conversationTokens: 0, dayCost: cost }, its)

describe('what may be spent', () => {
  it('is warned of at exactly 80 %, whatever the sum of its parts comes to', () => {
    expect(spending(0.79).warnings).toEqual([])
    expect(spending(sum(8, 0.1)).warnings).toEqual(['$0.80 of $1.00 for this conversation are used.'])
    const tenth = { ...limits, costPerConversation: 0.1 }
    expect(spending(sum(4, 0.02), tenth).warnings).toHaveLength(1)
  })

  it('is used up at exactly the limit, whatever the sum of its parts comes to', () => {
    expect(sum(10, 0.1)).toBeLessThan(1)
    expect(limitMet(spending(sum(10, 0.1)))?.code).toBe('chat.limit')
    expect(limitMet(spending(0.99))).toBeNull()
  })
})
