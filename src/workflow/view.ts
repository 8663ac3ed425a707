import type { Task, TaskView, WorkflowView } from '../contract/workflow.ts'
import { Edited, type Loaded, type Stored } from './store.ts'
import { inputsFor, resultsIn, runsOfAttempt } from './task.ts'

/** A workflow as windows and terminals see it, in the order of its layers. */
export function viewOf({ intact, workflow, tasks, graph }: Loaded): WorkflowView {
  const goesOn = workflow.state === 'running' || workflow.state === 'waiting'
  return {
    id: workflow.id,
    name: workflow.name,
    conversation: workflow.conversation,
    path: workflow.path,
    state: !intact && goesOn ? 'failed' : workflow.state,
    problem: intact ? workflow.problem : new Edited(workflow.id).problem,
    startedBy: workflow.started_by,
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
            given: task.type === 'approval' ? givenTo(task, tasks) : null,
            candidates: candidatesIn(task),
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

/** What a question is asked about; null until all of it is there. */
function givenTo(task: Task, tasks: Stored['tasks']): TaskView['given'] {
  const given = inputsFor(task, resultsIn(tasks))
  return given.ok ? { ...given.value } : null
}

function candidatesIn(task: Task): TaskView['candidates'] {
  if (task.type !== 'code_execution' || !task.candidates) return null
  return { count: task.candidates, from: task.sandbox === 'shared' ? 'variables' : 'files' }
}
