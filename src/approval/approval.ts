import type { Audit, DecisionRecord } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type {
  ApprovalEvent,
  ApprovalRequest,
  Identity,
  LastApproved,
  NewIdentity,
  RequestFilter,
  RequestSummary,
  SignedAnswer,
  VerdictInput,
} from '../contract/approval.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { CellId, ConversationId, PathId, RequestId, TenantId, UserId } from '../contract/ids.ts'
import type { Inspection } from '../contract/inspection.ts'
import type { PathGrant } from '../contract/network.ts'
import type { SandboxFacts } from '../contract/placement.ts'
import type { PolicyInput, PolicyState } from '../contract/policy.ts'
import { type Outcome, type Problem, problemOf } from '../contract/problem.ts'
import type { Language } from '../contract/run.ts'
import type { Ids } from '../ids.ts'
import type { KeyStore } from '../keystore.ts'
import { openTableSeals, type TableSeals } from '../row-seal.ts'
import type { ClearedRun, PlacedRun } from '../runs/run.ts'
import type { Storage } from '../storage/storage.ts'
import { answering } from './answering.ts'
import { createDesk } from './desk.ts'
import { createGate } from './gate.ts'
import { createIdentities } from './identities.ts'
import { createPathGrants } from './path-grants.ts'
import { createPolicyKeeper } from './policy-keeper.ts'
import { summaryOf } from './request-rows.ts'
import { createRequests } from './requests.ts'

/** Who may say yes. The only maker of a `ClearedRun`, whether the policy let the run go or a reviewer signed for it. */
export interface Approval {
  readonly policy: PolicyKeeper
  readonly identities: Identities
  readonly requests: Requests
  /**
   * Asks the policy about a run. A run that was approved before and not run yet is cleared by that decision; one that
   * already waits is not asked about twice.
   */
  decide(run: PlacedRun, options?: DecideOptions): Promise<GateVerdict>
  /** Uses up the decision on a request, if it speaks of exactly this run and was signed by its reviewer. */
  clear(request: RequestId, run: PlacedRun): Promise<Outcome<ClearedRun>>
  /**
   * The last step before code reaches a sandbox: what is handed over, and what the sandbox says that it is, is hashed
   * again and must be what was cleared. Passes once for each clearance.
   */
  verifyAtHandover(run: ClearedRun, place: SandboxFacts): Promise<Outcome<ClearedRun>>
  /** Whoever logged in, as somebody who answers what a workflow asks. */
  answering(reviewer: Reviewer): Promise<Outcome<Answering>>
  /** What every later run of this path may reach: signed for, not run out and not taken back. */
  pathGrants(path: PathRef): Promise<PathGrant[]>
  /** Hears of every change once it is durable; the returned function ends it. */
  subscribe(listener: (event: ApprovalEvent) => void): () => void
  close(): Promise<void>
}

export interface DecideOptions {
  /** Ask in any case, whatever the policy would let pass. */
  readonly force?: boolean
  /** The code was compared with the catalogue of analyses that ships with the product, and is the same. */
  readonly catalogue?: boolean
}

export type GateVerdict =
  | { readonly kind: 'cleared'; readonly run: ClearedRun }
  | { readonly kind: 'waiting'; readonly request: ApprovalRequest }
  | { readonly kind: 'refused'; readonly problem: Problem }

declare const reviewer: unique symbol

/**
 * An identity that has logged in. The object itself is the proof: a door keeps it for its caller, and one that was
 * made up elsewhere signs nothing.
 */
export interface Reviewer {
  readonly identity: Identity
  readonly [reviewer]: true
}

/** A person who answers what a workflow asks: what their word is worth by the key store, and the hand that signs it. */
export interface Answering {
  readonly tenant: TenantId
  readonly user: UserId
  /** Their key opens only with a passphrase. */
  readonly protected: boolean
  /** Who stands for them now. */
  readonly vouchedBy: readonly UserId[]
  sign(answer: Answer): Pick<SignedAnswer, 'subject'> & { readonly signature: string }
}

/** `asked`: all that was asked, and asked about. */
export type Answer = Omit<SignedAnswer, 'format' | 'reviewer' | 'subject'> & { readonly asked: unknown }

export interface Identities {
  /** The identity with this id, made with a fresh key on first use. */
  ensure(identity: { id: UserId; tenant: TenantId; name: string }): Promise<Identity>
  create(tenant: TenantId, identity: NewIdentity, by: UserId | null): Promise<Outcome<Identity>>
  list(tenant: TenantId): Promise<Identity[]>
  logIn(id: UserId, passphrase?: string): Promise<Outcome<Reviewer>>
  logOut(reviewer: Reviewer): void
  /** This reviewer says, by a signature, that they know whose identity this is. It stands on the record. */
  vouch(reviewer: Reviewer, id: UserId): Promise<Outcome<Identity>>
  /** They take it back, by a signature too. What that identity decides from now on stands without their word. */
  withdraw(reviewer: Reviewer, id: UserId): Promise<Outcome<Identity>>
}

export interface Requests {
  list(filter: RequestFilter): Promise<RequestSummary[]>
  get(tenant: TenantId, id: RequestId): Promise<Outcome<ApprovalRequest>>
  comment(id: RequestId, reviewer: Reviewer, text: string): Promise<Outcome<ApprovalRequest>>
  /** A request changes state once: of two reviewers who answer at the same time, one is told that it is too late. */
  decide(id: RequestId, reviewer: Reviewer, verdict: VerdictInput): Promise<Outcome<ApprovalRequest>>
  /** The requester takes it back; an approval that has not been used is gone with it. */
  cancel(tenant: TenantId, id: RequestId, by: UserId, note?: string): Promise<Outcome<ApprovalRequest>>
  /**
   * Compares what waits or was approved for cells of a path with what they say now; voids what is not there any more,
   * and tells which.
   */
  cellsChanged(place: ChangedCells): Promise<RequestSummary[]>
  /** The path is gone: voids all that waits or was approved there, and tells which. */
  pathEnded(place: EndedPath): Promise<RequestSummary[]>
  /** Saves for later what timed out and expires what is too old. Runs by itself; nothing depends on its being in time. */
  sweep(): Promise<void>
  /** Resolves when the request no longer waits: decided, saved for later by time-out, expired, withdrawn. */
  settled(tenant: TenantId, id: RequestId, signal?: AbortSignal): Promise<Outcome<ApprovalRequest>>
  /** What was last approved for this cell, here or on another path of the conversation; for no cell, on the path. */
  lastApproved(place: {
    tenant: TenantId
    conversation: ConversationId
    path: PathId
    cell: CellId | null
    /** On whatever path: for conversations that hold nothing but runs of one file. */
    anyPath?: boolean
  }): Promise<LastApproved | null>
}

export interface ChangedCells {
  readonly tenant: TenantId
  readonly path: PathId
  /** The cells that may have changed; null when all of the path may have. */
  readonly cells: readonly string[] | null
  readonly now: (cell: CellId) => Promise<CodeNow>
  readonly by: UserId
}

/** What a cell says now; null when it is gone. */
export type CodeNow = { readonly code: string; readonly language: string } | null

export interface EndedPath {
  readonly tenant: TenantId
  readonly path: PathId
  /** What became of it: "was deleted". */
  readonly how: string
  readonly by: UserId
}

export interface PolicyKeeper {
  /** The policy in force. Looks whether the file has changed since. */
  current(): Promise<PolicyState>
  /** Writes the file, keeping its comments. `expected` is the version that the editor started from. */
  save(policy: PolicyInput, by: UserId, expected: string): Promise<Outcome<PolicyState>>
  /** The same from the text of the file as a person wrote it. */
  saveText(text: string, by: UserId, expected: string): Promise<Outcome<PolicyState>>
  /** The text of the file, or a commented file of defaults when there is none. */
  text(): Promise<string>
}

export interface ApprovalOptions {
  readonly storage: Storage
  readonly audit: DecisionRecord & Pick<Audit, 'told'>
  readonly keys: KeyStore
  readonly clock: Clock
  readonly ids: Ids
  /** Looks again at code that a reviewer edited. */
  readonly inspect: (code: string, language: Language) => Promise<Inspection>
  /** `policy.yaml` in the data folder; `policy.json` beside it is read where only that is there. */
  readonly policyFile: string
  /** Whose record policy changes made outside the application stand on. */
  readonly tenant: TenantId
  /** Told when the sweep in the background fails; it is tried again, and nothing is approved by its failing. */
  readonly onProblem?: (problem: Problem) => void
}

export { parseJsonPolicy, parsePolicy, policySchema, policyVersion } from './policy-text.ts'

/** The sweep looks at least this often, since a timer cannot be set for longer than 24 days. */
const longestRestMs = 3_600_000
const retryMs = 60_000

export function createApproval(options: ApprovalOptions): Approval {
  const { storage, audit, keys, clock, ids, inspect, policyFile, tenant, onProblem } = options
  const listeners = new Set<(event: ApprovalEvent) => void>()
  const requestListeners = new Set<(request: ApprovalRequest) => void>()
  // What is told is done already: a listener that fails must not make it look undone.
  const tellAll = <T>(all: ReadonlySet<(news: T) => void>, news: T) => {
    for (const listener of [...all]) {
      try {
        listener(news)
      } catch (error) {
        onProblem?.(problemOf(error))
      }
    }
  }
  const tell = (event: ApprovalEvent) => tellAll(listeners, event)
  const changed = (request: ApprovalRequest) => {
    tellAll(requestListeners, request)
    tell({ type: 'request', request: summaryOf(request) })
    if (request.state === 'waiting') rest(request.dialogUntil)
  }
  let sealed: Promise<TableSeals> | null = null
  const policy = createPolicyKeeper({
    seal: async () => {
      sealed ??= openTableSeals(storage, keys)
      return (await sealed).policies
    },
    file: policyFile,
    storage,
    audit,
    clock,
    tenant,
    changed: version => tell({ type: 'policy', version }),
  })
  const keyRing = createIdentities({ storage, audit, keys, clock, ids })
  const desk = createDesk({ storage, audit, clock, policy: policy.current, changed })
  const requests = createRequests({
    storage,
    clock,
    desk,
    keyRing,
    inspect,
    onChange: listener => {
      requestListeners.add(listener)
      return () => requestListeners.delete(listener)
    },
  })
  const pathGrants = createPathGrants({ storage, audit, clock, keyRing })
  const gate = createGate({ storage, audit, clock, ids, desk, keyRing, pathGrants, policy: policy.current, changed })

  let sweepAt = Number.POSITIVE_INFINITY
  let cancelTimer = () => {}
  let sweeping: Promise<void> = Promise.resolve()
  let closed = false

  /** Sets the alarm for the next dialog that closes. */
  function rest(until: number): void {
    const at = Math.min(until, clock.now() + longestRestMs)
    if (closed || at >= sweepAt) return
    cancelTimer()
    sweepAt = at
    cancelTimer = clock.after(Math.max(0, at - clock.now()), wake)
  }

  function wake(): void {
    sweepAt = Number.POSITIVE_INFINITY
    sweeping = requests
      .sweep()
      .then(nextDialog)
      .then(rest, error => {
        onProblem?.(problemOf(error))
        rest(clock.now() + retryMs)
      })
  }

  async function nextDialog(): Promise<number> {
    const query = storage.read.selectFrom('approval_requests').where('state', '=', 'waiting')
    const row = await query.select(eb => eb.fn.min('dialog_until').as('next')).executeTakeFirst()
    return row?.next ?? clock.now() + longestRestMs
  }

  wake()

  return {
    ...gate,
    pathGrants,
    policy,
    identities: keyRing,
    answering: reviewer => answering(keyRing, reviewer),
    requests,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      closed = true
      cancelTimer()
      await sweeping
      listeners.clear()
      requestListeners.clear()
    },
  }
}
