import type { Period } from './state.ts'

export const periodLabels: Record<Period, string> = {
  any: 'Any time',
  today: 'Today',
  week: 'Last 7 days',
  month: 'Last 30 days',
  between: 'Between…',
}

const daysBack: Partial<Record<Period, number>> = { today: 0, week: 6, month: 29 }

/** The first moment of a period, at midnight where the person is. */
export function startOf(period: Period, now = new Date()): number | undefined {
  const back = daysBack[period]
  return back === undefined ? undefined : new Date(now.getFullYear(), now.getMonth(), now.getDate() - back).getTime()
}

/** As a date field holds it, in local time; empty where there is none. */
export function dateOf(at: number | undefined): string {
  if (at === undefined) return ''
  const date = new Date(at)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** The beginning or the end of a day that a date field holds. */
export function timeOf(field: string, edge: 'start' | 'end'): number | undefined {
  const [, year, month, day] = /^(\d{4,6})-(\d\d)-(\d\d)$/.exec(field) ?? []
  if (year === undefined) return undefined
  const next = edge === 'end' ? 1 : 0
  return new Date(Number(year), Number(month) - 1, Number(day) + next).getTime() - next
}
