import { api, unwrap } from './api.ts'

const { conversations, paths } = api

export const conversationsRouter = {
  list: conversations.list.handler(({ context: { engine, session }, input }) =>
    engine.conversations.list(session.caller, input),
  ),
  create: conversations.create.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.create(session.caller, input)),
  ),
  tree: conversations.tree.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.tree(session.caller, input)),
  ),
  rename: conversations.rename.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.rename(session.caller, input)),
  ),
  remove: conversations.remove.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.remove(session.caller, input)),
  ),
  restore: conversations.restore.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.restore(session.caller, input)),
  ),
  bin: conversations.bin.handler(({ context: { engine, session } }) => engine.conversations.bin(session.caller)),
  templates: conversations.templates.handler(({ context: { engine, session } }) =>
    engine.conversations.templates(session.caller),
  ),
  erase: conversations.erase.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.erase(session.caller, input)),
  ),
  duplicate: conversations.duplicate.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.duplicate(session.caller, input)),
  ),
  saveTemplate: conversations.saveTemplate.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.saveTemplate(session.caller, input)),
  ),
  fromTemplate: conversations.fromTemplate.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.fromTemplate(session.caller, input)),
  ),
  removeTemplate: conversations.removeTemplate.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.removeTemplate(session.caller, input)),
  ),
  openSample: conversations.openSample.handler(({ context: { engine, session } }) =>
    unwrap(engine.conversations.openSample(session.caller)),
  ),
  search: conversations.search.handler(({ context: { engine, session }, input }) =>
    engine.conversations.search(session.caller, input),
  ),
  importNotebook: conversations.importNotebook.handler(async ({ context: { engine, session }, input }) => {
    const file = await unwrap(session.uploads.take(input.upload))
    return unwrap(engine.conversations.importNotebook(session.caller, file))
  }),
}

export const pathsRouter = {
  open: paths.open.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.open(session.caller, input)),
  ),
  items: paths.items.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.items(session.caller, input.path, input.items)),
  ),
  stale: paths.stale.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.stale(session.caller, input)),
  ),
  output: paths.output.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.output(session.caller, input)),
  ),
  revisions: paths.revisions.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.revisions(session.caller, input.path, input.item)),
  ),
  branch: paths.branch.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.branch(session.caller, input)),
  ),
  rename: paths.rename.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.renamePath(session.caller, input)),
  ),
  archive: paths.archive.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.archivePath(session.caller, input)),
  ),
  remove: paths.remove.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.deletePath(session.caller, input)),
  ),
  restore: paths.restore.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.restorePath(session.caller, input)),
  ),
  deleted: paths.deleted.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.deletedPaths(session.caller, input)),
  ),
  merge: paths.merge.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.merge(session.caller, input)),
  ),
  undoMerge: paths.undoMerge.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.undoMerge(session.caller, input)),
  ),
  compare: paths.compare.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.compare(session.caller, input)),
  ),
  export: paths.export.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.export(session.caller, input)),
  ),
  insert: paths.insert.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.insert(session.caller, input)),
  ),
  edit: paths.edit.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.edit(session.caller, input)),
  ),
  changeLanguage: paths.changeLanguage.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.changeLanguage(session.caller, input)),
  ),
  move: paths.move.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.move(session.caller, input)),
  ),
  removeItems: paths.removeItems.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.removeItems(session.caller, input)),
  ),
  clearOutputs: paths.clearOutputs.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.clearOutputs(session.caller, input)),
  ),
  undo: paths.undo.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.undo(session.caller, input)),
  ),
  redo: paths.redo.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.redo(session.caller, input)),
  ),
  saveDraft: paths.saveDraft.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.saveDraft(session.caller, input)),
  ),
  dropDraft: paths.dropDraft.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.conversations.dropDraft(session.caller, input)),
  ),
  drafts: paths.drafts.handler(({ context: { engine, session } }) => engine.conversations.drafts(session.caller)),
}
