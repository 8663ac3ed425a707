import type { Draft, ItemId } from '../contract/conversations.ts'
import type { PathId } from '../contract/ids.ts'
import { type Outcome, ok } from '../contract/problem.ts'
import type { Transaction } from '../storage/storage.ts'
import type { Caller } from './conversations.ts'
import { type Desk, findPath } from './operation.ts'
import type { Db } from './view.ts'

/** What is being typed, kept within a moment so that a crash loses none of it. Settling it is an edit; this is not. */

type Key = Pick<Draft, 'path' | 'item' | 'window'>
interface Writing {
  readonly db: Transaction
  readonly who: Caller
  readonly at: number
}

export async function saveDraft(desk: Desk, who: Caller, draft: Omit<Draft, 'savedAt'>): Promise<Outcome<void>> {
  return desk.storage.write(async db => {
    const found = await findPath(db, who, draft.path)
    if (!found.ok) return found
    await saveDraftIn({ db, who, at: desk.clock.now() }, draft)
    return ok(undefined)
  })
}

export async function dropDraft(desk: Desk, who: Caller, key: Key): Promise<Outcome<void>> {
  return desk.storage.write(async db => {
    const found = await findPath(db, who, key.path)
    if (!found.ok) return found
    await dropDraftIn({ db }, key)
    return ok(undefined)
  })
}

export async function saveDraftIn({ db, who, at }: Writing, draft: Omit<Draft, 'savedAt'>): Promise<void> {
  const kept = { base_revision: draft.baseRevision, text: draft.text, saved_by: who.user, saved_at: at }
  await db
    .insertInto('drafts')
    .values({ path: draft.path, item: draft.item ?? '', window: draft.window, ...kept })
    .onConflict(conflict => conflict.columns(['path', 'item', 'window']).doUpdateSet(kept))
    .execute()
}

export async function dropDraftIn({ db }: Pick<Writing, 'db'>, { path, item, window }: Key): Promise<void> {
  await db
    .deleteFrom('drafts')
    .where('path', '=', path)
    .where('item', '=', item ?? '')
    .where('window', '=', window)
    .execute()
}

/** Of one path, or of all paths of a tenant that are not deleted; newest first. Each person sees their own. */
export async function readDrafts(db: Db, who: Caller, path?: PathId): Promise<Draft[]> {
  let query = db
    .selectFrom('drafts')
    .innerJoin('paths', 'paths.id', 'drafts.path')
    .innerJoin('conversations', 'conversations.id', 'paths.conversation')
    .selectAll('drafts')
    .where('conversations.tenant', '=', who.tenant)
    .where('conversations.deleted_at', 'is', null)
    .where('paths.state', '!=', 'deleted')
    .where('drafts.saved_by', '=', who.user)
    .orderBy('drafts.saved_at', 'desc')
  if (path) query = query.where('drafts.path', '=', path)
  return (await query.execute()).map(row => ({
    path: row.path,
    item: row.item === '' ? null : (row.item as ItemId),
    window: row.window,
    baseRevision: row.base_revision,
    text: row.text,
    savedAt: row.saved_at,
  }))
}
