import { openStates, type RequestFilter, type RequestState, requestStates } from '../../src/contract/approval.ts'
import type { UserId } from '../../src/contract/ids.ts'
import type { Language, RiskLevel } from '../../src/contract/run.ts'

export const standings = ['open', 'decided', 'over', 'all'] as const
export type Standing = (typeof standings)[number]

export const standingWords: Record<Standing, string> = {
  open: 'To decide',
  decided: 'Decided',
  over: 'Lapsed',
  all: 'All',
}

const states: Record<Standing, readonly RequestState[]> = {
  open: openStates,
  decided: ['approved', 'used', 'denied'],
  over: ['expired', 'cancelled', 'voided'],
  all: requestStates,
}

export interface QueueFilters {
  readonly standing: Standing
  readonly risk: RiskLevel | 'any'
  readonly language: Language | 'any'
  readonly whose: 'all' | 'mine' | 'others'
  readonly text: string
}

export const noFilters: QueueFilters = { standing: 'open', risk: 'any', language: 'any', whose: 'all', text: '' }

/** What the engine is asked for. */
export function filterFor(filters: QueueFilters, me: UserId | undefined): Omit<RequestFilter, 'tenant'> {
  const { standing, risk, language, whose, text } = filters
  return {
    states: [...states[standing]],
    ...(risk === 'any' ? {} : { risks: [risk] }),
    ...(language === 'any' ? {} : { languages: [language] }),
    ...(whose === 'mine' && me ? { requester: me } : {}),
    ...(whose === 'others' && me ? { exceptRequester: me } : {}),
    ...(text.trim() === '' ? {} : { text: text.trim() }),
  }
}

export const isFiltered = (filters: QueueFilters): boolean =>
  filters.risk !== 'any' || filters.language !== 'any' || filters.whose !== 'all' || filters.text.trim() !== ''
