import type { Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { ContextReason, ContextStatus, PathRef } from '../contract/contexts.ts'
import type { ConversationId, TenantId, UserId } from '../contract/ids.ts'
import type { Placement, SandboxFacts } from '../contract/placement.ts'
import type { Outcome, Problem } from '../contract/problem.ts'
import type { Language, RunOutcome, SandboxKind } from '../contract/run.ts'
import type { Completion, Hover, TablePiece, Usage, Variable } from '../contract/sandbox.ts'
import type { ManifestChanges, PathFiles } from '../files/files.ts'
import type { Ids } from '../ids.ts'
import type { KeyStore } from '../keystore.ts'
import type { ClearedRun } from '../runs/run.ts'
import type { CutPlace, OutputSink, Sandbox, SandboxProvider, ToolCalls, WorkFolder } from '../sandbox/sandbox.ts'
import type { Storage } from '../storage/storage.ts'
import type { ContextLimits } from './limits.ts'
import { LiveContexts } from './live.ts'
import type { Owner } from './owner.ts'

export { type ContextLimits, defaultLimits } from './limits.ts'
export { type Owner, thisProcess } from './owner.ts'
export { meansNoSandbox } from './problems.ts'

/** One sandbox per path: made when it is first needed, kept while it is used, ended when it is not. */
export interface Contexts {
  /**
   * Runs cleared code in its path's sandbox. Runs on one path go one after the other, in the order of the calls; paths
   * go side by side. What the code does is in the outcome; a problem means that it did not run.
   */
  run(run: ClearedRun, sink: OutputSink, signal: AbortSignal, turn?: Turn): Promise<Outcome<RunOutcome>>
  /** Stops the run under way and keeps variables where the language can; does nothing when none is. */
  interrupt(path: PathRef): Promise<void>
  /** Takes back what the current run was granted of the network, all but these rules. */
  narrow(path: PathRef, keep: readonly string[]): Promise<void>
  /** Stops what runs, drops what waits, and gives the path fresh kernels; the files stay. */
  restart(path: PathRef): Promise<Outcome<void>>
  /** Stops what runs, drops what waits, ends the sandbox. Nothing to end is fine; only a store that fails makes it reject. */
  end(path: PathRef, reason: ContextReason, actor: UserId | null): Promise<void>
  endConversation(
    tenant: TenantId,
    conversation: ConversationId,
    reason: ContextReason,
    actor: UserId | null,
  ): Promise<void>
  /**
   * Gives the path a new sandbox in place of the one that it has, with its files. What runs is waited for; variables
   * are gone.
   */
  move(path: PathRef, placement: Placement, actor: UserId, signal?: AbortSignal): Promise<Outcome<ContextStatus>>
  /** Starts `to` with a copy of the variables and files that `from` has now, where the back end can. */
  fork(request: { from: PathRef; to: PathRef; actor: UserId }): Promise<Outcome<ContextStatus>>

  /** True where the path has a sandbox that hands on its files alone. */
  handsOnFilesOnly(path: PathRef): boolean

  variables(path: PathRef, language: Language): Promise<Outcome<Variable[]>>
  complete(path: PathRef, language: Language, code: string, offset: number): Promise<Outcome<Completion[]>>
  hover(path: PathRef, language: Language, code: string, offset: number): Promise<Outcome<Hover | null>>
  table(path: PathRef, language: Language, name: string, from: number): Promise<Outcome<TablePiece>>
  usage(path: PathRef): Promise<Outcome<Usage>>
  /** The path's working folder. Writing makes the sandbox when there is none yet, so that data can come before code. */
  files(path: PathRef, actor?: UserId): WorkFolder

  /**
   * Puts into the open sandbox of a path, if it has one, what was changed on the path beside it, when its turn comes. The
   * next run says what could not be put there.
   */
  bring(path: PathRef, changes: ManifestChanges): Promise<void>

  /** What the sandbox of a path is, while it has one. */
  facts(path: PathRef): SandboxFacts | null
  /** What the last sandbox of a path was to be, whether or not it is still there. */
  last(path: PathRef): Promise<SandboxFacts | null>
  /** The image that a path of the same conversation was given last; null where none was. */
  imageUsed(path: PathRef): Promise<string | null>
  status(path: PathRef): Promise<ContextStatus>
  /** Of every path of a conversation that ever had a context. */
  statuses(tenant: TenantId, conversation: ConversationId): Promise<ContextStatus[]>
  /** Everything that is active now, over all conversations of a tenant. */
  active(tenant: TenantId): Promise<ContextStatus[]>
  /** Calls back at every change of a status; the returned function ends that. */
  subscribe(listener: (status: ContextStatus) => void): () => void

  /** Ends what a killed application left behind; call it once at the start. Answers how many records it closed. */
  recoverOrphans(): Promise<number>
  /** Ends idle contexts, one batch; runs by itself every 15 minutes. Answers how many it ended. */
  sweep(): Promise<number>
  /** Ends everything that this process has open. */
  close(): Promise<void>
}

/** What happens when it is a run's turn and its sandbox is there. */
export interface Turn {
  /** The last look before the code is handed over, at what the sandbox says that it is. */
  readonly handover?: (place: SandboxFacts) => Promise<Outcome<ClearedRun>>
  readonly begun?: () => void
  /** What is shown in place of a run that would come to the same; null: it runs. */
  readonly recall?: (sandbox: Sandbox) => Promise<RunOutcome | null>
  /** After the run, while the sandbox is still its own. */
  readonly remember?: (sandbox: Sandbox, outcome: RunOutcome) => Promise<void>
  /** Answers what the code asks of tools while it runs. */
  readonly tools?: ToolCalls
}

export interface ContextsOptions {
  readonly storage: Storage
  readonly audit: Recorder
  /** The back end of a kind, or null where it is not installed. */
  readonly provider: (kind: SandboxKind) => SandboxProvider | null
  readonly keys: KeyStore
  /** The files of paths, which outlive their sandboxes. */
  readonly files: PathFiles
  readonly clock: Clock
  readonly ids: Ids
  /** Where a path's files go when they come before any code. */
  readonly placeForFiles: (path: PathRef) => Promise<Outcome<Placement>>
  readonly limits?: Partial<ContextLimits>
  /** Where what a lost run printed may be cut; without it anywhere. */
  readonly cutPlace?: CutPlace
  /** Told of what goes wrong in the background, where nobody waits for an answer. */
  readonly onProblem?: (problem: Problem) => void
  /** Done with every clean-up: what sandboxes have left outside of themselves. */
  readonly prune?: () => Promise<unknown>
  /** Which process this is, where several share a database. */
  readonly owner?: Owner
}

/** Starts the clean-up too; `close` stops it. */
export function createContexts(options: ContextsOptions): Contexts {
  return new LiveContexts(options)
}
