import { create } from 'zustand'
import type { Alert } from '../../src/contract/alerts.ts'
import type { AuditFilter, Verification } from '../../src/contract/audit.ts'
import { isOwnRun } from '../review/asking.ts'
import { showToast } from '../state/toasts.ts'
import { setView } from '../state/view.ts'

export type AuditTab = 'timeline' | 'reports' | 'alerts' | 'keeping'

export const periods = ['any', 'today', 'week', 'month', 'between'] as const
export type Period = (typeof periods)[number]

/** What is looked at, kept while one goes to other places and comes back. */
interface AuditView {
  readonly tab: AuditTab
  readonly filter: AuditFilter
  /** How the time in the filter was chosen. */
  readonly period: Period
  /** The entry whose page is open. */
  readonly open: number | null
  /** The last check of this window, with when it ended. */
  readonly verified: { at: number; result: Verification } | null
  /** Rises with every entry that the engine tells of. */
  readonly last: number
}

export const useAudit = create<AuditView>(() => ({
  tab: 'timeline',
  filter: {},
  period: 'any',
  open: null,
  verified: null,
  last: -1,
}))

export const setAudit = useAudit.setState

/** Called for each new entry that the engine tells of. */
export const noteEntries = (last: number): void => setAudit({ last })

/** Changes some filters; an empty list or text takes the filter away. */
export function changeFilter(change: { [Name in keyof AuditFilter]?: AuditFilter[Name] | undefined }): void {
  const merged = Object.entries({ ...useAudit.getState().filter, ...change })
  const kept = merged.filter(([, value]) => value !== undefined && value !== '' && !isEmptyList(value))
  setAudit({ filter: Object.fromEntries(kept) as AuditFilter })
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

/** Goes to the timeline, wherever one is, and shows only these entries. */
export function showEntries(filter: AuditFilter): void {
  setAudit({ tab: 'timeline', filter, period: 'any', open: null })
  setView({ place: 'audit', dialog: 'none' })
}

/** Tells the person in whatever place they are; a critical one stays until it is dismissed. */
export async function showAlert({ title, text, level, seq, run }: Alert): Promise<void> {
  // Whoever started it has it before their eyes.
  if (run !== null && (await isOwnRun(run))) return
  const look = () => {
    if (seq !== null) openEntry(seq)
    setView({ place: 'audit', dialog: 'none' })
  }
  const action = { label: 'Look', run: look }
  const urgent = level === 'critical' ? { kind: 'bad' as const, asks: true as const } : { kind: 'info' as const }
  showToast({ ...urgent, text: title, hint: text, action })
}

export const openEntry = (seq: number): void => setAudit({ tab: 'timeline', open: seq })
