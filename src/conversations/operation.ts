import type { z } from 'zod'
import type { Recorder } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { AuditAction } from '../contract/audit.ts'
import type { ConversationChange, ItemId } from '../contract/conversations.ts'
import type { CellId, ConversationId, PathId, TenantId } from '../contract/ids.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { Ids } from '../ids.ts'
import { prepared } from '../storage/prepared.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { Caller, ConversationsOptions } from './conversations.ts'
import { type Chain, type Db, loadChain, type PathRow } from './view.ts'

/** What every part of this module needs. */
export interface Desk {
  readonly storage: Storage
  readonly audit: Recorder
  readonly clock: Clock
  readonly ids: Ids
  announce(tenant: TenantId, change: ConversationChange): void
  readonly pathChanged?: ConversationsOptions['pathChanged']
}

/** An operation on a path under way, in its transaction. */
export interface Operation {
  readonly db: Transaction
  readonly who: Caller
  readonly at: number
  readonly conversation: { readonly id: ConversationId; readonly title: string }
  readonly path: PathRow
  readonly chain: Chain
  /** The version as which all that this operation writes will be known. */
  readonly version: number
}

/** What an operation did, for the record and for the windows. */
export interface Done<T> {
  readonly value: T
  readonly action: AuditAction
  readonly details: { readonly [name: string]: z.core.util.JSONType }
  readonly items: readonly ItemId[] | null
  readonly cell?: ItemId
  readonly what?: ConversationChange['what']
  readonly appended?: boolean
}

/** For whoever writes more along with new items, or names them before they are written. */
export interface InsertedWith {
  /** Made beforehand, one for each item. */
  readonly ids?: readonly ItemId[]
  /** In the same transaction: kept with the items or not at all. */
  readonly alongside?: (transaction: Transaction) => Promise<void>
  /** May wait this long to share the commit of another write. */
  readonly patienceMs?: number
}

/** For an operation that found nothing to do. */
export interface Nothing<T> {
  readonly nothing: T
}

/**
 * One operation on a path: one transaction, one version, one audit entry. `work` checks before it writes: what it
 * refuses has written nothing.
 */
export async function operate<T>(
  desk: Desk,
  who: Caller,
  path: PathId,
  allow: { readonly states: readonly PathRow['state'][]; readonly patienceMs?: number | undefined },
  work: (operation: Operation) => Promise<Outcome<Done<T> | Nothing<T>>>,
): Promise<Outcome<T>> {
  let change: ConversationChange | null = null
  const outcome = await desk.storage.write(async (db): Promise<Outcome<T>> => {
    const found = await findPath(db, who, path)
    if (!found.ok) return found
    const { conversation, row } = found.value
    if (!allow.states.includes(row.state)) return refusedState(row)
    const at = desk.clock.now()
    const version = conversation.version + 1
    const chain = await loadChain(db, row)
    const done = await work({ db, who, at, conversation, path: row, chain, version })
    if (!done.ok) return done
    if ('nothing' in done.value) return ok(done.value.nothing)
    const { value, action, details, items, cell, what = 'items', appended = false } = done.value
    await touchConversation(db, conversation.id, version, at)
    await touchPath(db, path, at)
    await desk.audit.append(db, {
      action,
      tenant: who.tenant,
      actor: who.user,
      conversation: conversation.id,
      path,
      // Both kinds of item have their place there: the record names what was touched.
      ...(cell ? { cell: cell as CellId } : {}),
      // Whoever reads the record later must see what a person wrote, and what was written on their behalf.
      details: who.assistant ? { ...details, assistant: who.assistant } : details,
    })
    change = {
      ...{ conversation: conversation.id, path, version, what, items: items ? [...items] : null },
      ...(appended ? { appended } : {}),
    }
    return ok(value)
  }, allow.patienceMs)
  if (change) {
    desk.announce(who.tenant, change)
    await desk.pathChanged?.(who, change)
  }
  return outcome
}

const pathById = prepared((db, id: PathId) => db.selectFrom('paths').selectAll().where('id', '=', id))
const conversationById = prepared((db, id: ConversationId, tenant: TenantId) =>
  db.selectFrom('conversations').selectAll().where('id', '=', id).where('tenant', '=', tenant),
)
const touchConversation = prepared((db, id: ConversationId, version: number, at: number) =>
  db.updateTable('conversations').set({ version, last_activity_at: at }).where('id', '=', id),
)
const touchPath = prepared((db, id: PathId, at: number) =>
  db.updateTable('paths').set({ last_activity_at: at }).where('id', '=', id),
)

/** A path and its conversation, if they are this tenant's and the conversation is not deleted. */
export async function findPath(db: Db, who: Caller, path: PathId) {
  const [row] = await pathById(db, path)
  const conversation = row && (await findConversation(db, who, row.conversation))
  if (!row || !conversation?.ok || conversation.value.deleted_at !== null) {
    return fail(
      'not-found',
      'This path does not exist.',
      'It may have been deleted; look in the list of conversations.',
    )
  }
  return ok({ row, conversation: conversation.value })
}

export async function findConversation(db: Db, who: Caller, id: ConversationId) {
  const [row] = await conversationById(db, id, who.tenant)
  return row ? ok(row) : noConversation()
}

export const noConversation = () =>
  fail('not-found', 'This conversation does not exist.', 'It may belong to somebody else or have been deleted.')

function refusedState(path: PathRow) {
  switch (path.state) {
    case 'open':
      return fail('path.open', `The path “${path.name}” is open already.`, 'There is nothing to restore.')
    case 'archived':
      return fail('path.archived', `The path “${path.name}” is archived.`, 'Restore it to change it.')
    case 'deleted':
      return fail('path.deleted', `The path “${path.name}” was deleted.`, 'Restore it to go on with it.')
  }
}

export const noItem = () =>
  fail(
    'not-found',
    'This item is not on this path any more.',
    'It may have been removed in another window; undo brings it back.',
  )
