/** Cells whose results somebody wants kept. */
export interface KeptCellsTable {
  tenant: string
  cell: string
}

/** A result that counts as long as nothing that it depends on, and nothing that it left, has changed. */
export interface KeptResultsTable {
  run: string
  tenant: string
  conversation: string
  path: string
  cell: string
  /** Hash of code, place, files and variables that it read. */
  inputs: string
  /** Hash of the variables and files that it left. */
  state: string
  /** JSON. */
  outcome: string
  at: number
  /** Over all other columns, with a key that the database does not hold. */
  seal: string
}

export interface KeptResultsTables {
  kept_cells: KeptCellsTable
  kept_results: KeptResultsTable
}
