import { z } from 'zod'
import { Writer } from './caller.ts'
import { CellId, ConversationId, MessageId, PathId, RunId } from './ids.ts'
import { plainName } from './plain-name.ts'
import { Output, RiskLevel } from './run.ts'

/** A conversation is a tree of paths; a path is a sequence of items: messages and cells. */

export const ItemId = z.union([MessageId, CellId])
export type ItemId = z.infer<typeof ItemId>
export const OutputId = z.uuid().brand<'output'>().describe('output id')
export type OutputId = z.infer<typeof OutputId>

/** Every operation on a conversation takes the next version. The version of an item's last change is its revision. */
export const Version = z.number().int().nonnegative()
export type Version = z.infer<typeof Version>

export const authors = ['analyst', 'assistant', 'system'] as const
export const Author = z.enum(authors)
export type Author = z.infer<typeof Author>

/** What a cell is written in. Only those of `languages` run; `markdown` and `raw` are shown; others are kept as they came. */
export const CellLanguage = z.string().regex(/^[a-z0-9][a-z0-9+#._-]{0,31}$/, 'a short lower-case name')
export type CellLanguage = z.infer<typeof CellLanguage>

/** Longer texts are refused: an item is something that a person reads. */
export const maxTextChars = 2_000_000
export const ItemText = z.string().max(maxTextChars)
export const Name = z.string().overwrite(plainName).min(1).max(200)

/** An output of a cell. One larger than 64 KB comes as a preview; `output` fetches the whole by id. */
export const OutputView = z.discriminatedUnion('whole', [
  z.object({ whole: z.literal(true), id: OutputId, output: Output }),
  z.object({
    whole: z.literal(false),
    id: OutputId,
    type: z.enum(['stream', 'display', 'result', 'error', 'notice']),
    mimeTypes: z.array(z.string()),
    bytes: z.number().int(),
    preview: z.string(),
  }),
])
export type OutputView = z.infer<typeof OutputView>

/** What a cell's last run on this path left behind; for an inherited cell, what the parent's had left at the branching. */
export const LastRun = z.object({
  /** Null for outputs that came with an imported notebook. */
  run: RunId.nullable(),
  /** Where it ran: another path when it was inherited or merged. */
  path: PathId,
  count: z.number().int().nullable(),
  finishedAt: z.number().nullable(),
  durationMs: z.number().nullable(),
  success: z.boolean().nullable(),
  risk: RiskLevel.nullable(),
  /** When the result was made, where a kept one was shown in place of a run. */
  keptFrom: z.number().nullable(),
  /** The cell, or one before it that it depends on, was changed after this run. */
  stale: z.boolean(),
  outputs: z.array(OutputView),
})
export type LastRun = z.infer<typeof LastRun>

const item = {
  /** Version of the last change as this path sees it; hand it back as `expectedRevision` when editing. */
  revision: Version,
  author: Author,
  text: z.string(),
  /** True while this path shows what its parent had; an edit here makes it this path's own. */
  inherited: z.boolean(),
  changedAt: z.number(),
}
export const Message = z.object({ kind: z.literal('message'), id: MessageId, ...item })
export const Cell = z.object({
  kind: z.literal('cell'),
  id: CellId,
  ...item,
  language: CellLanguage,
  lastRun: LastRun.nullable(),
})
export const Item = z.discriminatedUnion('kind', [Message, Cell])
export type Message = z.infer<typeof Message>
export type Cell = z.infer<typeof Cell>
export type Item = z.infer<typeof Item>

/** `archived` paths can be read and restored, not changed; `deleted` ones can be restored. */
export const pathStates = ['open', 'archived', 'deleted'] as const
export const PathState = z.enum(pathStates)
export type PathState = z.infer<typeof PathState>

export const PathSummary = z.object({
  id: PathId,
  name: z.string(),
  /** Null for the first path, `main`. The parent may be deleted: what was inherited stays. */
  parent: PathId.nullable(),
  /** The nearest ancestor that is not deleted: where the tree shows it. */
  shownUnder: PathId.nullable(),
  /** The last inherited item; null when it inherits nothing. */
  branchPoint: ItemId.nullable(),
  branchVersion: Version,
  itemCount: z.number().int().nonnegative(),
  /** The highest of what has run on it; a later edit does not take it back. Null before the first run. */
  risk: RiskLevel.nullable(),
  state: PathState,
  /** Started from a copy of the parent's live variables and files. */
  withState: z.boolean(),
  mergedInto: z.object({ path: PathId, at: z.number() }).nullable(),
  createdAt: z.number(),
  lastActivityAt: z.number(),
})
export type PathSummary = z.infer<typeof PathSummary>

export const ConversationSummary = z.object({
  id: ConversationId,
  title: z.string(),
  main: PathId,
  pathCount: z.number().int(),
  version: Version,
  createdAt: z.number(),
  lastActivityAt: z.number(),
  deletedAt: z.number().nullable(),
})
export type ConversationSummary = z.infer<typeof ConversationSummary>

/** The tree: every path that is not deleted, parents before children. */
export const ConversationTree = z.object({ conversation: ConversationSummary, paths: z.array(PathSummary) })
export type ConversationTree = z.infer<typeof ConversationTree>

/** Text that was typed and not yet settled, kept so that a crash loses none of it. `item` null: the message box. */
export const Draft = z.object({
  path: PathId,
  item: ItemId.nullable(),
  /** Names the window, so that two of them do not overwrite each other's. */
  window: z.string().min(1).max(100),
  baseRevision: Version.nullable(),
  text: ItemText,
  savedAt: z.number(),
})
export type Draft = z.infer<typeof Draft>

/** Where the next piece of a long path starts. Opaque: hand it back as it came. */
export const Cursor = z.object({ version: Version, offset: z.number().int().positive() })
export type Cursor = z.infer<typeof Cursor>

/** A path as of one version. A long one comes in pieces of a few megabytes; all pieces speak of the same version. */
export const OpenedPath = z.object({
  path: PathSummary,
  version: Version,
  items: z.array(Item),
  next: Cursor.nullable(),
  drafts: z.array(Draft),
  canUndo: z.boolean(),
  canRedo: z.boolean(),
})
export type OpenedPath = z.infer<typeof OpenedPath>
export const OpenPathRequest = z.object({ path: PathId, cursor: Cursor.optional() })
export type OpenPathRequest = z.infer<typeof OpenPathRequest>

export const Revision = z.object({
  version: Version,
  path: PathId,
  text: z.string(),
  language: CellLanguage.nullable(),
  removed: z.boolean(),
  by: Writer,
  at: z.number(),
})
export type Revision = z.infer<typeof Revision>

/** Where an item goes: after another, at the start (`null`) or, left out, at the end. */
export const Place = z.object({ after: ItemId.nullable().optional() })
export type Place = z.infer<typeof Place>

export const NewItem = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('message'), author: Author, text: ItemText }),
  z.object({ kind: z.literal('cell'), author: Author, language: CellLanguage, text: ItemText }),
])
export type NewItem = z.infer<typeof NewItem>

export const CreateConversation = z.object({ title: Name })
export type CreateConversation = z.infer<typeof CreateConversation>
export const RenameConversation = z.object({ conversation: ConversationId, title: Name })
export type RenameConversation = z.infer<typeof RenameConversation>

/** `after` is the last item that the branch sees; null branches off before the first. */
export const BranchPath = z.object({
  path: PathId,
  after: ItemId.nullable(),
  name: Name.optional(),
  withState: z.boolean().default(false),
})
export type BranchPath = z.input<typeof BranchPath>
export const RenamePath = z.object({ path: PathId, name: Name })
export type RenamePath = z.infer<typeof RenamePath>

/** Several items come in as one operation with one undo. What an assistant or a chat adds is not `undoable`. */
export const InsertItems = z.object({
  path: PathId,
  ...Place.shape,
  items: z.array(NewItem).min(1).max(10_000),
  undoable: z.boolean().default(true),
})
export type InsertItems = z.input<typeof InsertItems>

export const EditItem = z.object({
  path: PathId,
  item: ItemId,
  text: ItemText,
  /** The revision that the person was looking at. */
  expectedRevision: Version,
  window: z.string().min(1).max(100).optional(),
})
export type EditItem = z.infer<typeof EditItem>

/** When another window changed the item first, nothing is written over: both texts come back, and yours is kept as a draft. */
export const EditResult = z.discriminatedUnion('result', [
  z.object({ result: z.literal('saved'), item: Item }),
  z.object({ result: z.literal('conflict'), current: Item, base: z.string(), yours: z.string() }),
])
export type EditResult = z.infer<typeof EditResult>

export const ChangeLanguage = z.object({ path: PathId, item: CellId, language: CellLanguage })
export type ChangeLanguage = z.infer<typeof ChangeLanguage>
export const MoveItems = z.object({ path: PathId, items: z.array(ItemId).min(1).max(10_000), ...Place.shape })
export type MoveItems = z.infer<typeof MoveItems>
export const RemoveItems = z.object({ path: PathId, items: z.array(ItemId).min(1).max(10_000) })
export type RemoveItems = z.infer<typeof RemoveItems>
/** Without `items`: of all cells. */
export const ClearOutputs = z.object({ path: PathId, items: z.array(CellId).optional() })
export type ClearOutputs = z.infer<typeof ClearOutputs>

export const MergePath = z.object({
  source: PathId,
  target: PathId,
  what: z.discriminatedUnion('mode', [
    z.object({ mode: z.literal('whole') }),
    z.object({ mode: z.literal('selected'), items: z.array(ItemId).min(1) }),
    /** Without a text, one is put together from what the path asked and found. */
    z.object({ mode: z.literal('summary'), text: ItemText.optional() }),
  ]),
})
export type MergePath = z.infer<typeof MergePath>
export const MergeResult = z.object({
  /** The version of the target that the merge made: `undoMerge` takes back exactly this one. */
  version: Version,
  added: z.array(ItemId),
  changed: z.array(ItemId),
  removed: z.array(ItemId),
  /** Items that both paths had changed: the target kept its own, the source's was added below as `added`. */
  conflicts: z.array(z.object({ item: ItemId, added: ItemId })),
})
export type MergeResult = z.infer<typeof MergeResult>

export const UndoMerge = z.object({ target: PathId, version: Version })
export type UndoMerge = z.infer<typeof UndoMerge>

/** What undo and redo did: the items that changed. */
export const UndoResult = z.object({ items: z.array(ItemId), canUndo: z.boolean(), canRedo: z.boolean() })
export type UndoResult = z.infer<typeof UndoResult>

/** A number found in the output of both sides under the same label. */
export const NumberPair = z.object({
  label: z.string(),
  left: z.number(),
  right: z.number(),
  unit: z.string(),
  absolute: z.number(),
  /** Right against left, as a share of left; null when left is zero. */
  relative: z.number().nullable(),
})
export type NumberPair = z.infer<typeof NumberPair>
export const ComparedRow = z.object({
  status: z.enum(['same', 'changed', 'left-only', 'right-only']),
  left: Item.nullable(),
  right: Item.nullable(),
  outputs: z.enum(['none', 'same', 'changed']),
  numbers: z.array(NumberPair),
})
export type ComparedRow = z.infer<typeof ComparedRow>
export const ComparePaths = z.object({ left: PathId, right: PathId })
export type ComparePaths = z.infer<typeof ComparePaths>
export const Comparison = z.object({
  left: PathSummary,
  right: PathSummary,
  rows: z.array(ComparedRow),
  counts: z.object({ same: z.number(), changed: z.number(), leftOnly: z.number(), rightOnly: z.number() }),
})
export type Comparison = z.infer<typeof Comparison>

/** What replaying one cell showed, against what is on record. */
export const replayVerdicts = ['identical', 'different', 'not-reproducible'] as const
export const CellVerdict = z.object({
  cell: CellId,
  verdict: z.enum(replayVerdicts),
  /** A sentence: what differs, or why it could not be reproduced. */
  reason: z.string(),
  differences: z.array(
    z.object({ what: z.string(), recorded: z.string(), replayed: z.string(), numbers: z.array(NumberPair) }),
  ),
})
export type CellVerdict = z.infer<typeof CellVerdict>
export const ReplayReport = z.object({
  path: PathId,
  verdict: z.enum(replayVerdicts),
  cells: z.array(CellVerdict),
  counts: z.record(z.enum(replayVerdicts), z.number().int()),
})
export type ReplayReport = z.infer<typeof ReplayReport>

export const SearchRequest = z.object({
  text: z.string().min(1).max(500),
  conversation: ConversationId.optional(),
  limit: z.number().int().min(1).max(200).default(50),
})
export type SearchRequest = z.input<typeof SearchRequest>
export const SearchHit = z.object({
  where: z.enum(['title', 'path', 'message', 'code', 'output']),
  conversation: ConversationId,
  title: z.string(),
  path: PathId,
  pathName: z.string(),
  item: ItemId.nullable(),
  /** The text around the match; `marks` are the [start, end) places of what matched in it. */
  snippet: z.string(),
  marks: z.array(z.tuple([z.number().int(), z.number().int()])),
  at: z.number(),
})
export type SearchHit = z.infer<typeof SearchHit>

export const exportFormats = ['ipynb', 'markdown', 'html'] as const
export const ExportPath = z.object({
  path: PathId,
  format: z.enum(exportFormats),
  /** The other paths too, as metadata of the notebook. */
  branches: z.boolean().default(true),
})
export type ExportPath = z.input<typeof ExportPath>
export const Exported = z.object({ fileName: z.string(), mediaType: z.string(), text: z.string() })
export type Exported = z.infer<typeof Exported>
export const Imported = z.object({
  conversation: ConversationSummary,
  /** What was repaired or left as it was, in sentences. */
  notices: z.array(z.string()),
})
export type Imported = z.infer<typeof Imported>

/** Something changed: `items` are the ones to fetch again, null when all of the path may have. */
export const ConversationChange = z.object({
  conversation: ConversationId,
  path: PathId.nullable(),
  version: Version,
  what: z.enum(['conversation', 'paths', 'items', 'drafts']),
  items: z.array(ItemId).nullable(),
  /** These items came to the end of the path, in this order, and nothing else has changed: neither the rest nor what undo does. */
  appended: z.boolean().optional(),
})
export type ConversationChange = z.infer<typeof ConversationChange>

/** A path that others can begin from. */
export const Template = z.object({ id: z.string(), name: z.string(), own: z.boolean(), about: z.string() })
export type Template = z.infer<typeof Template>
