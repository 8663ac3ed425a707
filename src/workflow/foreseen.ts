import type { PathRef } from '../contract/contexts.ts'
import type { WantedPlace } from '../contract/placement.ts'
import type { Problem } from '../contract/problem.ts'
import type { GraphFault, Task } from '../contract/workflow.ts'
import type { Caller } from '../conversations/conversations.ts'
import type { Graph } from './graph.ts'

export interface PlannedTask {
  readonly name: string
  readonly task: Task
  readonly wanted: WantedPlace | undefined
}

/** Why a task would be refused when its turn comes, and which of its inputs that is about; null where it is about none. */
export interface Obstacle {
  readonly problem: Problem
  readonly input: string | null
}

/** For each of these tasks what is known to speak against it. */
export type Obstacles = (who: Caller, path: PathRef, planned: readonly PlannedTask[]) => Promise<Obstacle[][]>

/** What would be refused halfway, before anything has run. Tasks that are over already are not looked at. */
export async function foreseen(
  obstaclesOf: Obstacles,
  { who, path }: { readonly who: Caller; readonly path: PathRef },
  { spec, placements, inputLines }: Graph,
  over: ReadonlySet<string> = new Set(),
): Promise<GraphFault[]> {
  const planned = Object.entries(spec.tasks).flatMap(([name, task]) =>
    over.has(name) ? [] : [{ name, task, wanted: placements.get(name)?.wanted }],
  )
  const obstacles = await obstaclesOf(who, path, planned)
  return planned.flatMap(({ name }, at) =>
    (obstacles[at] ?? []).map(({ problem: { message, hint }, input }) => {
      const line = input === null ? placements.get(name)?.line : inputLines.get(`${name}.${input}`)
      return { message: `${name}: ${message} ${hint}`, line: line ?? null }
    }),
  )
}
