import type { SandboxKind } from '../contract/run.ts'

/** How many contexts there may be and how long they live. */
export interface ContextLimits {
  /** A context that nobody used for so long ends, or is paused where its sandbox can be. */
  readonly idleMs: number
  /** A sandbox that was paused for so long is given up. */
  readonly pausedMs: number
  /** Where a kind of sandbox has times of its own. */
  readonly timesOf: (kind: SandboxKind) => Partial<Pick<ContextLimits, 'idleMs' | 'pausedMs'>>
  /** A context that ran so often is made anew at the next call. */
  readonly maxRuns: number
  readonly activePerTenant: number
  readonly activePerConversation: number
  /** A sandbox that is not there by then is given up. */
  readonly creationMs: number
  readonly sweepEveryMs: number
  readonly sweepBatch: number
  /** The sandbox keeps the time of a run itself; one that has not answered so long after that is taken for lost. */
  readonly marginMs: number
  /** A sandbox that has not answered so long after it was told to stop is taken for lost. */
  readonly stopMs: number
}

export const defaultLimits: ContextLimits = {
  idleMs: 30 * 60_000,
  pausedMs: 7 * 24 * 60 * 60_000,
  timesOf: () => ({}),
  maxRuns: 100,
  activePerTenant: 10,
  activePerConversation: 5,
  creationMs: 60_000,
  sweepEveryMs: 15 * 60_000,
  sweepBatch: 50,
  marginMs: 20_000,
  stopMs: 10_000,
}
