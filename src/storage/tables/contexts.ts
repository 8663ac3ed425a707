/** Execution contexts, one row for each that ever was. A row that has ended stays for the record. */
export interface ContextsTable {
  id: string
  tenant: string
  conversation: string
  path: string
  state: string
  reason: string | null
  message: string | null
  kind: string
  isolation: string | null
  sandbox: string | null
  /** JSON: what the sandbox was to be; null in rows that are older than this column. */
  placement: string | null
  /** JSON. */
  limits: string
  /** What reaches the sandbox from outside, encrypted; null where nothing is needed. */
  credentials: Uint8Array | null
  forked_from: string | null
  /** The process that holds the sandbox. */
  owner: string
  created_at: number
  last_used_at: number | null
  /** When its sandbox was paused; null while it is awake. */
  paused_at: number | null
  expires_at: number
  ended_at: number | null
  ended_by: string | null
  runs: number
  run_time_ms: number
  cpu_time_ms: number
  peak_memory_bytes: number
}

export interface ContextsTables {
  contexts: ContextsTable
}
