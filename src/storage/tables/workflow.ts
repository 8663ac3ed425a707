export interface WorkflowsTable {
  id: string
  tenant: string
  conversation: string
  path: string
  name: string
  /** The graph as its author wrote it. */
  source: string
  state: string
  /** Layers that are over. */
  layers_done: number
  /** JSON: the path's files when it began, to notice what changed beside it. */
  base: string
  /** Raised by whoever takes the workflow on; who has an older one may write nothing more. */
  epoch: number
  /** The process that carries it out; null while nobody does. */
  owner: string | null
  problem: string | null
  started_by: string
  created_at: number
  updated_at: number
  finished_at: number | null
  seal: string
}

export interface WorkflowTasksTable {
  workflow: string
  tenant: string
  task: string
  state: string
  attempt: number
  run: string | null
  /** JSON: the runs of attempts before that one. */
  earlier: string
  request: string | null
  /** JSON. */
  outputs: string | null
  /** JSON: files written, by content, and removed. */
  changes: string | null
  problem: string | null
  started_at: number | null
  finished_at: number | null
  seal: string
}

export interface WorkflowGraphsTable {
  workflow: string
  tenant: string
  /** Of the application that wrote it. */
  version: string
  /** JSON: the graph as it was read from its text. */
  graph: string
  seal: string
}

export interface WorkflowTables {
  workflows: WorkflowsTable
  workflow_graphs: WorkflowGraphsTable
  workflow_tasks: WorkflowTasksTable
}
