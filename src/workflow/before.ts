import type { Manifest } from '../contract/files.ts'
import { withChanges } from '../files/files.ts'
import type { Graph } from './graph.ts'
import type { TaskRow } from './store.ts'
import { type Before, type Changes, inputsFor, joinChanges, resultsIn } from './task.ts'

/**
 * The tasks that are over whose variables belong into the shared sandbox, in the order in which they ran. Candidates are
 * not among them: their variables go with their forks.
 */
export function sharedBefore(
  { spec, layers }: Pick<Graph, 'spec' | 'layers'>,
  tasks: ReadonlyMap<string, TaskRow>,
  base: Manifest,
): Before[] {
  const found: Before[] = []
  let files = base
  for (const layer of layers) {
    const over = layer.flatMap(name => {
      const row = tasks.get(name)
      return row?.state === 'completed' ? [row] : []
    })
    for (const row of over.toSorted((a, b) => (a.finished_at ?? 0) - (b.finished_at ?? 0))) {
      const task = spec.tasks[row.task]
      if (task?.type !== 'code_execution' || task.sandbox !== 'shared' || task.candidates) continue
      const inputs = inputsFor(task, resultsIn(tasks))
      if (!inputs.ok) continue
      const { task: name, run, outputs, changes } = row
      found.push({ name, task, run, inputs: inputs.value, files, outputs: outputs ?? {}, changes: changes ?? nothing })
    }
    const joined = joinChanges(new Map(over.map(({ task, changes }) => [task, changes ?? nothing])))
    if (over.length < layer.length || !joined.ok) break
    files = withChanges(files, joined.value)
  }
  return found
}

const nothing: Changes = { written: [], removed: [] }
