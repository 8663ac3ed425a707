import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { UserId } from '../contract/ids.ts'
import { type Outcome, ok, type Problem, problemOf } from '../contract/problem.ts'
import type { SandboxKind } from '../contract/run.ts'
import type { LeftBehind, Pausing, Sandbox, SandboxProvider } from '../sandbox/sandbox.ts'
import type { Credentials } from './credentials.ts'
import { inTime, late } from './in-time.ts'
import type { Keeping } from './keeping.ts'
import { type ContextRecord, differences, isExpired, type Wanted } from './lifecycle.ts'
import type { ContextLimits } from './limits.ts'
import { openInTime } from './opening.ts'
import type { Owner } from './owner.ts'
import { heldElsewhere } from './problems.ts'
import type { Ending } from './seats.ts'
import type { ContextStore, KeptRecord } from './store.ts'

export interface RestingOptions {
  readonly store: ContextStore
  readonly credentials: Credentials
  readonly provider: (kind: SandboxKind) => SandboxProvider | null
  readonly keeping: Keeping
  readonly clock: Clock
  readonly owner: Owner
  readonly limits: ContextLimits
  readonly onProblem: (problem: Problem) => void
}

/** What wakes a sandbox, sealed together with the hash of the files that its path had when it was paused. */
const Sealed = z.object({ secret: z.string(), files: z.string() })

export interface Woken {
  readonly record: ContextRecord
  readonly sandbox: Sandbox
  /** What the person must be told, where a file could not be brought up to date. */
  readonly untold: string | null
}

/** Sandboxes that are paused: nobody holds them, and whoever next runs code on their path wakes them. */
export class Resting {
  readonly #with: RestingOptions

  constructor(options: RestingOptions) {
    this.#with = options
  }

  /** Pauses a sandbox and puts that on the record. Null where it cannot be paused, and has to be ended instead. */
  async pause(record: ContextRecord, sandbox: Sandbox): Promise<ContextRecord | null> {
    const { store, credentials, keeping, clock, limits, onProblem } = this.#with
    const secret = sandbox.credentials
    if (!sandbox.pause || secret === undefined) return null
    const files = await keeping.hash(record)
    const sealed = await credentials.encrypt(record.id, JSON.stringify({ secret, files }))
    const pausing = sandbox.pause().catch(thrown => ({ ok: false as const, problem: problemOf(thrown) }))
    const paused = await inTime(pausing, limits.stopMs, clock)
    if (paused === late) return null
    if (!paused.ok) {
      onProblem(paused.problem)
      return null
    }
    return store.paused(record, clock.now(), sealed)
  }

  /**
   * Wakes the paused sandbox of a path, where it has one that still suits what is wanted. Null where it has none, or
   * none any more: then a new one is made, and its notice tells of the loss.
   */
  async wake(ref: PathRef, wanted: Wanted, actor: UserId | null, signal: AbortSignal): Promise<Outcome<Woken> | null> {
    const { clock, limits } = this.#with
    const kept = await this.#with.store.resting(ref)
    if (!kept) return null
    const { record } = kept
    const pausing = this.#with.provider(record.kind)?.pausing
    const opened = await this.#unseal(kept)
    const unfit = whyUnfit(record, wanted, clock.now(), limits)
    if (!pausing || !opened || !record.sandbox || unfit) {
      await this.discard(kept, unfit ?? unreadable)
      return null
    }
    const left = { sandbox: record.sandbox, credentials: opened.secret }
    const options = { limits: record.limits, placement: wanted.placement, path: ref }
    let isGone = false
    const resume = async (within: AbortSignal) => {
      const resumed = await pausing.resume(left, options, within)
      isGone = !resumed.ok && resumed.problem.code === 'sandbox.closed'
      return resumed
    }
    const again = async (sandbox: Sandbox) => sandbox.pause?.()
    const woken = await openInTime(resume, signal, clock, limits, again)
    if (isGone) {
      await this.#ended(record, gone)
      return null
    }
    if (!woken.ok) return woken
    return this.#register(kept, woken.value, actor, opened.files)
  }

  async #register(
    { record, credentials: sealed }: KeptRecord,
    sandbox: Sandbox,
    actor: UserId | null,
    files: string | null,
  ): Promise<Outcome<Woken> | null> {
    const { store, keeping, clock, owner } = this.#with
    if (differences(record, sandbox.describe()).length > 0) {
      await sandbox.close('error')
      await this.#ended(record, gone)
      return null
    }
    const next = await store.resumed(record, { type: 'resumed', at: clock.now(), owner: owner.name }, sealed, actor)
    // Another process woke it in the same moment, and has it now: it must not be ended under its hands.
    if (!next) {
      await sandbox.close('orphaned')
      return heldElsewhere(record)
    }
    return ok({ record: next, sandbox, untold: files === null ? null : await keeping.catchUp(record, sandbox, files) })
  }

  /** Ends what a path has paused, at somebody's wish. */
  async end(ref: PathRef, ending: Ending): Promise<void> {
    const kept = await this.#with.store.resting(ref)
    if (kept) await this.discard(kept, ending)
  }

  async discard(kept: KeptRecord, ending: Omit<Ending, 'restful'>): Promise<void> {
    const { record } = kept
    const secret = (await this.#unseal(kept))?.secret
    if (record.sandbox && secret !== undefined) {
      const discarded = this.#pausing(record)?.discard({ sandbox: record.sandbox, credentials: secret })
      // One that cannot be reached now is found by its marks at a later clean-up: no record holds it any more.
      await discarded?.catch(thrown => this.#with.onProblem(problemOf(thrown)))
    }
    await this.#ended(record, ending)
  }

  async #unseal({ record, credentials: sealed }: KeptRecord): Promise<{ secret: string; files: string | null } | null> {
    const secret = sealed && (await this.#with.credentials.decrypt(record.id, sealed))
    if (!secret) return null
    try {
      return Sealed.parse(JSON.parse(secret))
    } catch {
      // Sealed when it was opened, and never since: its process was killed before it could pause it.
      return { secret, files: null }
    }
  }

  /** What stands behind a record, for a back end that looks for its own. */
  async leftBehind(kept: KeptRecord): Promise<LeftBehind | null> {
    const { sandbox } = kept.record
    return sandbox === null ? null : { sandbox, credentials: (await this.#unseal(kept))?.secret ?? null }
  }

  #pausing({ kind }: ContextRecord): Pausing | undefined {
    return this.#with.provider(kind)?.pausing
  }

  async #ended(record: ContextRecord, { reason, message, by }: Omit<Ending, 'restful'>): Promise<void> {
    await this.#with.store.ended(record, { type: 'ended', at: this.#with.clock.now(), reason, message, by })
  }
}

/** Why a paused sandbox is not woken for what is wanted now, or null where it is; whether it had its runs is asked awake. */
function whyUnfit(
  record: ContextRecord,
  { placement }: Wanted,
  now: number,
  limits: ContextLimits,
): Omit<Ending, 'restful'> | null {
  if (isExpired(record, now, limits))
    return { reason: 'expired', message: 'The sandbox of this path was paused for too long.', by: null }
  const other = differences(record, placement)
  if (other.includes('kind') || other.includes('confinement'))
    return { reason: 'moved', message: 'The path was moved to another sandbox.', by: null }
  return other.length > 0
    ? { reason: 'rotated', message: 'The sandbox was replaced because what it is given was changed.', by: null }
    : null
}

const gone: Omit<Ending, 'restful'> = {
  reason: 'error',
  message: 'The sandbox of this path was paused and no longer exists.',
  by: null,
}
const unreadable: Omit<Ending, 'restful'> = {
  reason: 'error',
  message: 'The sandbox of this path was paused, and what wakes it cannot be read.',
  by: null,
}
