/** How many contexts there may be and how long they live. */
export interface ContextLimits {
  /** A context that nobody used for so long ends. */
  readonly idleMs: number
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
  maxRuns: 100,
  activePerTenant: 10,
  activePerConversation: 5,
  creationMs: 60_000,
  sweepEveryMs: 15 * 60_000,
  sweepBatch: 50,
  marginMs: 20_000,
  stopMs: 10_000,
}
