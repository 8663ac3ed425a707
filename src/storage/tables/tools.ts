export interface ToolResultsTable {
  run: string
  server: string
  tool: string
  arguments_hash: string
  /** Among the calls of the run that have the same tool and arguments, from 1. */
  ordinal: number
  tenant: string
  conversation: string
  path: string
  tool_hash: string
  result_hash: string
  /** JSON; null where it lies among the files, by `result_hash`. */
  result: string | null
  bytes: number
  created_at: number
}

export interface ToolTables {
  tool_results: ToolResultsTable
}
