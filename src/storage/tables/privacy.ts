/** What a token stands for. Values are sealed; the digest finds a value again without opening any. */
export interface VaultTokensTable {
  conversation: string
  token: string
  type: string
  kind: string
  nonce: Uint8Array
  sealed: Uint8Array
  digest: Uint8Array
}

/** What left the machine, or was held back. */
export interface DeparturesTable {
  id: string
  at: number
  destination: string
  recipient: string
  conversation: string | null
  mode: string
  result: string
  characters: number
  /** Counts by type, as JSON. */
  found: string
}

/** What a person said is no finding. */
export interface AllowedTable {
  id: string
  kind: string
  value: string
  type: string | null
  conversation: string | null
  note: string
  created_at: number
  seal: string
}

export interface PrivacyTables {
  vault_tokens: VaultTokensTable
  departures: DeparturesTable
  allowed: AllowedTable
}
