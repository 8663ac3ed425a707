import { expect, it } from 'vitest'
import { dateOf, startOf, timeOf } from './periods.ts'

it('reads a date field as the day where the person is, and writes it back', () => {
  const start = timeOf('2026-03-29', 'start') ?? 0
  const end = timeOf('2026-03-29', 'end') ?? 0
  expect([dateOf(start), dateOf(end)]).toEqual(['2026-03-29', '2026-03-29'])
  expect(new Date(start).getHours()).toBe(0)
  expect(dateOf(end + 1)).toBe('2026-03-30')
  expect(timeOf('', 'start')).toBeUndefined()
})

it('begins a period at midnight', () => {
  const now = new Date(2026, 2, 31, 15, 30)
  expect(startOf('today', now)).toBe(new Date(2026, 2, 31).getTime())
  expect(startOf('week', now)).toBe(new Date(2026, 2, 25).getTime())
  expect(startOf('any', now)).toBeUndefined()
})
