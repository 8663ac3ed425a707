import { z } from 'zod'
import { Version } from './conversations.ts'
import { CellId, ConversationId, PathId, RequestId, RunId } from './ids.ts'
import { Impact, Inspection, Violation } from './inspection.ts'
import { GrantText, NetworkRequest } from './network.ts'
import { Placement, SandboxFacts } from './placement.ts'
import { Problem } from './problem.ts'
import { FileChanges, Language, maxCodeBytes, Output, RiskLevel, RunError, RunOutcome, StateChanges } from './run.ts'
import { ToolCall } from './tools.ts'

const utf8 = new TextEncoder()

/** Code as it may enter: bounded, and without the half characters that would change on their way to the sandbox. */
export const Code = z
  .string()
  .refine(code => utf8.encode(code).length <= maxCodeBytes, 'The code is longer than 100 KB.')
  .refine(code => code.isWellFormed(), 'The code has half of a surrogate pair in it.')

/**
 * `ask`: the run is held and says what it needs. `move`: the path goes to a stronger sandbox for good. `aside`: this
 * run takes place once in a sandbox of its own, with a copy of the files, and nothing of it is kept.
 */
export const waysOn = ['ask', 'move', 'aside'] as const
export const WayOn = z.enum(waysOn)
export type WayOn = z.infer<typeof WayOn>

const given = {
  path: PathId,
  timeoutMs: z.number().int().min(1).max(600_000).optional(),
  /** Ask for approval in any case. */
  forceApproval: z.boolean().default(false),
  /** Run it also where a kept result would do. */
  anew: z.boolean().default(false),
  /** What to do where the path's sandbox gives less than the code needs. */
  wayOn: WayOn.default('ask'),
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
 * Where a run stands. `waiting` for a reviewer and `held` for want of a stronger sandbox are not under way: the first
 * goes on when the request is approved, the second when it is started again with a way on. `refused` by policy,
 * reviewer or a limit; `failed` when it could not be carried out at all.
 */
export const runStates = [
  'inspecting',
  'waiting',
  'held',
  'queued',
  'running',
  'finished',
  'refused',
  'failed',
] as const
export const RunState = z.enum(runStates)
export type RunState = z.infer<typeof RunState>

/** Whether a run will not change any more by itself. */
export const isAtRest = (state: RunState): boolean =>
  !(state === 'inspecting' || state === 'queued' || state === 'running')
/** Whether a run has come to its end, for good. */
export const isOver = (state: RunState): boolean => state === 'finished' || state === 'refused' || state === 'failed'

/** The path's sandbox gives less than the code needs: what it has, what would do, and why. */
export const Held = z.object({ current: SandboxFacts, needed: Placement, why: z.string() })
export type Held = z.infer<typeof Held>

const about = {
  run: RunId,
  conversation: ConversationId,
  path: PathId,
  cell: CellId.nullable(),
  language: Language,
  createdAt: z.number(),
  risk: RiskLevel.nullable(),
  inspection: Inspection.nullable(),
  request: RequestId.nullable(),
  /** What it may reach; left out or empty: nothing. */
  network: z.array(z.string()).optional(),
}
const [none, time] = [z.null(), z.number()]
/** All states have the same fields, each with what it can be in that state. */
const notYet = { held: none, problem: none, outcome: none, startedAt: none, finishedAt: none }

/** A run as windows see it while it is under way and when it is over. */
export const RunView = z.discriminatedUnion('state', [
  z.object({ ...about, ...notYet, state: z.literal('inspecting') }),
  z.object({ ...about, ...notYet, state: z.literal('queued') }),
  z.object({ ...about, ...notYet, state: z.literal('running'), startedAt: time }),
  z.object({ ...about, ...notYet, state: z.literal('waiting'), request: RequestId }),
  z.object({ ...about, ...notYet, state: z.literal('held'), held: Held }),
  z.object({
    ...about,
    ...notYet,
    state: z.literal('finished'),
    outcome: RunOutcome,
    startedAt: time,
    finishedAt: time,
  }),
  z.object({
    ...about,
    ...notYet,
    state: z.literal('refused'),
    problem: Problem,
    startedAt: time.nullable(),
    finishedAt: time,
  }),
  z.object({
    ...about,
    ...notYet,
    state: z.literal('failed'),
    problem: Problem,
    startedAt: time.nullable(),
    finishedAt: time,
  }),
])
export type RunView = z.infer<typeof RunView>

/** A run under way with what it has shown so far, for a window that opens in the middle of it. */
export const LiveRun = z.object({ view: RunView, outputs: z.array(Output) })
export type LiveRun = z.infer<typeof LiveRun>

/** What a run that is over was expected to touch, what it was granted, what it touched, and what came of it. */
export const RunTraces = z.object({
  risk: RiskLevel.nullable(),
  success: z.boolean(),
  error: RunError.pick({ kind: true, name: true }).nullable(),
  executionTimeMs: z.number(),
  cpuTimeMs: z.number(),
  peakMemoryBytes: z.number(),
  /** Where the kernel could tell. */
  variables: StateChanges.nullable(),
  /** Empty where the record does not tell; it keeps no sentences. */
  findings: z.array(
    Violation.pick({ rule: true, type: true, severity: true, line: true }).extend({ message: z.string().optional() }),
  ),
  impact: Impact.nullable(),
  granted: z.array(z.string()),
  files: FileChanges,
  network: z.array(NetworkRequest),
  /** Calls of tools, without what was said about those that were not answered. */
  tools: z.array(ToolCall),
})
export type RunTraces = z.infer<typeof RunTraces>
