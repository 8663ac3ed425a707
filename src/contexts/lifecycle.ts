import { isDeepStrictEqual } from 'node:util'
import type { ContextReason, ContextState } from '../contract/contexts.ts'
import type { ContextId, ConversationId, PathId, SandboxId, TenantId, UserId } from '../contract/ids.ts'
import type { Placement, SandboxFacts } from '../contract/placement.ts'
import { type Isolation, type Language, Limits, type SandboxKind } from '../contract/run.ts'
import type { SelfDescription } from '../sandbox/sandbox.ts'
import type { ContextLimits } from './limits.ts'
import type { Owner } from './owner.ts'

/** All that is known of one execution context. What reaches its sandbox from outside is kept apart from it. */
export interface ContextRecord {
  readonly id: ContextId
  readonly tenant: TenantId
  readonly conversation: ConversationId
  readonly path: PathId
  readonly kind: SandboxKind
  /** What its sandbox was to be: the placement of the run that it was made for. */
  readonly place: SandboxFacts
  readonly limits: Limits
  readonly owner: string
  readonly forkedFrom: PathId | null
  readonly state: ContextState
  readonly reason: ContextReason | null
  readonly message: string | null
  readonly sandbox: SandboxId | null
  readonly isolation: Isolation | null
  readonly createdAt: number
  /** Null as long as there is no sandbox: one is made only when it is about to be used. */
  readonly lastUsedAt: number | null
  /** Null while its sandbox is awake. A paused one belongs to no process: whichever needs it wakes it. */
  readonly pausedAt: number | null
  readonly endedAt: number | null
  readonly endedBy: UserId | null
  readonly runs: number
  readonly runTimeMs: number
  readonly cpuTimeMs: number
  readonly peakMemoryBytes: number
}

export type ContextEvent =
  | { readonly type: 'opened'; readonly at: number; readonly sandbox: SandboxId; readonly isolation: Isolation }
  | { readonly type: 'used'; readonly at: number }
  | { readonly type: 'paused'; readonly at: number }
  | { readonly type: 'resumed'; readonly at: number; readonly owner: string }
  | {
      readonly type: 'ran'
      readonly at: number
      readonly timeMs: number
      readonly cpuMs: number
      readonly bytes: number
    }
  | {
      readonly type: 'ended'
      readonly at: number
      readonly reason: ContextReason
      readonly message: string
      readonly by: UserId | null
    }

/** The next state of a record, or null where it cannot take that step. A record that has ended never changes again. */
export function transitionContext(record: ContextRecord, event: ContextEvent): ContextRecord | null {
  if (!isActive(record)) return null
  switch (event.type) {
    case 'opened':
      if (record.state !== 'creating') return null
      return { ...record, state: 'ready', sandbox: event.sandbox, isolation: event.isolation, lastUsedAt: event.at }
    case 'used':
      if (!isAwake(record)) return null
      return { ...record, lastUsedAt: event.at }
    case 'paused':
      if (!isAwake(record)) return null
      return { ...record, pausedAt: event.at }
    case 'resumed':
      if (record.pausedAt === null) return null
      return { ...record, pausedAt: null, lastUsedAt: event.at, owner: event.owner }
    case 'ran':
      if (!isAwake(record)) return null
      return {
        ...record,
        lastUsedAt: event.at,
        runs: record.runs + 1,
        runTimeMs: record.runTimeMs + event.timeMs,
        cpuTimeMs: record.cpuTimeMs + event.cpuMs,
        peakMemoryBytes: Math.max(record.peakMemoryBytes, event.bytes),
      }
    case 'ended': {
      const { at, reason, message, by } = event
      return { ...record, state: endState[reason], reason, message, endedAt: at, endedBy: by }
    }
  }
}

const endState: Readonly<Record<ContextReason, ContextState>> = {
  expired: 'expired',
  error: 'error',
  manual: 'terminated',
  merged: 'terminated',
  rotated: 'terminated',
  moved: 'terminated',
  orphaned: 'terminated',
}

export const isActive = (record: ContextRecord): boolean => record.state === 'creating' || record.state === 'ready'

const isAwake = (record: ContextRecord): boolean => record.state === 'ready' && record.pausedAt === null

export const expiresAt = (record: ContextRecord, limits: ContextLimits): number => {
  const { idleMs, pausedMs } = { ...limits, ...limits.timesOf(record.kind) }
  return record.pausedAt === null ? (record.lastUsedAt ?? record.createdAt) + idleMs : record.pausedAt + pausedMs
}

export const isExpired = (record: ContextRecord, now: number, limits: ContextLimits): boolean =>
  now >= expiresAt(record, limits)

/** Whether the process that held a context is gone: it is dead, or it has not ended what it should have ended long ago. */
export function isOrphan(record: ContextRecord, owner: Owner, now: number, limits: ContextLimits): boolean {
  if (record.owner === owner.name || record.pausedAt !== null) return false
  return !owner.isAlive(record.owner) || now > expiresAt(record, limits) + 2 * limits.sweepEveryMs
}

export const mustRotate = (record: ContextRecord, limits: ContextLimits): boolean => record.runs >= limits.maxRuns

/** What a run, or a file that comes before any run, wants of a sandbox. */
export interface Wanted {
  readonly placement: Placement
  /** The kernel that is needed first, where that is known. */
  readonly language?: Language
}

/** Why a context cannot serve any more, or null where it can. `canWait`: it may go on while variables are at stake. */
export function whyReplace(
  record: ContextRecord,
  wanted: Wanted,
  now: number,
  limits: ContextLimits,
): { reason: ContextReason; message: string; canWait?: true } | null {
  if (isExpired(record, now, limits)) return { reason: 'expired', message: expiredMessage(record, limits) }
  // These are set when a sandbox is made; a run that was approved with others must not get the old ones.
  const standing = standingLimits(wanted.placement.limits)
  if (standingNames.some(name => record.limits[name] !== standing[name])) {
    return { reason: 'rotated', message: 'The sandbox was replaced because its limits were changed.' }
  }
  if (mustRotate(record, limits)) {
    return { reason: 'rotated', message: `The sandbox was replaced after ${limits.maxRuns} runs.`, canWait: true }
  }
  return null
}

const standingNames = ['memoryBytes', 'processes', 'fileBytes', 'diskBytes'] as const

/** The limits of a sandbox for all its life. Time and output belong to the run: they must not keep it from a ready one. */
export const standingLimits = ({ memoryBytes, processes, fileBytes, diskBytes }: Limits): Limits =>
  Limits.parse({ memoryBytes, processes, fileBytes, diskBytes })

/** In what a sandbox that was opened is not what it was to be, in words. */
export function differences({ place, limits }: Pick<ContextRecord, 'place' | 'limits'>, is: SelfDescription): string[] {
  const facts = Object.keys(factWords) as (keyof SandboxFacts)[]
  const standing = standingLimits(is.limits)
  return [
    ...facts.filter(fact => !isDeepStrictEqual(place[fact], is[fact])).map(fact => factWords[fact]),
    ...(standingNames.some(name => limits[name] !== standing[name]) ? ['limits'] : []),
  ]
}

const factWords: Record<keyof SandboxFacts, string> = {
  kind: 'kind',
  isolation: 'confinement',
  image: 'image',
  environment: 'interpreter and packages',
  mounts: 'mounts',
}

export const expiredMessage = ({ kind }: Pick<ContextRecord, 'kind'>, limits: ContextLimits): string =>
  `The sandbox expired after ${minutes(limits.timesOf(kind).idleMs ?? limits.idleMs)} without use.`

/**
 * What a person must be told when a path starts again with nothing: every loss that they did not ask for themselves.
 * Null where nothing was lost or where they know.
 */
export function lossNotice(previous: ContextRecord | null): string | null {
  if (!previous || isActive(previous) || previous.lastUsedAt === null) return null
  const isAskedFor = previous.reason === 'manual' || previous.reason === 'moved' || previous.reason === 'rotated'
  if (isAskedFor && previous.endedBy !== null) return null
  return `${previous.message} This run started in a new one: earlier variables are gone, the files are here.`
}

export function minutes(ms: number): string {
  const count = Math.max(1, Math.ceil(ms / 60_000))
  return count === 1 ? '1 minute' : `${count} minutes`
}
