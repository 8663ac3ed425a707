/** Who let which path go to the cloud. One that was taken back stays, with who took it back. */
export interface CloudConsentsTable {
  id: string
  tenant: string
  conversation: string
  path: string
  /** The host of the service that was named to the person. */
  service: string
  given_by: string
  given_at: number
  /** The path whose state a branch was given, and its consent with it. */
  branched_from: string | null
  ended_by: string | null
  ended_at: number | null
  seal: string
}

/** One row for each time that a machine of the service ran: from when it was made or woken until it was paused or ended. */
export interface CloudStretchesTable {
  id: string
  tenant: string
  /** Null for a sandbox that belongs to no path. */
  conversation: string | null
  path: string | null
  sandbox: string
  begun: string
  started_at: number
  /** The last time that it was known to run, so that a crash costs the count little. */
  seen_at: number
  is_over: number
  seal: string
}

export interface CloudTables {
  cloud_consents: CloudConsentsTable
  cloud_stretches: CloudStretchesTable
}
