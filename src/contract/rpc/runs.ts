import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { ContextStatus, MovePath } from '../contexts.ts'
import { ReplayReport } from '../conversations.ts'
import { Fetched, FetchFeed } from '../feeds.ts'
import { CellId, ConversationId, PathId, RunId } from '../ids.ts'
import { GrantText, PathGrant } from '../network.ts'
import { SandboxChoice } from '../placement.ts'
import { Language } from '../run.ts'
import { Code, LiveRun, RunRequest, RunTraces, RunView } from '../runs.ts'
import { Completion, Hover, TablePiece, Usage, Variable, WorkFile } from '../sandbox.ts'
import { procedure } from './base.ts'

/** What a replay reports while it goes on, and its verdict at the end. */
export const ReplayProgress = z.discriminatedUnion('type', [
  z.object({ type: z.literal('cell'), cell: CellId, done: z.number().int(), total: z.number().int() }),
  z.object({ type: z.literal('report'), report: ReplayReport }),
])
export type ReplayProgress = z.infer<typeof ReplayProgress>

/** Files travel in pieces below the limit of a message. */
const piece = z.object({
  offset: z.number().int().nonnegative(),
  length: z.number().int().positive().max(4_000_000),
})
const Piece = z.object({ data: z.base64(), done: z.boolean() })

export const runsContract = {
  /** Starts a run and answers at once; what becomes of it comes with the events. */
  start: procedure.input(RunRequest).output(RunView),
  /** Takes back a run that waits in line; stops one under way. */
  cancel: procedure.input(RunId).output(z.void()),
  /** Whether the results of a cell are kept and shown again while nothing that they depend on has changed. */
  keep: procedure.input(z.object({ path: PathId, cell: CellId, on: z.boolean() })).output(z.void()),
  /** The cells whose results are kept. */
  kept: procedure.output(z.array(CellId)),
  live: procedure.input(PathId).output(z.array(LiveRun)),
  /** By the record, for a window that did not see the run; null where it does not tell. */
  traces: procedure.input(RunId).output(RunTraces.nullable()),
  /** A piece of all that a run printed, base64, where the record keeps only the start; `done` when it was the last. */
  output: procedure.input(piece.extend({ run: RunId })).output(Piece),
  /** Runs a path's cells again in a fresh sandbox and compares. Ending the stream stops it. */
  replay: procedure.input(PathId).output(eventIterator(ReplayProgress)),
}

const inKernel = z.object({
  path: PathId,
  language: Language,
  code: z.string(),
  offset: z.number().int().nonnegative(),
})
const fileAt = z.object({ path: PathId, file: z.string().min(1).max(4096) })

export const sandboxContract = {
  status: procedure.input(PathId).output(ContextStatus),
  statuses: procedure.input(ConversationId).output(z.array(ContextStatus)),
  interrupt: procedure.input(PathId).output(z.void()),
  /** What every later run of this path may reach. */
  grants: procedure.input(PathId).output(z.array(PathGrant)),
  /** Takes back what the run under way and the path were granted of the network, all but these rules. */
  narrow: procedure.input(z.object({ path: PathId, keep: z.array(GrantText).max(256) })).output(z.void()),
  /** Fetches official data into the working folder; ending the call stops it. */
  fetchFeed: procedure.input(FetchFeed).output(Fetched),
  restart: procedure.input(PathId).output(z.void()),
  end: procedure.input(PathId).output(z.void()),
  /** Ends the sandbox so that the next run starts in a new one, with the files. */
  rotate: procedure.input(PathId).output(z.void()),
  /** Every kind of sandbox: what it gives here, and why one cannot be had. */
  choices: procedure.output(z.array(SandboxChoice)),
  /** Moves a path to another kind of sandbox; answers when it is there. Its variables are gone. */
  move: procedure.input(MovePath).output(ContextStatus),
  variables: procedure.input(z.object({ path: PathId, language: Language })).output(z.array(Variable)),
  complete: procedure.input(inKernel).output(z.array(Completion)),
  hover: procedure.input(inKernel).output(Hover.nullable()),
  /** Rows of a variable that holds a data frame, from one on. */
  table: procedure
    .input(
      z.object({ path: PathId, language: Language, name: z.string().max(1000), from: z.number().int().nonnegative() }),
    )
    .output(TablePiece),
  /** Code as its language's formatter writes it. */
  format: procedure.input(z.object({ language: Language, code: Code })).output(z.string()),
  usage: procedure.input(PathId).output(Usage),
  files: procedure
    .input(z.object({ path: PathId, folder: z.string().max(4096).default('') }))
    .output(z.array(WorkFile)),
  /** A piece of a file, base64; `done` when it was the last. */
  readFile: procedure.input(fileAt.extend(piece.shape)).output(Piece),
  writeFile: procedure.input(fileAt.extend({ upload: z.uuid() })).output(z.void()),
  removeFile: procedure.input(fileAt).output(z.void()),
}

/** An upload is used once, by what it was made for. */
export const uploadsContract = {
  begin: procedure
    .input(z.object({ name: z.string().min(1).max(1000), bytes: z.number().int().nonnegative() }))
    .output(z.object({ upload: z.uuid() })),
  piece: procedure.input(z.object({ upload: z.uuid(), data: z.base64() })).output(z.void()),
}
