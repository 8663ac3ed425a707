import { sql } from 'kysely'
import type { Database, Transaction } from './storage.ts'

/** Sets the seal of each row of a table, found by all that it holds: not every table has a key of one column. */
export async function sealEveryRow<Row extends { readonly seal: string }>(
  transaction: Transaction,
  table: keyof Database,
  sealOf: (row: Row) => string,
): Promise<void> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)}`.execute(transaction)
  for (const row of rows) {
    const seal = sealOf(row)
    const columns = Object.entries(row).map(([column, value]) => sql`${sql.ref(column)} is ${value}`)
    const itself = sql.join(columns, sql` and `)
    await sql`update ${sql.table(table)} set seal = ${seal} where ${itself}`.execute(transaction)
  }
}
