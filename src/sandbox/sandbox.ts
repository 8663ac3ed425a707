import type { PathRef } from '../contract/contexts.ts'
import type { RunId, SandboxId } from '../contract/ids.ts'
import type { BuildImage, BuildStep, ImageInfo } from '../contract/images.ts'
import type { Placement, SandboxFacts, Template } from '../contract/placement.ts'
import type { Outcome } from '../contract/problem.ts'
import type { Isolation, Language, Limits, RunOutcome, SandboxKind } from '../contract/run.ts'
import type { Completion, Hover, Probe, TablePiece, Usage, Variable, WorkFile } from '../contract/sandbox.ts'
import type { Shown } from '../contract/shown.ts'
import type { ClearedRun } from '../runs/run.ts'

export { type CutPlace, Room } from './room.ts'

/** Receives what a run shows, in order, while it goes on. Returning a promise holds the sandbox back. */
export type OutputSink = (shown: Shown) => void | Promise<void>

/** What the code of one run may ask of the host while it goes on. Never rejects. */
export interface ToolCalls {
  call(request: ToolCallRequest): Promise<ToolReply>
}

export interface ToolCallRequest {
  /** `server.tool`, by the names that code uses. User code's word, like the arguments. */
  readonly tool: string
  /** JSON, as it came. */
  readonly args: Uint8Array
  /** Where a result goes that is too long for a frame. */
  readonly files: Pick<WorkFolder, 'write'>
  readonly signal: AbortSignal
}

export type ToolReply =
  | { readonly ok: true; readonly value: Uint8Array }
  | { readonly ok: true; readonly file: string; readonly bytes: number }
  | { readonly ok: false; readonly code: string; readonly message: string }

/** Why a sandbox ends. */
export const closeReasons = ['expired', 'error', 'manual', 'merged', 'rotated', 'moved', 'orphaned'] as const
export type CloseReason = (typeof closeReasons)[number]

/** The files of a sandbox's working folder, reached through its supervisor: a planted link leads nowhere. */
export interface WorkFolder {
  list(folder?: string): Promise<Outcome<WorkFile[]>>
  read(path: string, range?: { offset: number; length: number }): Promise<Outcome<Uint8Array>>
  /** Makes the file anew; with `append`, adds to what is there, so that a large file can come in pieces. */
  write(path: string, bytes: Uint8Array, options?: { readonly append?: boolean }): Promise<Outcome<void>>
  remove(path: string): Promise<Outcome<void>>
}

/** What a sandbox says of itself once it is open, to be compared with what was approved. */
export interface SelfDescription extends SandboxFacts {
  readonly limits: Limits
}

export interface Sandbox {
  readonly id: SandboxId
  readonly kind: SandboxKind
  readonly isolation: Isolation
  readonly files: WorkFolder
  /** What reaches this sandbox from another process, for back ends that live elsewhere. Kept encrypted, never shown. */
  readonly credentials?: string
  describe(): SelfDescription
  /** Runs code in the kernel of its language, which keeps its variables. Never rejects for anything the code does. */
  run(run: ClearedRun, sink: OutputSink, signal: AbortSignal, tools?: ToolCalls): Promise<RunOutcome>
  /** Stops the current run and keeps the variables where the language can. */
  interrupt(): Promise<void>
  /** Takes back what the current run was granted of the network, all but these rules; what is open is cut off. */
  narrow?(keep: readonly string[]): Promise<void>
  /** Drops the variables of all kernels and keeps the files. */
  restart(): Promise<void>
  variables(language: Language): Promise<Outcome<Variable[]>>
  /** Hashes of what variables hold, `absent` for one that is not there, null for one that cannot be told. */
  fingerprints?(language: Language, names: readonly string[]): Promise<Outcome<Record<string, string | null>>>
  complete(language: Language, code: string, offset: number): Promise<Outcome<Completion[]>>
  hover(language: Language, code: string, offset: number): Promise<Outcome<Hover | null>>
  /** Rows of a variable that holds a data frame, from one on. */
  table(language: Language, name: string, from: number): Promise<Outcome<TablePiece>>
  usage(): Promise<Usage>
  /** Resolves when the sandbox has ended for whatever reason: closed, crashed or killed. */
  readonly ended: Promise<void>
  /** A sibling for another path, with the same variables and a copy of the files; both then go their own way. */
  fork?(to?: PathRef): Promise<Outcome<Sandbox>>
  /** Sets it aside with its variables and files; this object is done with, and `pausing.resume` makes another. */
  pause?(): Promise<Outcome<void>>
  close(reason: CloseReason): Promise<void>
}

export interface OpenOptions {
  readonly limits: Limits
  /** What was approved: image, environment, mounts, network. The sandbox's own word is compared with it afterwards. */
  readonly placement?: Placement
  /** Kernels to have started by the time the sandbox is handed out; the others start when they are first used. */
  readonly warm?: readonly Language[]
  /** Whose sandbox it will be, for back ends that check what leaves on behalf of a conversation. */
  readonly path?: PathRef
}

/** A sandbox that a killed application had open, by its record. */
export interface LeftBehind {
  readonly sandbox: SandboxId
  readonly credentials: string | null
}

/** What a back end can do with sandboxes that live on elsewhere while no process here holds them. */
export interface Pausing {
  /** Wakes a sandbox with its variables and files. `sandbox.closed` where it is no more; otherwise it can be tried again. */
  resume(left: LeftBehind, options: OpenOptions, signal: AbortSignal): Promise<Outcome<Sandbox>>
  /** Pauses what a killed application left running. Answers which of them can be woken. */
  rest(left: readonly LeftBehind[]): Promise<SandboxId[]>
  discard(left: LeftBehind): Promise<void>
}

/** A piece of a run's whole output, in bytes. */
export interface OutputRange {
  readonly offset: number
  readonly length: number
}

/** The images that sandboxes of a kind are made from. */
export interface ImageStore {
  list(): Promise<Outcome<ImageInfo[]>>
  build(request: BuildImage, progress: (step: BuildStep) => void, signal: AbortSignal): Promise<Outcome<ImageInfo>>
  remove(name: string): Promise<Outcome<void>>
}

export interface SandboxProvider {
  readonly kind: SandboxKind
  /** The isolation that it gives here, or null when it cannot be used. Cheap: found out once and remembered. */
  available(): Promise<Isolation | null>
  /** True where it works but its machines are imitated by a program: never chosen without being asked for. */
  isEmulated?(): Promise<boolean>
  /** What is here and what is missing, for `doctor`. The first probe speaks of the whole. */
  probe(): Promise<{ isolation: Isolation; probes: Probe[] }>
  /** Digest of the image that a sandbox would be made from now; a back end without images has none. */
  image?(): Promise<string | null>
  /** All images that a path can choose from, by the names of their templates. */
  templates?(): Promise<Template[]>
  readonly images?: ImageStore
  /** How many sandboxes are kept ready, and how many should be. */
  pool?(): { readonly ready: number; readonly wanted: number }
  /** Gets ready for code in a language ahead of the first need. */
  warm(language: Language): Promise<void>
  open(options: OpenOptions, signal: AbortSignal): Promise<Outcome<Sandbox>>
  /** A piece of all that a run printed, also after its sandbox has ended; null when it is not kept (any more). */
  readOutput(run: RunId, range: OutputRange): Promise<Uint8Array | null>
  /**
   * Ends sandboxes that a killed application left behind: those named, and any others that it finds by itself. Those in
   * `held` are paused, or belong to another process that is alive.
   */
  endOrphans(left?: readonly LeftBehind[], held?: readonly LeftBehind[]): Promise<number>
  readonly pausing?: Pausing
  close(): Promise<void>
}
