import { z } from 'zod'
import { BinEntry, BinRef } from '../bin.ts'
import * as c from '../conversations.ts'
import { ConversationId, PathId } from '../ids.ts'
import { Output } from '../run.ts'
import { procedure } from './base.ts'

export const conversationsContract = {
  list: procedure.input(z.object({ deleted: z.boolean().default(false) })).output(z.array(c.ConversationSummary)),
  create: procedure.input(c.CreateConversation).output(c.ConversationTree),
  tree: procedure.input(ConversationId).output(c.ConversationTree),
  rename: procedure.input(c.RenameConversation).output(c.ConversationSummary),
  remove: procedure.input(ConversationId).output(c.ConversationSummary),
  restore: procedure.input(ConversationId).output(c.ConversationSummary),
  bin: procedure.output(z.array(BinEntry)),
  /** Deletes for good what lies in the bin. */
  erase: procedure.input(BinRef).output(z.void()),
  duplicate: procedure.input(ConversationId).output(c.ConversationTree),
  templates: procedure.output(z.array(c.Template)),
  saveTemplate: procedure.input(z.object({ path: PathId, name: c.Name })).output(c.Template),
  fromTemplate: procedure.input(z.string().max(300)).output(c.ConversationTree),
  removeTemplate: procedure.input(z.string().max(300)).output(z.void()),
  openSample: procedure.output(c.ConversationTree),
  search: procedure.input(c.SearchRequest).output(z.array(c.SearchHit)),
  /** Makes a conversation of an uploaded notebook. */
  importNotebook: procedure.input(z.object({ upload: z.uuid() })).output(c.Imported),
}

export const pathsContract = {
  open: procedure.input(c.OpenPathRequest).output(c.OpenedPath),
  items: procedure.input(z.object({ path: PathId, items: z.array(c.ItemId) })).output(z.array(c.Item)),
  stale: procedure.input(PathId).output(z.array(c.ItemId)),
  output: procedure.input(c.OutputId).output(Output),
  revisions: procedure.input(z.object({ path: PathId, item: c.ItemId })).output(z.array(c.Revision)),

  branch: procedure.input(c.BranchPath).output(c.PathSummary),
  rename: procedure.input(c.RenamePath).output(c.PathSummary),
  archive: procedure.input(PathId).output(c.PathSummary),
  remove: procedure.input(PathId).output(c.PathSummary),
  restore: procedure.input(PathId).output(c.PathSummary),
  deleted: procedure.input(ConversationId).output(z.array(c.PathSummary)),
  merge: procedure.input(c.MergePath).output(c.MergeResult),
  undoMerge: procedure.input(c.UndoMerge).output(c.UndoResult),
  compare: procedure.input(c.ComparePaths).output(c.Comparison),
  export: procedure.input(c.ExportPath).output(c.Exported),

  insert: procedure.input(c.InsertItems).output(z.array(c.Item)),
  edit: procedure.input(c.EditItem).output(c.EditResult),
  changeLanguage: procedure.input(c.ChangeLanguage).output(c.Item),
  move: procedure.input(c.MoveItems).output(z.void()),
  removeItems: procedure.input(c.RemoveItems).output(z.void()),
  clearOutputs: procedure.input(c.ClearOutputs).output(z.void()),
  undo: procedure.input(PathId).output(c.UndoResult),
  redo: procedure.input(PathId).output(c.UndoResult),

  saveDraft: procedure.input(c.Draft.omit({ savedAt: true })).output(z.void()),
  dropDraft: procedure.input(c.Draft.pick({ path: true, item: true, window: true })).output(z.void()),
  drafts: procedure.output(z.array(c.Draft)),
}
