import { z } from 'zod'
import { ServerName, ToolEffect } from './mcp-servers.ts'

const ToolName = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'letters, digits, _, . and -; at most 64')
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** A name as code writes it: `tools.SERVER.TOOL`. */
export const CodeName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,79}$/)

/** A tool that a run may call, bound by its approval to what the server said of it when it was accepted. */
export const ToolGrant = z.object({
  server: ServerName,
  tool: ToolName,
  /** How code calls it; names that are no identifiers, or that two tools would share, are changed. */
  calledAs: z.object({ server: CodeName, tool: CodeName }),
  /** Of its name, description and schema. */
  hash: Sha256,
  /** What it says of itself: the server's word, shown as plain text. */
  description: z.string().max(2000),
  /** What it does, also by the server's word; one that says nothing may destroy. */
  effect: ToolEffect,
})
export type ToolGrant = z.infer<typeof ToolGrant>

/** An accepted tool with what the editor shows of it. */
export const KnownTool = ToolGrant.extend({
  /** How it is called, with the types of what it takes and gives. */
  typescript: z.string(),
  python: z.string(),
})
export type KnownTool = z.infer<typeof KnownTool>

export const toolLimits = {
  /** Calls that are under way at once; further ones of a run wait for their turn. */
  open: 32,
  perRun: 200,
  /** Of one tool. */
  perMinute: 100,
  /** Longer arguments are refused; a longer result becomes a file of the working folder. */
  bytes: 1 << 20,
  /** How long the clock of a run stands still in all while it waits. The same figure as in `running.py`. */
  waitMs: 600_000,
} as const

/** How long a run may take in all: its limit, and what it may spend waiting for tools. */
export const longestMs = ({ limits, tools }: Given): number =>
  limits.timeoutMs + (tools?.length ? toolLimits.waitMs : 0)

interface Given {
  readonly limits: { readonly timeoutMs: number }
  readonly tools?: readonly ToolGrant[] | undefined
}

export const toolCallEnds = ['answered', 'failed', 'refused', 'replayed'] as const

/** One call of a run, as it is shown and recorded. Arguments and results are on the record by their hashes. */
export const ToolCall = z.object({
  server: ServerName,
  tool: ToolName,
  /** `answered` by the tool; `failed` there; `refused` here, before anything was sent; `replayed` from the record. */
  end: z.enum(toolCallEnds),
  /** Why it was not answered. */
  code: z.string().optional(),
  message: z.string().max(2000).optional(),
  startedAt: z.number(),
  durationMs: z.number(),
  argumentsHash: Sha256,
  resultHash: Sha256.nullable(),
  /** Of the result: they stayed in the sandbox unless the code showed them. */
  bytes: z.number().int().nonnegative(),
  file: z.string().optional(),
})
export type ToolCall = z.infer<typeof ToolCall>
