/** The files that a path has now, by the hash of its manifest. */
export interface PathFilesTable {
  tenant: string
  conversation: string
  path: string
  manifest: string
  at: number
}

export interface FileManifestsTable {
  hash: string
  tenant: string
  /** JSON. */
  files: string
}

/** What a run found and what it left, for replay. */
export interface RunFilesTable {
  run: string
  tenant: string
  conversation: string
  path: string
  before: string
  after: string
  at: number
}

export interface FilesTables {
  path_files: PathFilesTable
  file_manifests: FileManifestsTable
  run_files: RunFilesTable
}
