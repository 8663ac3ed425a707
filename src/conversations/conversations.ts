import type { Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { BinEntry, BinRef } from '../contract/bin.ts'
import type { Caller } from '../contract/caller.ts'
import type { PathRef } from '../contract/contexts.ts'
import type {
  BranchPath,
  ChangeLanguage,
  ClearOutputs,
  ComparePaths,
  Comparison,
  ConversationChange,
  ConversationSummary,
  ConversationTree,
  CreateConversation,
  Draft,
  EditItem,
  EditResult,
  Exported,
  ExportPath,
  Imported,
  InsertItems,
  Item,
  ItemId,
  MergePath,
  MergeResult,
  MoveItems,
  OpenedPath,
  OpenPathRequest,
  OutputId,
  PathSummary,
  RemoveItems,
  RenameConversation,
  RenamePath,
  Revision,
  SearchHit,
  SearchRequest,
  Template,
  UndoMerge,
  UndoResult,
  Version,
} from '../contract/conversations.ts'
import type { FigureRef, MoveFigure, PinFigure, RenameFigure } from '../contract/figures.ts'
import type { CellId, ConversationId, FigureId, PathId, RunId, TenantId, UserId } from '../contract/ids.ts'
import type { Outcome } from '../contract/problem.ts'
import type { Output, RiskLevel } from '../contract/run.ts'
import type { Ids } from '../ids.ts'
import type { Passed } from '../privacy/privacy.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import { emptyBin, erase, readBin } from './bin.ts'
import { compare } from './compare.ts'
import { duplicate, fromTemplate, listTemplates, removeTemplate, saveTemplate } from './copying.ts'
import { dropDraft, readDrafts, saveDraft } from './drafts.ts'
import { changeLanguage, clearOutputs, edit, insert, move, removeItems } from './editing.ts'
import { exportPath } from './exporting/export.ts'
import { merge } from './merge.ts'
import { importNotebook } from './notebooks/import.ts'
import {
  allItems,
  cellNow,
  deletedPaths,
  locate,
  openPath,
  revisionsOf,
  someItems,
  stalePath,
  whereRan,
  wholeOutput,
} from './opening.ts'
import type { InsertedWith } from './operation.ts'
import { archivePath, branch, deletePath, renamePath, restorePath } from './paths.ts'
import { movePin, type Pin, pin, readPins, renamePin, unpin } from './pins.ts'
import { type CellResult, resultsOf } from './results.ts'
import { recordRun } from './running.ts'
import { openSample } from './sample.ts'
import { search } from './search.ts'
import { shownRuns } from './shown-runs.ts'
import { type Depends, remembering } from './stale.ts'
import { create, list, readTree, remove, rename, restore } from './tree.ts'
import { redo, undo, undoMerge } from './undo.ts'

export type { Caller } from '../contract/caller.ts'
export { fileNameFor } from './exporting/export.ts'
export { plainText } from './exporting/plain.ts'
export { type Labelled, numbersIn } from './numbers.ts'
export type { Pin } from './pins.ts'
export { type Replayed, replayReport } from './replaying.ts'
export type { CellResult, ShownOutput } from './results.ts'

/** A cell's run that came to its end. */
export interface FinishedCell {
  readonly run: RunId
  readonly path: PathId
  readonly cell: CellId
  /** The code that ran: the cell is stale from the start when it was changed meanwhile. */
  readonly code: string
  readonly language: string
  readonly success: boolean
  readonly risk: RiskLevel
  readonly finishedAt: number
  readonly durationMs: number
  readonly outputs: readonly Output[]
  /** When the result was made, where a kept one was shown in place of a run. */
  readonly keptFrom: number | null
}

/** What stands where a run came from. `beside`: it came from no cell, so there is nothing that could have changed. */
export type CellNow =
  | {
      readonly kind: 'cell'
      readonly text: string
      readonly language: string
      readonly revision: Version
      /** Everyone who wrote any revision of it, here or where it was copied or merged from. */
      readonly authors: readonly UserId[]
    }
  | { readonly kind: 'beside' }
  | { readonly kind: 'gone'; readonly what: 'cell' | 'path' }

/**
 * The tree of paths. Each changing operation is one transaction with one audit entry. What belongs to another tenant
 * is not found. A branch sees its parent up to the branch point as it was then: by reference, and for good.
 */
export interface Conversations {
  create(who: Caller, request: CreateConversation): Promise<Outcome<ConversationTree>>
  /** Newest activity first; with `deleted`, the ones that can be restored. */
  list(who: Caller, options?: { deleted?: boolean }): Promise<ConversationSummary[]>
  tree(who: Caller, conversation: ConversationId): Promise<Outcome<ConversationTree>>
  rename(who: Caller, request: RenameConversation): Promise<Outcome<ConversationSummary>>
  remove(who: Caller, conversation: ConversationId): Promise<Outcome<ConversationSummary>>
  restore(who: Caller, conversation: ConversationId): Promise<Outcome<ConversationSummary>>

  /** The conversation that a path belongs to, for what is kept by conversation: sandboxes, records. */
  locate(who: Caller, path: PathId): Promise<Outcome<ConversationId>>
  open(who: Caller, request: OpenPathRequest): Promise<Outcome<OpenedPath>>
  /** Some items of a path as they are now, in the path's order; the ones that are gone are left out. */
  items(who: Caller, path: PathId, items: readonly ItemId[]): Promise<Outcome<Item[]>>
  /** Every item of a path at once, for whoever reads it all; none is said to be stale. */
  allItems(who: Caller, path: PathId): Promise<Outcome<Item[]>>
  /** The cells whose output does not follow from what the path says now, in order: themselves or what they depend on changed. */
  stale(who: Caller, path: PathId): Promise<Outcome<ItemId[]>>
  /** A cell as it is now, for comparing it with what was approved; also of a path or conversation that is gone. */
  cellNow(who: Caller, path: PathId, cell: CellId | null): Promise<CellNow>
  output(who: Caller, output: OutputId): Promise<Outcome<Output>>
  /** The path on which a run of some cell was made. */
  whereRan(who: Caller, run: RunId): Promise<Outcome<PathRef>>
  /** All texts that an item had, as this path sees them, newest first. */
  revisions(who: Caller, path: PathId, item: ItemId): Promise<Outcome<Revision[]>>

  branch(who: Caller, request: BranchPath): Promise<Outcome<PathSummary>>
  renamePath(who: Caller, request: RenamePath): Promise<Outcome<PathSummary>>
  archivePath(who: Caller, path: PathId): Promise<Outcome<PathSummary>>
  /** Children keep what they inherited. A run under way is recorded all the same and is there after `restorePath`. */
  deletePath(who: Caller, path: PathId): Promise<Outcome<PathSummary>>
  /** Takes back an archiving or a deletion. */
  restorePath(who: Caller, path: PathId): Promise<Outcome<PathSummary>>
  deletedPaths(who: Caller, conversation: ConversationId): Promise<Outcome<PathSummary[]>>
  merge(who: Caller, request: MergePath): Promise<Outcome<MergeResult>>
  /**
   * Takes back one merge, while nothing else was changed on the target since. The source is what it was before; its
   * sandbox, and what waited there for an approval, stay ended.
   */
  undoMerge(who: Caller, request: UndoMerge): Promise<Outcome<UndoResult>>
  compare(who: Caller, request: ComparePaths): Promise<Outcome<Comparison>>

  insert(who: Caller, request: InsertItems, more?: InsertedWith): Promise<Outcome<Item[]>>
  edit(who: Caller, request: EditItem): Promise<Outcome<EditResult>>
  changeLanguage(who: Caller, request: ChangeLanguage): Promise<Outcome<Item>>
  move(who: Caller, request: MoveItems): Promise<Outcome<void>>
  removeItems(who: Caller, request: RemoveItems): Promise<Outcome<void>>
  clearOutputs(who: Caller, request: ClearOutputs): Promise<Outcome<void>>
  undo(who: Caller, path: PathId): Promise<Outcome<UndoResult>>
  redo(who: Caller, path: PathId): Promise<Outcome<UndoResult>>

  /** What the path has pinned, in order: its own, and what it saw pinned when it branched off. */
  pins(who: Caller, path: PathId): Promise<Outcome<Pin[]>>
  pin(who: Caller, request: PinFigure): Promise<Outcome<FigureId>>
  unpin(who: Caller, request: FigureRef): Promise<Outcome<void>>
  renamePin(who: Caller, request: RenameFigure): Promise<Outcome<void>>
  movePin(who: Caller, request: MoveFigure): Promise<Outcome<void>>
  /** What some cells left on this path, the newest run first; a cell that is not on the path is left out. */
  results(who: Caller, path: PathId, cells: readonly ItemId[]): Promise<Outcome<CellResult[]>>

  /** Keeps what is being typed; not an operation on the record. An empty item (`null`) is the message box. */
  saveDraft(who: Caller, draft: Omit<Draft, 'savedAt'>): Promise<Outcome<void>>
  dropDraft(who: Caller, draft: Pick<Draft, 'path' | 'item' | 'window'>): Promise<Outcome<void>>
  /** What was typed and never settled, over all conversations: what to offer after a crash. */
  drafts(who: Caller): Promise<Draft[]>

  search(who: Caller, request: SearchRequest): Promise<SearchHit[]>
  importNotebook(who: Caller, file: { name: string; bytes: Uint8Array }): Promise<Outcome<Imported>>
  export(who: Caller, request: ExportPath): Promise<Outcome<Exported>>
  /** What was deleted and can be had back with `restore` and `restorePath`. */
  bin(who: Caller): Promise<BinEntry[]>
  /** Deletes for good what lies in the bin. */
  erase(who: Caller, ref: BinRef): Promise<Outcome<void>>
  /** Lets go of what has lain in the bin for its time; answers how many. */
  emptyBin(who: Caller): Promise<number>
  duplicate(who: Caller, conversation: ConversationId): Promise<Outcome<ConversationTree>>
  templates(who: Caller): Promise<Template[]>
  saveTemplate(who: Caller, request: { path: PathId; name: string }): Promise<Outcome<Template>>
  fromTemplate(who: Caller, template: string): Promise<Outcome<ConversationTree>>
  removeTemplate(who: Caller, template: string): Promise<Outcome<void>>
  /** The conversation that ships with the application, as a new one of this tenant's. */
  openSample(who: Caller): Promise<Outcome<ConversationTree>>

  /**
   * Writes a finished run's outputs inside the transaction that also holds its audit entry, and answers what to
   * `announce` once that is committed; null when the cell does not exist.
   */
  recordRun(transaction: Transaction, finished: FinishedCell): Promise<ConversationChange | null>
  /** Which of these runs can still be looked at in a conversation, also in one that was deleted after `since`. */
  shownRuns(runs: readonly RunId[], since: number): Promise<Set<RunId>>
  announce(tenant: TenantId, change: ConversationChange): void
  /** Calls back after every committed change; the returned function ends that. */
  subscribe(listener: (change: ConversationChange, tenant: TenantId) => void): () => void
}

export interface ConversationsOptions {
  readonly storage: Storage
  readonly audit: Recorder
  readonly clock: Clock
  readonly ids: Ids
  /** What cells take from and leave for one another. */
  readonly dependencies: Depends
  /** What an export may carry out: texts in, the same texts with private values replaced out, in order. */
  readonly redact: (
    who: Caller,
    conversation: ConversationId,
    texts: readonly string[],
    /** What they go into, in words. */
    to: string,
  ) => Promise<Passed<readonly string[]>>
  /**
   * Ends what hangs on a path that was merged, archived or deleted, after that is committed: its sandbox, and what waits
   * for an approval. The operation answers when this has.
   */
  readonly pathEnded: (who: Caller, conversation: ConversationId, path: PathId, why: PathEnd) => Promise<void>
  /** Lets go of what else hangs on a path that is deleted for good, in the same transaction. */
  readonly pathErased?: (transaction: Transaction, path: PathRef) => Promise<void>
  /** What else of a conversation goes along with a copy of it: looked up first, and written in the copy's transaction. */
  readonly copying?: (who: Caller, from: ConversationId) => Promise<Follow>
  /** Where this installation keeps its own templates, a folder for each tenant. */
  readonly templates: string
  /** Told of every operation on a path after it is committed, whatever its kind; the operation answers when this has. */
  readonly pathChanged?: (who: Caller, change: ConversationChange) => Promise<void>
}

export type Follow = (transaction: Transaction, to: ConversationId) => Promise<void>

export type PathEnd = 'merged' | 'archived' | 'deleted'

export function createConversations(options: ConversationsOptions): Conversations {
  const { storage, audit, clock, ids, pathEnded, pathChanged, pathErased, redact, templates, copying } = options
  const listeners = new Set<(change: ConversationChange, tenant: TenantId) => void>()
  const announce = (tenant: TenantId, change: ConversationChange) => {
    for (const listener of listeners) listener(change, tenant)
  }
  const depends = remembering(options.dependencies)
  const desk = {
    ...{ storage, audit, clock, ids, announce, pathEnded, pathChanged, pathErased, redact, depends, templates },
    ...(copying && { copying }),
  }
  return {
    create: (who, request) => create(desk, who, request),
    list: (who, { deleted = false } = {}) => list(storage.read, who, deleted),
    tree: (who, conversation) => readTree(storage.read, who, conversation),
    rename: (who, request) => rename(desk, who, request),
    remove: (who, conversation) => remove(desk, who, conversation),
    restore: (who, conversation) => restore(desk, who, conversation),

    locate: (who, path) => locate(storage.read, who, path),
    whereRan: (who, run) => whereRan(storage.read, who, run),
    allItems: (who, path) => allItems(storage.read, who, path),
    open: (who, request) => openPath(storage.read, depends, who, request),
    items: (who, path, items) => someItems(storage.read, depends, who, path, items),
    stale: (who, path) => stalePath(storage.read, depends, who, path),
    cellNow: (who, path, cell) => cellNow(storage.read, who, path, cell),
    output: (who, output) => wholeOutput(storage.read, who, output),
    revisions: (who, path, item) => revisionsOf(storage.read, who, path, item),

    branch: (who, request) => branch(desk, who, request),
    renamePath: (who, request) => renamePath(desk, who, request),
    archivePath: (who, path) => archivePath(desk, who, path),
    deletePath: (who, path) => deletePath(desk, who, path),
    restorePath: (who, path) => restorePath(desk, who, path),
    deletedPaths: (who, conversation) => deletedPaths(storage.read, who, conversation),
    merge: (who, request) => merge(desk, who, request),
    undoMerge: (who, request) => undoMerge(desk, who, request),
    compare: (who, request) => compare(desk, who, request),

    insert: (who, request, more) => insert(desk, who, request, more),
    edit: (who, request) => edit(desk, who, request),
    changeLanguage: (who, request) => changeLanguage(desk, who, request),
    move: (who, request) => move(desk, who, request),
    removeItems: (who, request) => removeItems(desk, who, request),
    clearOutputs: (who, request) => clearOutputs(desk, who, request),
    undo: (who, path) => undo(desk, who, path),
    redo: (who, path) => redo(desk, who, path),

    pins: (who, path) => readPins(storage.read, who, path),
    pin: (who, request) => pin(desk, who, request),
    unpin: (who, request) => unpin(desk, who, request),
    renamePin: (who, request) => renamePin(desk, who, request),
    movePin: (who, request) => movePin(desk, who, request),
    results: (who, path, cells) => resultsOf(storage.read, depends, who, path, cells),

    saveDraft: (who, draft) => saveDraft(desk, who, draft),
    dropDraft: (who, draft) => dropDraft(desk, who, draft),
    drafts: who => readDrafts(storage.read, who),

    search: (who, request) => search(storage.read, who, request),
    importNotebook: (who, file) => importNotebook(desk, who, file, 'conversation.imported'),
    export: (who, request) => exportPath(desk, who, request),
    openSample: who => openSample(desk, who),
    bin: who => readBin(storage.read, who),
    erase: (who, ref) => erase(desk, who, ref),
    emptyBin: who => emptyBin(desk, who),
    duplicate: (who, conversation) => duplicate(desk, who, conversation),
    templates: who => listTemplates(desk, who),
    saveTemplate: (who, { path, name }) => saveTemplate(desk, who, path, name),
    fromTemplate: (who, template) => fromTemplate(desk, who, template),
    removeTemplate: (who, template) => removeTemplate(desk, who, template),

    recordRun: (transaction, finished) => recordRun(ids, transaction, finished),
    shownRuns: (runs, since) => shownRuns(storage.read, runs, since),
    announce,
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
