import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import type { KeyStore } from './keystore.ts'
import { sealEveryRow } from './storage/every-row.ts'
import type { Storage } from './storage/storage.ts'

type Sealed = { readonly seal: string }

/** Seals rows with a key that the database does not hold: whoever edits one only makes it worth nothing. */
export interface RowSeal {
  /** The row with its seal, over all its other columns. */
  seal<Row extends Sealed>(row: Omit<Row, 'seal'>): Row
  holds(row: Sealed): boolean
}

export const openRowSeal = async (keys: KeyStore, name: string): Promise<RowSeal> =>
  sealWith(await keys.add(name, randomBytes(32)))

/** Tables of which a row counts only with its seal, and what of a row is not sealed, since it decides nothing. */
const sealedTables = {
  environments: [],
  allowed: [],
  chat_providers: [],
  chat_requests: [],
  cloud_consents: [],
  cloud_stretches: [],
  policies: ['id'],
  workflows: ['epoch', 'owner', 'updated_at'],
  workflow_graphs: [],
  workflow_tasks: [],
} as const

/** The seal of each table: one row cannot stand for a row of another table. */
export type TableSeals = { readonly [Table in keyof typeof sealedTables]: RowSeal }

const keyName = 'table-seals'

/** Where there is no key yet, rows from before there were seals are taken as they stand, once. */
export async function openTableSeals(storage: Storage, keys: KeyStore): Promise<TableSeals> {
  const known = await keys.get(keyName)
  const key = known ?? (await sealAll(storage, keys))
  return sealsOf(key)
}

/** In one transaction, so that of two processes the second finds the key of the first. */
function sealAll(storage: Storage, keys: KeyStore): Promise<Uint8Array> {
  return storage.write(async t => {
    const kept = await keys.get(keyName)
    if (kept) return kept
    const key = randomBytes(32)
    const seals = sealsOf(key)
    for (const table of tablesOf(seals)) await sealEveryRow<Sealed>(t, table, row => seals[table].seal(row).seal)
    return keys.add(keyName, key)
  })
}

const tablesOf = (seals: TableSeals) => Object.keys(seals) as (keyof TableSeals)[]

const sealsOf = (key: Uint8Array): TableSeals =>
  Object.fromEntries(
    Object.entries(sealedTables).map(([table, open]) => [table, sealWith(key, { table, open })]),
  ) as unknown as TableSeals

function sealWith(key: Uint8Array, within?: { readonly table: string; readonly open: readonly string[] }): RowSeal {
  // Bytes would be made a key again for each of hundreds of rows.
  const secret = createSecretKey(key)
  const sealOf = (row: object): string => {
    const columns = Object.entries(row).filter(([column]) => column !== 'seal' && !within?.open.includes(column))
    return createHmac('sha256', secret)
      .update(within ? `${within.table}\n` : '')
      .update(JSON.stringify(columns.sort(([a], [b]) => (a < b ? -1 : 1))))
      .digest('hex')
  }
  return {
    seal: <Row extends Sealed>(row: Omit<Row, 'seal'>) => ({ ...row, seal: sealOf(row) }) as unknown as Row,
    holds(row) {
      const given = Buffer.from(row.seal)
      const right = Buffer.from(sealOf(row))
      return given.length === right.length && timingSafeEqual(given, right)
    },
  }
}
