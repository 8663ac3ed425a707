import type { z } from 'zod'
import type { Clock } from '../clock.ts'
import type {
  AuditAction,
  AuditDetail,
  AuditEntry,
  AuditFilter,
  AuditItem,
  AuditPage,
  AuditQuery,
  BundleManifest,
  Checkpoint,
  Finding,
  InclusionProof,
  Pruning,
  Verification,
} from '../contract/audit.ts'
import type { CellId, ConversationId, PathId, RequestId, RunId, TenantId, UserId } from '../contract/ids.ts'
import { EntryId } from '../contract/ids.ts'
import type { Outcome, Problem } from '../contract/problem.ts'
import { problemOf } from '../contract/problem.ts'
import type { Report, ReportFormat, ReportRun } from '../contract/report.ts'
import type { Ids } from '../ids.ts'
import type { KeyStore } from '../keystore.ts'
import { lastEntry } from '../storage/record/entries.ts'
import { countEntries } from '../storage/record/find.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import { type AnalysisTexts, type TextsOfAnalysis, textsThatMayLeave } from './analysis-texts.ts'
import { Anchor } from './anchor.ts'
import { appendEntry } from './append.ts'
import { type BundleRequest, writeBundle } from './bundle.ts'
import { lastCheckpoint, makeCheckpoint } from './checkpoints.ts'
import { damageOf } from './damage.ts'
import { DecisionLedger, type TakenBack } from './decisions.ts'
import { readDetail } from './detail.ts'
import { Follower } from './follow.ts'
import { Indexing } from './indexing.ts'
import { openSigningKeys } from './keys.ts'
import { checkpointFileIn } from './outside.ts'
import { eraseValues } from './personal.ts'
import { proveEntry } from './proof.ts'
import { queryPage, readSince, type Since } from './query.ts'
import { type CsvRun, csvTable } from './report/csv.ts'
import { renderReport } from './report/page.ts'
import type { PrintPdf } from './report/print.ts'
import { makeReport, type ReportRequest } from './report/report.ts'
import { type PruneRequest, pruneRecord } from './retention.ts'
import { Sessions } from './sessions.ts'
import { findingOf, SignedTree } from './signed-tree.ts'
import { Told } from './told.ts'
import { type VerifyOptions, verifyRecord } from './verify.ts'

export type { BundleRequest, PassEgress } from './bundle.ts'
export { keepBin, keepFiles, keepRetention, keepVerified } from './daily.ts'
export { exportsThrough, readCheckpoints, verifyStorage } from './outside.ts'
export { day, html, Markup, moment, visible } from './report/html.ts'
export { chromiumPrinter, type PrintPdf } from './report/print.ts'
export type { ReportRequest } from './report/report.ts'
export { noEntries, type RunEntries, tellRun } from './report/runs.ts'
export { neverEmptied, type PruneRequest } from './retention.ts'
export type { VerifyOptions } from './verify.ts'

/** Something that happened and must stand on the record. Who and what by id; the rest in `details`. */
export interface AuditEvent {
  readonly action: AuditAction
  readonly tenant: TenantId
  readonly actor: UserId | null
  readonly conversation?: ConversationId
  readonly path?: PathId
  readonly cell?: CellId
  readonly run?: RunId
  readonly request?: RequestId
  /** `risk`, `sandbox`, `success` (boolean) and `codeHash` at its top level are what filters look for. */
  readonly details: z.core.util.JSONType
  /** Large texts (code, output), kept by content hash beside the chain. */
  readonly bodies?: Readonly<Record<string, string>>
  /** Personal values: only a salted commitment enters the chain, so that they can be erased later. */
  readonly personal?: Readonly<Record<string, string>>
}

/** Writes one entry inside the transaction that it describes: both are kept, or neither. */
export interface Recorder {
  append(transaction: Transaction, event: AuditEvent): Promise<void>
}

/** What the chain says of a signed decision: on it and not used since, used, not on it, or not to be trusted. */
export type DecisionState = 'unused' | 'used' | 'unknown' | 'damaged'

export interface SignedDecision {
  readonly subject: string
  readonly signature: string
}

/** The record as the gate needs it: what was decided and used is looked up where nobody can set it back. */
export interface DecisionRecord extends Recorder {
  decisionState(transaction: Transaction, decision: SignedDecision): Promise<DecisionState>
  /** Of the grants of a path, since the oldest decision whose state was asked. */
  takenBack(tenant: TenantId, path: PathId): readonly TakenBack[]
  /** Signs the record as it is now, inside and outside the database. Fails where it does not extend what was signed. */
  checkpoint(): Promise<Checkpoint>
}

export interface Audit extends DecisionRecord {
  /** One entry in a transaction of its own; resolves once it is durable. */
  record(event: AuditEvent): Promise<void>
  query(query: AuditQuery): Promise<AuditPage>
  count(filter: AuditFilter): Promise<{ count: number; more: boolean }>
  /** All entries of an action that takes something back, by the chain itself: queries go by an index. */
  told(action: 'identity.vouch-withdrawn' | 'cloud.revoked'): Promise<readonly AuditEntry[]>
  /** The number of the last entry; -1 before the first. */
  last(): Promise<number>
  /** Entries of some actions behind a number, for whoever has read the others; null where there are many: then query. */
  since(seq: number, actions: readonly AuditAction[]): Promise<Since | null>
  entry(seq: number): Promise<Outcome<AuditDetail>>
  proof(seq: number): Promise<Outcome<InclusionProof>>
  /** Checks everything and puts the result on the record. */
  verify(options?: VerifyOptions & { readonly actor?: UserId | null }): Promise<Verification>
  /** A checkpoint; for a record that is damaged, the last checkpoint that was signed. */
  lastSigned(): Promise<Checkpoint>
  rotateKey(actor: UserId | null, reason: string): Promise<void>
  /** Forgets personal values by their commitments; the chain stays whole. Returns how many there were. */
  erase(commitments: readonly string[], actor: UserId | null, reason: string): Promise<number>
  /** Empties entries from before a moment; a signed tombstone stays in their place. */
  prune(request: PruneRequest): Promise<Pruning>
  /** Verifies the record and tells what is in scope. Reading it so stands on the record too. */
  report(request: ReportRequest): Promise<Report>
  /** The same as a file: a page, a table of all runs, JSON, or paper. */
  reportFile(request: ReportFileRequest): Promise<{ readonly report: Report; readonly bytes: Uint8Array }>
  /** Writes a zip that anyone can check without this application, and puts that on the record. */
  exportBundle(
    request: Omit<BundleRequest, 'report' | 'damage' | 'analyses'> & { readonly actor: UserId | null },
  ): Promise<BundleManifest>
  /** Hands on every entry once it is durable, in order, whoever wrote it. */
  follow(listener: (items: readonly AuditItem[]) => void): () => void
  /** What was wrong when the record was opened: an older database was put back, or its end cut off. */
  readonly damageAtStart: readonly Finding[]
  readonly session: string
  close(): Promise<void>
}

export interface ReportFileRequest extends ReportRequest {
  readonly format: ReportFormat
  readonly printPdf: PrintPdf
}

export interface AuditOptions {
  readonly storage: Storage
  readonly keys: KeyStore
  readonly clock: Clock
  readonly ids: Ids
  /** Where checkpoints are kept outside the database. */
  readonly folder: string
  /** Whose entries those are that the record writes about itself. */
  readonly tenant: TenantId
  /** Files and worked examples of an analysis that ran, for reports and bundles. */
  readonly textsOf?: TextsOfAnalysis
  /** Told when work in the background fails, e.g. a checkpoint on a full disk. It is tried again. */
  readonly onProblem?: (problem: Problem) => void
}

/** Entries wait at most this long for a signature over them. */
const checkpointDelayMs = 200

/** And at most this long to be indexed, unless somebody asks before. */
const indexDelayMs = 3000

export async function createAudit(options: AuditOptions): Promise<Audit> {
  const { storage, clock, ids, tenant, folder, onProblem } = options
  const session = ids.make(EntryId)
  const follower = new Follower(storage)
  const indexing = new Indexing(storage)
  const sessions = new Sessions(folder, session)
  const present = () => ({ now: clock.now(), isLive: (id: string) => sessions.isLive(id) })
  let cancelTimer: (() => void) | null = null
  let closed = false
  let appended = 0
  const arm = () => {
    if (!cancelTimer && !closed) cancelTimer = clock.after(checkpointDelayMs, settle)
  }

  const file = checkpointFileIn(folder)
  const anchor = await Anchor.open(options.keys, storage, file)
  let signed = await SignedTree.open(storage, anchor)
  const recorder: Recorder = {
    async append(transaction, event) {
      indexing.remember(await appendEntry(transaction, event, { clock, ids, session, seal: anchor.seal }))
      appended++
      arm()
    },
  }
  const keys = await openSigningKeys({ storage, keys: options.keys, recorder, indexing, anchor, tenant })
  const damageAtStart = await damageOf({ storage, file, anchor, signed, keys: keys.state })

  const checkpoint = async (): Promise<Checkpoint> => {
    const { made, tree } = await storage.write(async transaction => {
      const grown = await signed.grown(transaction)
      const last = anchor.head.checkpoint
      const isSigned = last?.size === grown.size && last.root === grown.root()
      return { tree: grown, made: isSigned ? last : await makeCheckpoint(transaction, grown, keys.current(), clock) }
    })
    if (tree.size > signed.size) signed = tree
    // After the database, never before it: a checkpoint that the database does not know looks like a roll-back.
    await anchor.advance(made)
    file.add(made)
    return made
  }

  const decisions = new DecisionLedger(storage, () => ({
    seal: anchor.seal,
    sealedFrom: anchor.head.sealedFrom,
    signedSize: signed.damage ? null : signed.size,
  }))

  const told = {
    'identity.vouch-withdrawn': new Told(storage, 'identity.vouch-withdrawn'),
    'cloud.revoked': new Told(storage, 'cloud.revoked'),
  }

  const lastSigned = (): Promise<Checkpoint> =>
    checkpoint().catch(async error => {
      const last = anchor.head.checkpoint ?? (await lastCheckpoint(storage.read))
      if (problemOf(error).code !== 'audit.damaged' || !last) throw error
      return last
    })

  let refused = false
  /** A refusal to sign stands on the record once, where it raises an alert; the entries are handed on all the same. */
  const signOrTell = async (): Promise<void> => {
    try {
      await checkpoint()
    } catch (error) {
      if (problemOf(error).code !== 'audit.damaged') throw error
      if (refused) return
      refused = true
      onProblem?.(problemOf(error))
      const finding = findingOf(error)
      const details = { success: false, signed: anchor.head.checkpoint?.size ?? 0, findings: finding ? [finding] : [] }
      await storage.write(transaction =>
        recorder.append(transaction, { action: 'audit.verified', tenant, actor: null, details }),
      )
    }
  }

  let settling: Promise<void> = Promise.resolve()
  let settledAt = { appended: 0, indexed: clock.now() }
  function settle(): void {
    cancelTimer = null
    settling = settling
      .then(signOrTell)
      .then(() => follower.deliver())
      .then(() => indexWhenQuiet())
      .catch(error => onProblem?.(problemOf(error)))
  }

  /** While entries keep coming, indexing waits a little: in large lots it costs a fraction. A query does not wait. */
  async function indexWhenQuiet(): Promise<void> {
    const busy = appended !== settledAt.appended && clock.now() - settledAt.indexed < indexDelayMs
    settledAt = { ...settledAt, appended }
    if (busy && !closed) return arm()
    await indexing.catchUp()
    settledAt = { appended, indexed: clock.now() }
  }

  /** On a disk that takes nothing more, what was indexed before can still be found. */
  const indexed = () =>
    indexing.catchUp().catch(error => {
      const problem = problemOf(error)
      if (problem.code !== 'storage.full' && problem.code !== 'storage.read-only') throw error
      onProblem?.(problem)
    })

  const recordVerification = ({ ok, entries, emptied, root, findings }: Verification, actor: UserId | null) => {
    const details = { success: ok, entries, emptied, root, findings: findings.slice(0, 20) }
    return storage.write(transaction =>
      recorder.append(transaction, { action: 'audit.verified', tenant, actor, details }),
    )
  }

  const report = async (request: ReportRequest): Promise<Report> => {
    await indexing.catchUp()
    const made = await lastSigned()
    const { signal } = request
    const verification = await verifyRecord(storage, file, anchor, signal ? { signal } : {})
    // A check that finds damage is told of as one, whoever asked and what for.
    if (!verification.ok) await recordVerification(verification, request.actor)
    const result = await makeReport(
      { storage, clock, isLive: present().isLive, textsOf: options.textsOf },
      made,
      verification,
      request,
    )
    const details = { what: 'report', scope: request.scope, entries: result.entries }
    await storage.write(transaction =>
      recorder.append(transaction, { action: 'audit.read', tenant, actor: request.actor, details }),
    )
    return result
  }

  // An application that was killed leaves a tail that nobody has signed for.
  if (damageAtStart.length === 0 && signed.size > 0) await signOrTell().catch(error => onProblem?.(problemOf(error)))
  await follower.startAtEnd()

  return {
    session,
    damageAtStart,
    append: recorder.append,
    decisionState: (transaction, decision) => decisions.stateOf(transaction, decision),
    takenBack: (tenant, path) => decisions.takenBack(tenant, path),
    record: event => storage.write(transaction => recorder.append(transaction, event)),
    async query(query) {
      await indexed()
      return queryPage(storage, query, present())
    },
    async count(filter) {
      await indexed()
      return countEntries(storage, filter)
    },
    told: action => told[action].entries(),
    last: async () => (await lastEntry(storage.read))?.seq ?? -1,
    since: (seq, actions) => readSince(storage, seq, actions),
    async entry(seq) {
      await indexed()
      return readDetail(storage, seq, present())
    },
    proof: seq => proveEntry(storage, seq),
    checkpoint,
    lastSigned,
    async verify({ actor = null, ...verifyOptions } = {}) {
      const result = await verifyRecord(storage, file, anchor, verifyOptions)
      await recordVerification(result, actor)
      return result
    },
    async rotateKey(actor, reason) {
      await checkpoint()
      await keys.rotate(actor, reason)
      await checkpoint()
    },
    erase: (commitments, actor, reason) =>
      storage.write(async transaction => {
        const erased = await eraseValues(transaction, commitments)
        const details = { commitments: [...commitments], erased, reason }
        await recorder.append(transaction, { action: 'privacy.erased', tenant, actor, details })
        return erased
      }),
    async prune(request) {
      const pruning = await pruneRecord({ storage, signer: keys.current(), recorder, indexing, tenant, clock }, request)
      await lastSigned()
      return pruning
    },
    report,
    async reportFile({ format, printPdf, ...request }) {
      const runs: CsvRun[] = []
      const onRun =
        format === 'csv' ? { onRun: (run: ReportRun, title: string) => void runs.push({ ...run, title }) } : {}
      const made = await report({ ...request, ...onRun })
      const bytes = await {
        csv: async () => Buffer.from(await csvTable(runs, request.passEgress)),
        json: async () => Buffer.from(`${JSON.stringify(made, null, 2)}\n`),
        html: async () => Buffer.from(renderReport(made)),
        pdf: () => printPdf(renderReport(made)),
      }[format]()
      return { report: made, bytes }
    },
    async exportBundle({ actor, ...request }) {
      const told = await report({ scope: request.scope, actor, passEgress: request.passEgress })
      const made = await lastSigned()
      const analyses = new Map<string, AnalysisTexts['files']>()
      for (const ran of told.analyses) {
        const texts = await textsThatMayLeave(ran, options.textsOf, request.passEgress)
        if (texts) analyses.set(ran.sha256, texts.files)
      }
      const also = { report: renderReport(told), damage: told.record.findings, analyses }
      const manifest = await writeBundle({ storage, signer: keys.current(), clock }, made, { ...request, ...also })
      const details = { scope: request.scope, entries: manifest.entries, withheld: manifest.withheld.length }
      await storage.write(transaction =>
        recorder.append(transaction, { action: 'audit.exported', tenant, actor, details }),
      )
      return manifest
    },
    follow: listener => follower.add(listener),
    async close() {
      closed = true
      cancelTimer?.()
      cancelTimer = null
      settle()
      await settling
      sessions.close()
    },
  }
}
