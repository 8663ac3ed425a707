import type { WorkflowView } from '../contract/workflow.ts'
import type { Graph } from './graph.ts'
import type { Stored } from './store.ts'
import { runsOfAttempt } from './task.ts'

/** A workflow as windows and terminals see it, in the order of its layers. */
export function viewOf({ workflow, tasks }: Stored, graph: Graph): WorkflowView {
  return {
    id: workflow.id,
    name: workflow.name,
    conversation: workflow.conversation,
    path: workflow.path,
    state: workflow.state,
    problem: workflow.problem,
    createdAt: workflow.created_at,
    updatedAt: workflow.updated_at,
    finishedAt: workflow.finished_at,
    tasks: graph.layers.flatMap((layer, at) =>
      layer.flatMap(name => {
        const row = tasks.get(name)
        const task = graph.spec.tasks[name]
        if (!row || !task) return []
        return [
          {
            name,
            type: task.type,
            layer: at,
            needs: [...(graph.needs.get(name) ?? [])],
            question: task.type === 'approval' ? task.question : null,
            placement: graph.placements.get(name)?.wanted ?? null,
            state: row.state,
            attempt: row.attempt,
            run: row.run,
            runs: row.run ? runsOfAttempt(task, row.run) : [],
            request: row.request,
            outputs: row.outputs,
            written: row.changes?.written.map(({ path }) => path) ?? [],
            removed: row.changes?.removed ?? [],
            problem: row.problem,
            startedAt: row.started_at,
            finishedAt: row.finished_at,
          },
        ]
      }),
    ),
  }
}
