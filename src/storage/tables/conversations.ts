import type { Generated } from 'kysely'
import type { Author, ItemId, MergePath, OutputId, PathState } from '../../contract/conversations.ts'
import type { ConversationId, PathId, RunId, TenantId, UserId } from '../../contract/ids.ts'
import type { RiskLevel } from '../../contract/run.ts'

export interface ConversationsTable {
  id: ConversationId
  tenant: TenantId
  title: string
  main: PathId
  /** The last one given out: each operation takes the next. */
  version: number
  /** JSON: what an imported notebook carried at its top that is not ours. */
  notebook: string | null
  created_by: UserId
  created_at: number
  last_activity_at: number
  deleted_at: number | null
}

export interface PathsTable {
  id: PathId
  conversation: ConversationId
  name: string
  parent: PathId | null
  /** The last inherited item and its position at `branch_version`; items of the parent beyond it are not seen. */
  branch_item: ItemId | null
  branch_version: number
  branch_position: string
  /** No item of this path stands beyond it, so that appending need not look at them all. */
  end_position: string
  item_count: number
  run_count: number
  /** The highest of what has run here. */
  risk: RiskLevel | null
  state: PathState
  deleted_at: number | null
  with_state: number
  merged_into: PathId | null
  merged_at: number | null
  created_at: number
  last_activity_at: number
}

/** What never changes about an item, on whatever path. */
export interface ItemsTable {
  id: ItemId
  conversation: ConversationId
  kind: 'message' | 'cell'
  author: Author
  /** JSON: id, metadata, attachments of the notebook cell that it came from. */
  notebook: string | null
}

export interface TextsTable {
  id: Generated<number>
  conversation: ConversationId
  hash: string
  text: string
}

/** The latest row of a path and item, up to a version, is what the path shows; `inherited` lifts the path's own word. */
export interface RevisionsTable {
  path: PathId
  item: ItemId
  version: number
  state: 'present' | 'removed' | 'inherited'
  position: string
  language: string | null
  text: number
  /** Who wrote it, and the model that did so for them; moving or restoring a text is not writing it. */
  author: UserId
  assistant: string | null
  at: number
}

/** The latest row of a path and item is the last run there; without `outputs_of` its outputs were cleared. */
export interface ExecutionsTable {
  path: PathId
  item: ItemId
  version: number
  outputs_of: string | null
  run: RunId | null
  ran_on: PathId
  count: number | null
  finished_at: number | null
  duration_ms: number | null
  success: number | null
  risk: RiskLevel | null
  /** What ran; the cell is stale when it says something else now. */
  language: string | null
  text: number | null
  /** When the result was made, where a kept one was shown in place of a run. */
  kept_from: Generated<number | null>
}

export interface OutputsTable {
  n: Generated<number>
  id: OutputId
  conversation: ConversationId
  set_id: string
  place: number
  type: 'stream' | 'display' | 'result' | 'error' | 'notice'
  bytes: number
  /** JSON: MIME types and, where the body is too large to come along, a preview. */
  summary: string
  /** JSON: what a notebook's output carried beyond what we know. */
  extra: string | null
  body: string
}

export interface EditsTable {
  path: PathId
  version: number
  undone: number
}

export interface MergesTable {
  source: PathId
  target: PathId
  version: number
  /** Only a whole merge leaves the two in agreement; after the others there is more to bring over. */
  mode: MergePath['what']['mode']
  merged_at: number | null
}

export interface DraftsTable {
  path: PathId
  /** Empty for the message box. */
  item: ItemId | ''
  window: string
  base_revision: number | null
  text: string
  saved_by: UserId
  saved_at: number
}

export interface ConversationsTables {
  conversations: ConversationsTable
  paths: PathsTable
  items: ItemsTable
  texts: TextsTable
  revisions: RevisionsTable
  executions: ExecutionsTable
  outputs: OutputsTable
  edits: EditsTable
  merges: MergesTable
  drafts: DraftsTable
}
