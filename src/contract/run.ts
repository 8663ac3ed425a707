import { z } from 'zod'
import { RunFiles } from './files.ts'
import { RunId, SandboxId } from './ids.ts'
import { languages } from './languages.ts'
import { NetworkRequest } from './network.ts'
import { ToolCall } from './tools.ts'

export { languages }
export const Language = z.enum(languages)
export type Language = z.infer<typeof Language>

export const riskLevels = ['low', 'medium', 'high', 'critical'] as const
export const RiskLevel = z.enum(riskLevels)
export type RiskLevel = z.infer<typeof RiskLevel>

export const isolations = ['unconfined', 'jail', 'container', 'user-space kernel', 'microvm', 'cloud'] as const
export const Isolation = z.enum(isolations)
export type Isolation = z.infer<typeof Isolation>

export const sandboxKinds = ['local', 'docker', 'gvisor', 'microvm', 'e2b'] as const
export const SandboxKind = z.enum(sandboxKinds)
export type SandboxKind = z.infer<typeof SandboxKind>

/** One display in as many forms as its maker knows, keyed by MIME type; text as a string, JSON kinds as JSON. */
export const MimeBundle = z.record(z.string(), z.json())
export type MimeBundle = z.infer<typeof MimeBundle>

export const errorKinds = ['syntax', 'runtime', 'timeout', 'memory', 'killed', 'sandbox'] as const
export const RunError = z.object({
  kind: z.enum(errorKinds),
  /** The exception's class, e.g. `ZeroDivisionError`, or the limit that was met. */
  name: z.string(),
  message: z.string(),
  traceback: z.array(z.string()),
  /** 1-based line in the cell, where known. */
  line: z.number().int().positive().optional(),
})
export type RunError = z.infer<typeof RunError>

/** The name that code gave to a display, by which it updates it. */
export const DisplayId = z.string().max(200)

/** What a run has shown, in the order in which it happened. */
export const Output = z.discriminatedUnion('type', [
  z.object({ type: z.literal('stream'), name: z.enum(['stdout', 'stderr']), text: z.string() }),
  z.object({
    type: z.literal('display'),
    data: MimeBundle,
    metadata: z.record(z.string(), z.json()).optional(),
    /** Only while its run goes on: what is kept is not updated any more. */
    displayId: DisplayId.optional(),
  }),
  z.object({ type: z.literal('result'), data: MimeBundle, metadata: z.record(z.string(), z.json()).optional() }),
  z.object({ type: z.literal('error'), error: RunError }),
  /** Something that the person should know, e.g. that the sandbox was made anew and its variables are gone. */
  /** `cut`: more was printed than the record keeps; all of it can be had by the id of the run. */
  z.object({
    type: z.literal('notice'),
    text: z.string(),
    cut: z.literal(true).optional(),
    /** Says something of the run under way, which is no longer true when it has ended. */
    passing: z.literal(true).optional(),
  }),
])
export type Output = z.infer<typeof Output>

export const FileChanges = z.object({
  created: z.array(z.string()),
  modified: z.array(z.string()),
  deleted: z.array(z.string()),
})
export type FileChanges = z.infer<typeof FileChanges>

export const Limits = z.object({
  timeoutMs: z.number().int().min(1).max(600_000).default(60_000).describe('Longest run, in milliseconds'),
  memoryBytes: z
    .number()
    .int()
    .positive()
    .default(512 * 1024 * 1024)
    .describe('Memory of the sandbox, in bytes'),
  processes: z.number().int().positive().default(64).describe('Processes and threads in the sandbox'),
  fileBytes: z
    .number()
    .int()
    .positive()
    .default(256 * 1024 * 1024)
    .describe('Largest file, in bytes'),
  diskBytes: z
    .number()
    .int()
    .positive()
    .default(1024 * 1024 * 1024)
    .describe('Working folder, in bytes'),
  outputChars: z.number().int().positive().default(50_000).describe('Output kept in the record, in characters'),
})
export type Limits = z.infer<typeof Limits>

/** Code longer than this is refused before anything looks at it. */
export const maxCodeBytes = 100 * 1024

/** Variables that a run made, changed and removed, by the word of its kernel. */
export const StateChanges = z.object({
  created: z.array(z.string().max(200)).max(200),
  changed: z.array(z.string().max(200)).max(200),
  removed: z.array(z.string().max(200)).max(200),
})
export type StateChanges = z.infer<typeof StateChanges>

/** The result of every run, whatever it ran in. */
export const RunOutcome = z.object({
  success: z.boolean(),
  stdout: z.string(),
  stderr: z.string(),
  /** True when more was written than is kept here; all of it can be had by the id of the run. */
  truncated: z.boolean(),
  exitCode: z.number().int().nullable(),
  /** Where the kernel can tell: Python does. */
  stateChanges: StateChanges.optional(),
  outputs: z.array(Output),
  executionTimeMs: z.number(),
  cpuTimeMs: z.number(),
  peakMemoryBytes: z.number(),
  files: FileChanges,
  /** What the run found and left of the path's files, by the hashes of the two manifests. */
  manifests: RunFiles.optional(),
  network: z.array(NetworkRequest),
  /** Calls of tools, in the order in which they began; left out: none. */
  tools: z.array(ToolCall).optional(),
  warnings: z.array(z.string()),
  error: RunError.nullable(),
  sandbox: SandboxKind,
  sandboxId: SandboxId,
  isolation: Isolation,
  /** The run whose result this is, and when that was: nothing ran now, since it would have come to the same. */
  kept: z.object({ run: RunId, at: z.number() }).optional(),
})
export type RunOutcome = z.infer<typeof RunOutcome>
