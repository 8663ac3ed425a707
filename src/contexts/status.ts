import type { ContextState, ContextStatus, LiveState, PathRef } from '../contract/contexts.ts'
import { type ContextRecord, expiresAt, isActive, isExpired } from './lifecycle.ts'
import type { ContextLimits } from './limits.ts'

/** What only the process that holds the sandbox knows. */
export interface Liveness {
  readonly running: boolean
  readonly gone: boolean
  readonly queued: number
  readonly freshSince: number | null
}

export const notHere: Liveness = { running: false, gone: false, queued: 0, freshSince: null }

/** A path's context as people see it, from its last record and from what goes on now. */
export function statusOf(
  { tenant, conversation, path }: PathRef,
  record: ContextRecord | null,
  live: Liveness,
  now: number,
  limits: ContextLimits,
): ContextStatus {
  return {
    tenant,
    conversation,
    path,
    state: record ? liveState(record, live, now, limits) : 'none',
    context: record?.id ?? null,
    sandbox: record && { id: record.sandbox, kind: record.kind, isolation: record.isolation },
    createdAt: record?.createdAt ?? null,
    freshSince: record && isActive(record) ? live.freshSince : null,
    lastUsedAt: record?.lastUsedAt ?? null,
    expiresAt: record?.state === 'ready' ? expiresAt(record, limits) : null,
    runs: record?.runs ?? 0,
    maxRuns: limits.maxRuns,
    runTimeMs: record?.runTimeMs ?? 0,
    cpuTimeMs: record?.cpuTimeMs ?? 0,
    peakMemoryBytes: record?.peakMemoryBytes ?? 0,
    queued: live.queued,
    forkedFrom: record?.forkedFrom ?? null,
    reason: record?.reason ?? null,
    message: record?.message ?? null,
    at: now,
  }
}

function liveState(record: ContextRecord, live: Liveness, now: number, limits: ContextLimits): LiveState {
  if (live.gone) return 'error'
  if (live.running) return 'running'
  if (isActive(record) && isExpired(record, now, limits)) return 'expired'
  if (isActive(record) && record.pausedAt !== null) return 'paused'
  return shown[record.state]
}

const shown: Readonly<Record<ContextState, LiveState>> = {
  creating: 'warming',
  ready: 'ready',
  error: 'error',
  expired: 'expired',
  terminated: 'none',
}
