import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ConversationId, TenantId } from '../contract/ids.ts'
import type { Database, Transaction } from './storage.ts'

/** Full-text indexes and the rows that they speak of. */
const indexes = {
  text_search: { table: 'texts', key: 'id' },
  output_search: { table: 'outputs', key: 'n' },
} as const
export type SearchIndex = keyof typeof indexes

export async function addToIndex(transaction: Transaction, index: SearchIndex, row: number, text: string) {
  await sql`insert into ${sql.table(index)} (rowid, text) values (${row}, ${text})`.execute(transaction)
}

export async function removeFromIndex(transaction: Transaction, index: SearchIndex, rows: readonly number[]) {
  for (const row of rows) await sql`delete from ${sql.table(index)} where rowid = ${row}`.execute(transaction)
}

/** Whether a column holds this text, in capitals or not. */
export function holdsText(column: string, text: string): RawBuilder<boolean> {
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`
}

export interface Scope {
  readonly tenant: TenantId
  readonly conversation?: ConversationId | undefined
  readonly limit: number
}

/** Rows of a tenant that hold a word starting with each of `words`; best matches first. */
export async function findInIndex(
  db: Kysely<Database>,
  index: SearchIndex,
  words: readonly string[],
  { tenant, conversation, limit }: Scope,
): Promise<{ row: number; conversation: ConversationId }[]> {
  if (words.length === 0) return []
  const { table, key } = indexes[index]
  // Quoted, so that no word is taken for an operator of the query language.
  const query = words.map(word => `"${word.replaceAll('"', '""')}"*`).join(' ')
  const within = conversation ? sql`and owner.id = ${conversation}` : sql``
  const { rows } = await sql<{ row: number; conversation: ConversationId }>`
    select kept.${sql.ref(key)} as row, owner.id as conversation
    from ${sql.table(index)} as found
    join ${sql.table(table)} as kept on kept.${sql.ref(key)} = found.rowid
    join conversations as owner on owner.id = kept.conversation
    where ${sql.table(index)} match ${query} and owner.tenant = ${tenant} and owner.deleted_at is null ${within}
    order by found.rank
    limit ${limit}
  `.execute(db)
  return rows
}
