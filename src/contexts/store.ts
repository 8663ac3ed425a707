import { z } from 'zod'
import type { AuditEvent, Recorder } from '../audit/audit.ts'
import { ContextReason, ContextState, type PathRef } from '../contract/contexts.ts'
import { ContextId, ConversationId, PathId, SandboxId, TenantId, UserId } from '../contract/ids.ts'
import { SandboxFacts } from '../contract/placement.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import { Isolation, Limits, SandboxKind } from '../contract/run.ts'
import { prepared } from '../storage/prepared.ts'
import type { Database, Storage, Transaction } from '../storage/storage.ts'
import { type ContextEvent, type ContextRecord, expiresAt, isActive, transitionContext } from './lifecycle.ts'
import type { ContextLimits } from './limits.ts'
import { heldElsewhere, tooManyInConversation, tooManyOfTenant } from './problems.ts'

/** A record together with its sealed credentials, for ending or waking what lives on without a process of ours. */
export interface KeptRecord {
  readonly record: ContextRecord
  readonly credentials: Uint8Array | null
}

/** The records of contexts. Every change of state and its audit entry are one transaction. */
export class ContextStore {
  readonly #storage: Storage
  readonly #audit: Recorder
  readonly #limits: ContextLimits

  constructor(storage: Storage, audit: Recorder, limits: ContextLimits) {
    this.#storage = storage
    this.#audit = audit
    this.#limits = limits
  }

  /** Writes a new record, unless its tenant or conversation has as many as it may, or the path has one elsewhere. */
  begin(record: ContextRecord, now: number): Promise<Outcome<ContextRecord>> {
    return this.#storage.write(async t => {
      const active = (await activeRows(t).where('tenant', '=', record.tenant).execute()).map(fromRow)
      const here = active.find(other => other.path === record.path && other.conversation === record.conversation)
      // Ours, and yet the path has no sandbox: the store failed when its end should have been written.
      if (here?.owner === record.owner) await this.#end(t, here, unrecorded(now))
      else if (here) return heldElsewhere(here)
      // Of those past their time only the clean-up is owed: they take nobody's place.
      const counted = active.filter(
        other => other !== here && other.pausedAt === null && expiresAt(other, this.#limits) > now,
      )
      const nearby = counted.filter(other => other.conversation === record.conversation)
      if (nearby.length >= this.#limits.activePerConversation) return tooManyInConversation(nearby, now, this.#limits)
      if (counted.length >= this.#limits.activePerTenant) return tooManyOfTenant(counted, now, this.#limits)
      await t
        .insertInto('contexts')
        .values({ ...this.#toRow(record), credentials: null })
        .execute()
      return ok(record)
    })
  }

  /** Records that the sandbox is there. Null when the record has ended meanwhile. */
  opened(
    record: ContextRecord,
    event: ContextEvent & { type: 'opened' },
    credentials: Uint8Array | null,
    actor: UserId | null,
  ): Promise<ContextRecord | null> {
    return this.#storage.write(async t => {
      const next = transitionContext(record, event)
      if (!next || !(await this.#replace(t, next, { credentials }))) return null
      await this.#audit.append(t, entry('context.created', next, actor))
      return next
    })
  }

  /** Records the end. Null when another had recorded it before. */
  ended(record: ContextRecord, event: ContextEvent & { type: 'ended' }): Promise<ContextRecord | null> {
    return this.#storage.write(t => this.#end(t, record, event))
  }

  /** Keeps the counts of an active record, which change with every run. False when it was ended or taken elsewhere. */
  used(record: ContextRecord): Promise<boolean> {
    return this.#storage.write(t => this.#replace(t, record, {}, record.owner))
  }

  /** Records that the sandbox was paused. Null when the record has ended meanwhile. */
  paused(record: ContextRecord, at: number, credentials: Uint8Array): Promise<ContextRecord | null> {
    return this.#storage.write(async t => {
      const next = transitionContext(record, { type: 'paused', at })
      if (!next || !(await this.#replace(t, next, { credentials }, record.owner))) return null
      await this.#audit.append(t, entry('context.paused', next, null))
      return next
    })
  }

  /** Records that a paused sandbox was woken by this process. Null when another was quicker, or ended it. */
  resumed(
    record: ContextRecord,
    event: ContextEvent & { type: 'resumed' },
    credentials: Uint8Array | null,
    actor: UserId | null,
  ): Promise<ContextRecord | null> {
    return this.#storage.write(async t => {
      const row = await t.selectFrom('contexts').select('paused_at').where('id', '=', record.id).executeTakeFirst()
      const next = transitionContext(record, event)
      if (row?.paused_at !== record.pausedAt || !next || !(await this.#replace(t, next, { credentials }))) return null
      await this.#audit.append(t, entry('context.resumed', next, actor))
      return next
    })
  }

  /** The paused sandbox of a path. */
  async resting(ref: PathRef): Promise<KeptRecord | null> {
    const row = await ofPath(activeRows(this.#storage.read), ref).where('paused_at', 'is not', null).executeTakeFirst()
    return row ? { record: fromRow(row), credentials: row.credentials } : null
  }

  /** The last record of a path, whatever became of it. */
  async latest(ref: PathRef): Promise<ContextRecord | null> {
    const [row] = await latestOf(this.#storage.read, ref.tenant, ref.conversation, ref.path)
    return row ? fromRow(row) : null
  }

  /** The last record of a path that had variables to lose: one whose sandbox never came does not count. */
  async latestUsed(ref: PathRef): Promise<ContextRecord | null> {
    const [row] = await latestUsedOf(this.#storage.read, ref.tenant, ref.conversation, ref.path)
    return row ? fromRow(row) : null
  }

  /** The last record of each path of a conversation. */
  async latestOfAll(tenant: TenantId, conversation: ConversationId): Promise<ContextRecord[]> {
    return (await latestOfPaths(this.#storage.read, tenant, conversation)).map(fromRow)
  }

  /** Everything that is not ended, of one tenant or of all. */
  async active(tenant?: TenantId): Promise<KeptRecord[]> {
    let query = activeRows(this.#storage.read)
    if (tenant) query = query.where('tenant', '=', tenant)
    const rows = await query.orderBy('id').execute()
    return rows.map(row => ({ record: fromRow(row), credentials: row.credentials }))
  }

  async #end(t: Transaction, record: ContextRecord, event: ContextEvent & { type: 'ended' }) {
    const next = transitionContext(record, event)
    // Credentials of a sandbox that is gone open nothing: they do not stay.
    if (!next || !(await this.#replace(t, next, { credentials: null }))) return null
    await this.#audit.append(t, entry('context.ended', next, event.by))
    return next
  }

  /** Writes a record over its row while that is active. What has ended is on the record and is never changed. */
  async #replace(
    t: Transaction,
    record: ContextRecord,
    more: { credentials?: Uint8Array | null },
    owner?: string,
  ): Promise<boolean> {
    let change = t
      .updateTable('contexts')
      .set({ ...this.#toRow(record), ...more })
      .where('id', '=', record.id)
      .where('state', 'in', activeStates)
    // A process that slept too long must not write over what another has taken from it.
    if (owner !== undefined) change = change.where('owner', '=', owner).where('paused_at', 'is', null)
    const { numUpdatedRows } = await change.executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  }

  #toRow(record: ContextRecord) {
    return {
      id: record.id,
      tenant: record.tenant,
      conversation: record.conversation,
      path: record.path,
      state: record.state,
      reason: record.reason,
      message: record.message,
      kind: record.kind,
      isolation: record.isolation,
      sandbox: record.sandbox,
      placement: JSON.stringify(record.place),
      limits: JSON.stringify(record.limits),
      forked_from: record.forkedFrom,
      owner: record.owner,
      created_at: record.createdAt,
      last_used_at: record.lastUsedAt,
      paused_at: record.pausedAt,
      expires_at: expiresAt(record, this.#limits),
      ended_at: record.endedAt,
      ended_by: record.endedBy,
      runs: record.runs,
      run_time_ms: record.runTimeMs,
      cpu_time_ms: record.cpuTimeMs,
      peak_memory_bytes: record.peakMemoryBytes,
    }
  }
}

const unrecorded = (at: number) =>
  ({ type: 'ended', at, reason: 'error', message: 'The sandbox could not be kept on the record.', by: null }) as const

const activeStates: ContextState[] = ['creating', 'ready']

const allRows = (db: Transaction) => db.selectFrom('contexts').selectAll()
const activeRows = (db: Transaction) => allRows(db).where('state', 'in', activeStates)

const ofPath = (rows: ReturnType<typeof allRows>, { tenant, conversation, path }: PathRef) =>
  rows
    .where('tenant', '=', tenant)
    .where('conversation', '=', conversation)
    .where('path', '=', path)
    .orderBy('id', 'desc')
    .limit(1)

const latestOf = prepared((db, tenant: TenantId, conversation: ConversationId, path: PathId) =>
  ofPath(allRows(db), { tenant, conversation, path }),
)
const latestUsedOf = prepared((db, tenant: TenantId, conversation: ConversationId, path: PathId) =>
  ofPath(allRows(db), { tenant, conversation, path }).where('last_used_at', 'is not', null),
)
const latestOfPaths = prepared((db, tenant: TenantId, conversation: ConversationId) =>
  allRows(db)
    .where('id', 'in', query =>
      query
        .selectFrom('contexts')
        .select(({ fn }) => fn.max('id').as('id'))
        .where('tenant', '=', tenant)
        .where('conversation', '=', conversation)
        .groupBy('path'),
    )
    .orderBy('id'),
)

type ContextAction = 'context.created' | 'context.paused' | 'context.resumed' | 'context.ended'

function entry(action: ContextAction, record: ContextRecord, actor: UserId | null): AuditEvent {
  const { tenant, conversation, path } = record
  const sandbox = { id: record.sandbox, kind: record.kind, isolation: record.isolation }
  const created = { context: record.id, state: record.state, sandbox, forkedFrom: record.forkedFrom }
  if (action === 'context.paused' || action === 'context.resumed')
    return { action, tenant, actor, conversation, path, details: created }
  if (isActive(record))
    return {
      action,
      tenant,
      actor,
      conversation,
      path,
      details: {
        ...created,
        placement: plain(record.place),
        limits: record.limits,
        startupMs: (record.lastUsedAt ?? record.createdAt) - record.createdAt,
      },
    }
  const ended = {
    reason: record.reason,
    message: record.message,
    runs: record.runs,
    runTimeMs: record.runTimeMs,
    cpuTimeMs: record.cpuTimeMs,
    peakMemoryBytes: record.peakMemoryBytes,
    ageMs: (record.endedAt ?? record.createdAt) - record.createdAt,
  }
  return { action, tenant, actor, conversation, path, details: { ...created, ...ended } }
}

const plain = (place: SandboxFacts): AuditEvent['details'] => JSON.parse(JSON.stringify(place))

/** Contexts of before this was kept had nothing but their kind and isolation. */
const placeOf = ({ kind, isolation, placement }: Database['contexts']): SandboxFacts =>
  SandboxFacts.parse(
    placement === null
      ? { kind, isolation: isolation ?? 'unconfined', image: null, environment: null, mounts: [] }
      : JSON.parse(placement),
  )

const fromRow = (row: Database['contexts']): ContextRecord => ({
  id: ContextId.parse(row.id),
  tenant: TenantId.parse(row.tenant),
  conversation: ConversationId.parse(row.conversation),
  path: PathId.parse(row.path),
  kind: SandboxKind.parse(row.kind),
  place: placeOf(row),
  limits: Limits.parse(JSON.parse(row.limits)),
  owner: row.owner,
  forkedFrom: PathId.nullable().parse(row.forked_from),
  state: ContextState.parse(row.state),
  reason: ContextReason.nullable().parse(row.reason),
  message: z.string().nullable().parse(row.message),
  sandbox: SandboxId.nullable().parse(row.sandbox),
  isolation: Isolation.nullable().parse(row.isolation),
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  pausedAt: row.paused_at,
  endedAt: row.ended_at,
  endedBy: UserId.nullable().parse(row.ended_by),
  runs: row.runs,
  runTimeMs: row.run_time_ms,
  cpuTimeMs: row.cpu_time_ms,
  peakMemoryBytes: row.peak_memory_bytes,
})
