import type { z } from 'zod'
import type { RunId } from '../contract/ids.ts'
import type { ToolTask, Undoing } from '../contract/workflow.ts'
import type { Graph } from './graph.ts'
import type { Stored } from './store.ts'

export interface UndoingParts {
  /** Whether a tool may have changed something elsewhere. */
  hasEffects(task: z.infer<typeof ToolTask>): Promise<boolean>
  /** Whether the code of a run was handed over, by the record. */
  wasBegun(run: RunId): Promise<boolean>
}

/** What an abort drops, and what it cannot take back: tools that acted, or were being called, outside of this machine. */
export async function undoingOf({ tasks }: Stored, { spec, layers }: Graph, parts: UndoingParts): Promise<Undoing> {
  const dropped = new Set<string>()
  const lasting: string[] = []
  for (const name of layers.flat()) {
    const { state = 'pending', run = null, earlier = [], changes = null } = tasks.get(name) ?? {}
    for (const { path } of changes?.written ?? []) dropped.add(path)
    for (const path of changes?.removed ?? []) dropped.add(path)
    const task = spec.tasks[name]
    if (task?.type !== 'mcp_tool') continue
    const runs = run === null ? earlier : [run, ...earlier]
    const mayHaveActed = (run !== null && state === 'completed') || (await some(runs, each => parts.wasBegun(each)))
    if (mayHaveActed && (await parts.hasEffects(task))) lasting.push(name)
  }
  return { dropped: [...dropped].sort(), lasting }
}

async function some<T>(all: readonly T[], holds: (each: T) => Promise<boolean>): Promise<boolean> {
  for (const each of all) if (await holds(each)) return true
  return false
}
