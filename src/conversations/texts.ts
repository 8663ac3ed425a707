import { createHash } from 'node:crypto'
import type { ConversationId } from '../contract/ids.ts'
import { listOf } from '../storage/lists.ts'
import { prepared } from '../storage/prepared.ts'
import { addToIndex } from '../storage/search.ts'
import type { Transaction } from '../storage/storage.ts'
import type { Db } from './view.ts'

/** SQLite takes a limited number of values in one statement. */
export const batchSize = 500

export const hashOf = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')

/** The number of a text in its conversation; a new one is kept and made searchable. */
export async function keepText(transaction: Transaction, conversation: ConversationId, text: string): Promise<number> {
  const hash = hashOf(text)
  const [known] = await textByHash(transaction, conversation, hash)
  if (known) return known.id
  const [made] = await addText(transaction, conversation, hash, text)
  if (!made) throw new Error('a text vanished while it was written')
  const { id } = made
  await addToIndex(transaction, 'text_search', id, text)
  return id
}

const textByHash = prepared((db, conversation: ConversationId, hash: string) =>
  db.selectFrom('texts').select('id').where('conversation', '=', conversation).where('hash', '=', hash),
)
const addText = prepared((db, conversation: ConversationId, hash: string, text: string) =>
  db.insertInto('texts').values({ conversation, hash, text }).returning('id'),
)

export async function readText(db: Db, id: number): Promise<string> {
  return (await db.selectFrom('texts').select('text').where('id', '=', id).executeTakeFirstOrThrow()).text
}

export async function readTexts(db: Db, ids: Iterable<number>): Promise<Map<number, string>> {
  const wanted = listOf([...new Set(ids)])
  const rows = await db.selectFrom('texts').select(['id', 'text']).where('id', 'in', wanted).execute()
  return new Map(rows.map(row => [row.id, row.text]))
}

export function batches<T>(list: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(list.length / batchSize) }, (_, index) =>
    list.slice(index * batchSize, (index + 1) * batchSize),
  )
}
