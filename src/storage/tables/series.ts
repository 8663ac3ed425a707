/** Cells of a path that run one after the other. */
export interface SeriesTable {
  path: string
  tenant: string
  /** The process that runs them. */
  owner: string
  /** JSON: the cell that has its turn, its run, how many came before it, and those that wait. */
  state: string
}

export interface SeriesTables {
  series: SeriesTable
}
