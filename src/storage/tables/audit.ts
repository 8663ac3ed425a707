import type { ColumnType } from 'kysely'

/** The chain. */
export interface AuditEntriesTable {
  seq: number
  hash: string
  /** Canonical JSON; null once retention has emptied it. */
  entry: string | null
  /** Made with a key that the database does not hold; null on entries from before there were seals. */
  seal: Uint8Array | null
}

/** Texts by content hash. */
export interface AuditBodiesTable {
  hash: string
  codec: 'plain' | 'deflate'
  data: Uint8Array
}

/** What a commitment stands for, until it is erased. */
export interface AuditPersonalTable {
  commitment: string
  salt: Uint8Array
  value: string
  seq: number
}

export interface AuditCheckpointsTable {
  size: number
  log: string
  root: string
  at: number
  key: string
  signature: string
}

/** The combinations of action, risk, result and sandbox that occur. */
export interface AuditKindsTable {
  kind: number
  action: string
  risk: string | null
  result: string | null
  sandbox: string | null
}

/** What filters look at, read out of the entries after they were written. */
export interface AuditIndexTable {
  seq: number
  at: number
  kind: number
  actor: string | null
  code_hash: string | null
  conversation: string | null
  path: string | null
  run: string | null
  request: string | null
}

/** Which entries refer to a text; when the last of them goes, so does the text. */
export interface AuditReferencesTable {
  hash: string
  seq: number
}

/** Roots of full subtrees of 256, 65,536 … entries, so that a proof needs few hashes. */
export interface AuditTilesTable {
  level: number
  place: number
  hash: string
}

/** Full-text index; its rowid is the entry's `seq`. It keeps no copy of the text. */
export interface AuditTextTable {
  rowid: ColumnType<number, number, never>
  text: ColumnType<never, string, never>
  facets: ColumnType<never, string, never>
}

export interface AuditTables {
  audit_entries: AuditEntriesTable
  audit_bodies: AuditBodiesTable
  audit_personal: AuditPersonalTable
  audit_checkpoints: AuditCheckpointsTable
  audit_kinds: AuditKindsTable
  audit_index: AuditIndexTable
  audit_references: AuditReferencesTable
  audit_tiles: AuditTilesTable
  audit_text: AuditTextTable
}
