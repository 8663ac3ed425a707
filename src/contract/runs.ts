import { z } from 'zod'
import { Version } from './conversations.ts'
import { CellId, ConversationId, PathId, RequestId, RunId } from './ids.ts'
import { Inspection } from './inspection.ts'
import { GrantText } from './network.ts'
import { Problem } from './problem.ts'
import { Language, maxCodeBytes, Output, RiskLevel, RunOutcome } from './run.ts'

const utf8 = new TextEncoder()

/** Code as it may enter: bounded, and without the half characters that would change on their way to the sandbox. */
export const Code = z
  .string()
  .refine(code => utf8.encode(code).length <= maxCodeBytes, 'The code is longer than 100 KB.')
  .refine(code => code.isWellFormed(), 'The code has half of a surrogate pair in it.')

const given = {
  path: PathId,
  timeoutMs: z.number().int().min(1).max(600_000).optional(),
  /** Ask for approval in any case. */
  forceApproval: z.boolean().default(false),
  /** Hosts that it asks to reach, one rule each (`https://api.example.org:443`); granted only by an approval. */
  network: z.array(GrantText).max(64).default([]),
}

/** A cell as the person saw it. The engine reads its code: who sends code along is refused. */
export const CellRun = z.strictObject({ ...given, cell: CellId, revision: Version })
/** Code that does not come from a cell: from a terminal, an assistant or a tool. */
export const CodeRun = z.strictObject({ ...given, cell: z.null(), language: Language, code: Code })

export const RunRequest = z.union([CellRun, CodeRun])
export type RunRequest = z.input<typeof RunRequest>

/**
 * Where a run stands. `waiting` for a reviewer is not under way: it goes on when the request is approved.
 * `refused` by policy, reviewer or a limit; `failed` when it could not be carried out at all.
 */
export const runStates = ['inspecting', 'waiting', 'queued', 'running', 'finished', 'refused', 'failed'] as const
export const RunState = z.enum(runStates)
export type RunState = z.infer<typeof RunState>

/** A run as windows see it while it is under way and when it is over. */
export const RunView = z.object({
  run: RunId,
  conversation: ConversationId,
  path: PathId,
  cell: CellId.nullable(),
  language: Language,
  state: RunState,
  risk: RiskLevel.nullable(),
  inspection: Inspection.nullable(),
  request: RequestId.nullable(),
  problem: Problem.nullable(),
  outcome: RunOutcome.nullable(),
  /** What it may reach; left out or empty: nothing. */
  network: z.array(z.string()).optional(),
  createdAt: z.number(),
  /** When the code began to run. */
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
})
export type RunView = z.infer<typeof RunView>

/** A run under way with what it has shown so far, for a window that opens in the middle of it. */
export const LiveRun = z.object({ view: RunView, outputs: z.array(Output) })
export type LiveRun = z.infer<typeof LiveRun>
