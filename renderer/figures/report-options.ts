import { create } from 'zustand'
import { persist } from 'zustand/middleware'

/** How somebody last wanted a report: the same is offered the next time. */
interface ReportOptions {
  readonly withCode: boolean
  readonly compare: boolean
  readonly allowStale: boolean
}

export const useReportOptions = create<ReportOptions>()(
  persist((): ReportOptions => ({ withCode: false, compare: true, allowStale: false }), {
    name: 'countersign.report',
    // Stale figures are let in for one report, not for good.
    partialize: ({ withCode, compare }) => ({ withCode, compare, allowStale: false }),
  }),
)
