import { z } from 'zod'
import { SandboxId } from './ids.ts'
import { Isolation, Language, SandboxKind } from './run.ts'

export const Variable = z.object({
  name: z.string(),
  type: z.string(),
  /** `12,400 × 9`, `3 keys`, or nothing where neither shape nor length means anything. */
  shape: z.string().nullable(),
  bytes: z.number().nullable(),
  preview: z.string(),
  /** Whether its rows can be asked for, all of them. */
  table: z.boolean().optional(),
})
export type Variable = z.infer<typeof Variable>

/** Some rows of a live data frame: as many as make an answer of a handy size. */
export const TablePiece = z.object({
  /** Stands for the value that was read; another one in the next piece means that the variable was changed. */
  value: z.string(),
  rows: z.number().int().nonnegative(),
  fields: z.array(z.object({ name: z.string(), type: z.string(), key: z.boolean() })),
  /** JSON, one list a column. Text, since only the window that draws it has a use for millions of values. */
  cells: z.string(),
})
export type TablePiece = z.infer<typeof TablePiece>

export const Completion = z.object({
  label: z.string(),
  kind: z.enum(['variable', 'function', 'class', 'module', 'property', 'keyword', 'file']),
  detail: z.string().optional(),
})
export type Completion = z.infer<typeof Completion>

/** What stands under the cursor: signature and documentation, taken from the live kernel. */
export const Hover = z.object({ signature: z.string().nullable(), documentation: z.string(), type: z.string() })
export type Hover = z.infer<typeof Hover>

export const WorkFile = z.object({
  /** Relative to the working folder, with `/`. */
  path: z.string(),
  kind: z.enum(['file', 'folder', 'link', 'other']),
  bytes: z.number(),
  modifiedAt: z.number(),
})
export type WorkFile = z.infer<typeof WorkFile>

export const Usage = z.object({
  memoryBytes: z.number(),
  cpuTimeMs: z.number(),
  processes: z.number(),
  diskBytes: z.number(),
})
export type Usage = z.infer<typeof Usage>

/** Whether a back end or component can be had here, and if not, why and how to get it. */
export const Probe = z.object({
  name: z.string(),
  available: z.boolean(),
  detail: z.string(),
  hint: z.string().optional(),
})
export type Probe = z.infer<typeof Probe>

export const SandboxStatus = z.object({
  id: SandboxId,
  kind: SandboxKind,
  isolation: Isolation,
  state: z.enum(['warming', 'ready', 'running', 'closed', 'error']),
  languages: z.array(Language),
})
export type SandboxStatus = z.infer<typeof SandboxStatus>
