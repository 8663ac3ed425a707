import { z } from 'zod'
import { ContextId, ConversationId, PathId, SandboxId, TenantId } from './ids.ts'
import { Isolation, SandboxKind } from './run.ts'
import { TemplateName } from './templates.ts'

/** One path of one conversation: what an execution context belongs to. */
export const PathRef = z.object({ tenant: TenantId, conversation: ConversationId, path: PathId })
export type PathRef = z.infer<typeof PathRef>

/** To another kind of sandbox, with the files; `replay` runs the cells again that had run on the path. */
export const MovePath = z.object({
  path: PathId,
  kind: SandboxKind,
  /** Which image of that kind; without it the usual one. */
  template: TemplateName.optional(),
  replay: z.boolean().default(false),
})
export type MovePath = z.input<typeof MovePath>

/** The states of a record: it begins as `creating`, may become `ready`, and ends in one of the last three for good. */
export const contextStates = ['creating', 'ready', 'error', 'expired', 'terminated'] as const
export const ContextState = z.enum(contextStates)
export type ContextState = z.infer<typeof ContextState>

/** Why a context ended. */
export const contextReasons = ['expired', 'error', 'manual', 'merged', 'rotated', 'moved', 'orphaned'] as const
export const ContextReason = z.enum(contextReasons)
export type ContextReason = z.infer<typeof ContextReason>

/**
 * What the badge and the tree show of a path's sandbox. A path that never ran, or whose sandbox was ended, has `none`; a
 * paused one costs no time, and the next run wakes it with its variables.
 */
export const liveStates = ['none', 'warming', 'ready', 'running', 'paused', 'expired', 'error'] as const
export const LiveState = z.enum(liveStates)
export type LiveState = z.infer<typeof LiveState>

/** A path's execution context as people see it. It never carries what is needed to reach the sandbox. */
export const ContextStatus = z.object({
  tenant: TenantId,
  conversation: ConversationId,
  path: PathId,
  state: LiveState,
  /** The record behind it: the active one, or the last one that ended. */
  context: ContextId.nullable(),
  sandbox: z.object({ id: SandboxId.nullable(), kind: SandboxKind, isolation: Isolation.nullable() }).nullable(),
  createdAt: z.number().nullable(),
  lastUsedAt: z.number().nullable(),
  /** Since when its variables are what runs have made of them: it was opened, or restarted. Null where it is not here. */
  freshSince: z.number().nullable(),
  /** When it ends unless it is used; null when nothing is there to end. */
  expiresAt: z.number().nullable(),
  /** Runs so far, and after how many it is made anew. */
  runs: z.number().int().nonnegative(),
  maxRuns: z.number().int().positive(),
  /** Sums over all its runs; the peak is the highest of any run. */
  runTimeMs: z.number(),
  cpuTimeMs: z.number(),
  peakMemoryBytes: z.number(),
  /** Runs that wait for the one under way. */
  queued: z.number().int().nonnegative(),
  /** The path whose variables and files it started from, where it was forked with state. */
  forkedFrom: PathId.nullable(),
  /** Why it ended, and a sentence for a person. */
  reason: ContextReason.nullable(),
  message: z.string().nullable(),
  /** When this was true, by the engine's clock: `expiresAt - at` is the time left. */
  at: z.number(),
})
export type ContextStatus = z.infer<typeof ContextStatus>
