import type { z } from 'zod'
import type { ForceTool } from '../contract/chat.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { CellId } from '../contract/ids.ts'
import type { Caller } from '../conversations/conversations.ts'
import { type Desk, orProblem } from './desk.ts'
import { measured } from './measured.ts'

/** A tool that a person uses without any model: its cell is made and run like any other (row T3). */
export async function byHand(
  desk: Desk,
  who: Caller,
  ref: PathRef,
  asked: z.output<typeof ForceTool>,
): Promise<{ cell: CellId }> {
  const { language, code } = asked.tool === 'run_code' ? asked : orProblem(await desk.analyses.cellFor(asked))
  const { path } = asked
  const items = [{ kind: 'cell' as const, author: 'analyst' as const, language, text: code }]
  const [item] = orProblem(await desk.conversations.insert(who, { path, items }))
  if (item?.kind !== 'cell') throw new Error('a cell vanished while it was written')
  const { id: cell, revision } = item
  const timeoutMs = asked.tool === 'run_code' ? asked.timeoutMs : undefined
  const run = { path, cell, revision, ...(timeoutMs ? { timeoutMs } : {}) }
  const { rest } = orProblem(await desk.runs.start(who, run))
  void measured(desk, ref, { tool: asked.tool, forced: true }, () => rest).catch(() => undefined)
  return { cell }
}
